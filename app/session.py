"""Typed access to ``st.session_state`` and to the URL: ids and choices, nothing else.

The one thing that is not an id is the engine: tests put theirs under ``ENGINE``; everybody
else shares one connection a process, which is never closed by a session.
"""

import time
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from typing import Literal, TypeVar, cast

import streamlit as st

from agent.engine.engine import Engine
from app import formats, shared
from app.labels import FITS
from app.locale import Language, translate
from services.domain import Principal
from services.domain.errors import RabbitholeError, Unauthorized
from services.domain.model_checks import ModelState
from services.domain.notices import Notice
from services.locale import sentence
from services.login import read_login
from services.settings import Settings

ENGINE = "client"
LANGUAGE = "language"
"""Key of the switch in the bar, which is drawn before the page."""
SAVED_LANGUAGE = "kept-language"
NOTICE_S = 30.0
Tone = Literal["info", "error"]
T = TypeVar("T")


def engine() -> Engine:
    """The connection to the agent."""
    preset = st.session_state.get(ENGINE)
    if preset is not None:
        return cast(Engine, preset)
    person = current_principal(shared.settings_of_process())
    if person is None:
        raise Unauthorized("Log in first.")
    return shared.engine_of_process().acting_as(person)


def current_principal(chosen: Settings) -> Principal | None:
    """Who works in this window: who is logged in, else as the start of the server names it.

    None where people log in, and nobody did who may come in.
    """
    if chosen.login is None:
        return Principal(user=chosen.user, role=chosen.role)
    people = read_login(chosen.login).people
    return people.admitted(st.user, time.time()) if st.user.is_logged_in else None


def model_state() -> ModelState:
    """How the language model is, asked once a run of the script; it loads in the background.

    Asking also finds out whether whoever owned the stores is still alive.
    """
    state = engine().settings.model_state(warm=True)
    st.session_state["model"] = state.name
    return state


def model_summary(state: ModelState) -> str:
    """Which model is in use and whether it is ready, as Markdown: a dot and words."""
    match state.status:
        case "ready":
            dot = "○" if state.name == "none" else ":green[●]"
            return f"{dot} {model_label(state.name or 'none')}"
        case "failed":
            return f":red[▲] {_('no language model')}"
    return f":orange[◐] {_('The language model is loading …')}"


def model_label(name: str) -> str:
    """What a language model is called on the pages, as Markdown."""
    if name == "none":
        return _("no language model, quotes only")
    return _("Model {name}", name=formats.plain(name))


def settings() -> Settings:
    """Settings from the environment of the server."""
    return Settings()


def set_address(**changes: str | None) -> None:
    """Changes what the URL names, as one step of the browser's way back; None takes a name out."""
    here = st.query_params.to_dict()
    there = {name: each for name, each in (here | changes).items() if each is not None}
    if there != here:
        st.query_params.from_dict(there)


def thread_id() -> str | None:
    """The research thread that the URL names."""
    return st.query_params.get("thread")


def open_thread(thread: str | None) -> None:
    """Puts a thread into the URL; None leaves the thread."""
    clear_notice()
    set_address(thread=thread, cite=None, turn=None)


def chosen_citation() -> tuple[int | None, str | None]:
    """The citation that the URL names, and the sentence in which it was clicked, if it was."""
    number = address_number("cite")
    clicked, sentence = st.session_state.get("cited-in", (None, None))
    return number, sentence if clicked == (thread_id(), number) else None


def address_number(name: str) -> int | None:
    """The number that the URL has under a name."""
    named = st.query_params.get(name, "")
    return int(named) if named.isdecimal() and len(named) <= 9 else None


def open_citation(number: int, sentence: str | None = None, turn: int | None = None) -> None:
    """Puts a citation into the URL; in a conversation, that of a turn."""
    set_address(cite=str(number), turn=None if turn is None else str(turn))
    st.session_state["cited-in"] = ((thread_id(), number), sentence)


def close_citation() -> None:
    """Takes the citation out of the URL."""
    set_address(cite=None, turn=None)


def language() -> Language:
    """The language chosen in this window, else the one that was kept, else the browser's.

    Of browsers German counts; all others get English.
    """
    chosen = st.session_state.get(LANGUAGE) or _saved_language()
    if chosen in ("de", "en"):
        return cast(Language, chosen)
    return "de" if (st.context.locale or "").lower().startswith("de") else "en"


def save_language() -> None:
    """Keeps what was chosen in this window for those to come."""
    st.session_state[SAVED_LANGUAGE] = st.session_state[LANGUAGE]
    engine().settings.set_preference("language", st.session_state[LANGUAGE])


def _saved_language() -> str | None:
    """What the person chose at an earlier visit, read once a window."""
    if SAVED_LANGUAGE not in st.session_state:
        st.session_state[SAVED_LANGUAGE] = None
        # A catalog that cannot be read is told by the page, in the language of the browser.
        with suppress(RabbitholeError):
            st.session_state[SAVED_LANGUAGE] = engine().settings.preference("language")
    return cast(str | None, st.session_state[SAVED_LANGUAGE])


def _(message: str, /, **values: object) -> str:
    """A message in the language of the session, with ``{name}`` filled in."""
    return translate(language(), message, **values)


def pgettext(context: str, message: str) -> str:
    """A message whose German depends on where it stands."""
    return translate(language(), message, context)


def notice_text(notice: Notice | None) -> str:
    """A notice in the language of the session; nothing for none."""
    return sentence(notice, language()) if notice else ""


def format_number(value: float, digits: int = 0) -> str:
    return formats.number(value, language(), digits)


def format_duration(seconds: float) -> str:
    return formats.duration(seconds, language())


def format_dates(text: str) -> str:
    """Text with its ISO days in the language of the session."""
    return formats.dates(text, language())


def format_time(stamp: str) -> str:
    """An ISO time in the language and the time zone of the browser, to the minute."""
    return formats.timestamp(stamp, language(), st.context.timezone)


def relevance_label(relevance: float) -> str:
    """How well something fits, in a word."""
    return _(next(text for least, text in FITS.items() if relevance >= least))


def option_labels(options: Mapping[T, str]) -> Callable[[T], str]:
    """A ``format_func`` for the options of a widget, in the language of the session."""
    said = {option: _(text) for option, text in options.items()}
    return said.__getitem__


def set_notice(text: str, tone: Tone = "info") -> None:
    """Keeps a notice over reruns, which wipe the page, long enough to be read."""
    st.session_state["notice"] = (tone, text, time.monotonic() + NOTICE_S)


def clear_notice() -> None:
    """Forgets the notice: the person has gone on to something else."""
    st.session_state.pop("notice", None)


def store_in_address(name: str) -> None:
    """Puts the value of a widget into the URL, so that a refresh keeps it; for its callback."""
    set_address(**{name: st.session_state[name]})


def cached(name: str, key: Hashable, make: Callable[[], T]) -> T:
    """What was made for a key, once a window: drawing a page again is no reason to do it again."""
    store: dict[Hashable, T] = st.session_state.setdefault(f"kept-{name}", {})
    if key not in store:
        store[key] = make()
    return store[key]


def preserve_choices() -> None:
    """Has what was chosen in the box last while other pages, or none of its widgets, are shown."""
    for key in [str(each) for each in st.session_state if str(each).startswith("box-")]:
        st.session_state[key] = st.session_state[key]


def mark_answered(thread: str, interrupt_id: str) -> None:
    """Remembers that a question needs no answer any more, by whomever it was answered.

    A fork asks anew what its thread was asked, under the same id.
    """
    st.session_state["answered"] = {*st.session_state.get("answered", ()), (thread, interrupt_id)}


def is_answered(thread: str, interrupt_id: str) -> bool:
    return (thread, interrupt_id) in st.session_state.get("answered", ())
