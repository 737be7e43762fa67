"""What a window knows: its engine, language, address, and texts in its language."""

import os
import time
from collections.abc import Callable, Hashable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Literal, TypeVar, cast

import streamlit as st
from cachetools import LRUCache

from agent.engine.engine import Engine
from app import formats, shared
from app.labels import FITS
from app.locale import Language, translate
from services.domain import Principal
from services.domain.errors import RabbitholeError, Unauthorized
from services.domain.model_checks import ModelState
from services.domain.notices import Notice
from services.locale import field_text, sentence
from services.login import read_login
from services.settings import Settings

ENGINE = "client"
LANGUAGE = "language"
"""Key of the language switch in the bar, which is drawn before the page."""
SAVED_LANGUAGE = "kept-language"
ADDRESS = "address"
NOTICE_S = 30.0
REMEMBERED = 20
Tone = Literal["info", "error"]
T = TypeVar("T")


def engine() -> Engine:
    """Return the engine, acting as the person in this window; Unauthorized if there is none."""
    preset = st.session_state.get(ENGINE)
    if preset is not None:
        return cast(Engine, preset)
    principal = current_principal(settings())
    if principal is None:
        raise Unauthorized("Log in first.")
    return shared.engine_of_process().acting_as(principal)


def current_principal(settings: Settings) -> Principal | None:
    """Return who is logged in, or the user of a server without login; None for nobody."""
    if settings.login is None:
        return Principal(user=settings.user, role=settings.role)
    people = read_login(settings.login).people
    return people.admitted(st.user, time.time()) if st.user.is_logged_in else None


def model_state() -> ModelState:
    """Return the state of the model, which starts loading; also notices that the owner has died."""
    state = engine().settings.model_state(warm=True)
    st.session_state["model"] = state.name
    return state


def model_summary(state: ModelState) -> str:
    """Return which model is in use and whether it is ready, as Markdown: a dot and words."""
    match state.status:
        case "ready":
            dot = "○" if state.name == "none" else ":green[●]"
            return f"{dot} {model_label(state.name or 'none')}"
        case "failed":
            return f":red[▲] {_('no language model')}"
    return f":orange[◐] {_('The language model is loading …')}"


def model_label(name: str) -> str:
    """Return the name of a language model as the pages show it, as Markdown."""
    if name == "none":
        return _("no language model, quotes only")
    return _("Model {name}", name=formats.plain(name))


def settings() -> Settings:
    """Return the settings from the environment of the server."""
    return _settings(frozenset(os.environ.items()))


@lru_cache(maxsize=1)
def _settings(environment: frozenset[tuple[str, str]]) -> Settings:
    return Settings()


def set_address(**changes: str | None) -> None:
    """Change query parameters as one step of the browser's history; None removes a parameter."""
    before = st.query_params.to_dict()
    after = {name: value for name, value in (before | changes).items() if value is not None}
    if after != before:
        st.query_params.from_dict(after)
    st.session_state[ADDRESS] = after


def keep_address() -> None:
    """Keep the address with which the whole page is drawn."""
    st.session_state[ADDRESS] = st.query_params.to_dict()


def restore_address() -> None:
    """Return to the page's address, in a fragment that the browser started before it changed."""
    address = st.session_state.get(ADDRESS)
    if address is not None and address != st.query_params.to_dict():
        st.query_params.from_dict(address)


def thread_id() -> str | None:
    """Return the thread in the address."""
    return st.query_params.get("thread")


def open_thread(thread: str | None) -> None:
    """Put a thread into the address; None leaves the thread."""
    clear_notice()
    set_address(thread=thread, cite=None, turn=None)


def chosen_citation() -> tuple[int | None, str | None]:
    """Return the citation in the address, and the sentence whose mark was clicked, if any."""
    number = address_number("cite")
    clicked, sentence = st.session_state.get("cited-in", (None, None))
    return number, sentence if clicked == (thread_id(), number) else None


def address_number(name: str) -> int | None:
    """Return a query parameter as a number, None if it is missing or no number."""
    value = st.query_params.get(name, "")
    return int(value) if value.isdecimal() and len(value) <= 9 else None


def open_citation(number: int, sentence: str | None = None, turn: int | None = None) -> None:
    """Put a citation into the address; in a conversation, one of a turn."""
    set_address(cite=str(number), turn=None if turn is None else str(turn))
    st.session_state["cited-in"] = ((thread_id(), number), sentence)


def close_citation() -> None:
    """Remove the citation from the address."""
    set_address(cite=None, turn=None)


def language() -> Language:
    """Return the language chosen in this window, else the saved or the browser's, else English."""
    chosen = st.session_state.get(LANGUAGE) or _saved_language()
    if chosen in ("de", "en"):
        return cast(Language, chosen)
    return "de" if (st.context.locale or "").lower().startswith("de") else "en"


def save_language() -> None:
    """Save the language of this window for later visits."""
    st.session_state[SAVED_LANGUAGE] = st.session_state[LANGUAGE]
    engine().settings.set_preference("language", st.session_state[LANGUAGE])


def _saved_language() -> str | None:
    """Return the language saved at an earlier visit, read once a window."""
    if SAVED_LANGUAGE not in st.session_state:
        st.session_state[SAVED_LANGUAGE] = None
        # The page itself reports a catalog that cannot be read, in the browser's language.
        with suppress(RabbitholeError):
            st.session_state[SAVED_LANGUAGE] = engine().settings.preference("language")
    return cast(str | None, st.session_state[SAVED_LANGUAGE])


def _(message: str, /, **values: object) -> str:
    """Translate a message into the language of the session and fill in its ``{name}`` fields."""
    return translate(language(), message, **values)


def pgettext(context: str, message: str) -> str:
    """Translate a message whose German depends on its context."""
    return translate(language(), message, context)


def notice_text(notice: Notice | None) -> str:
    """Return a notice in the language of the session; "" for None."""
    return sentence(notice, language()) if notice else ""


def parameter_name(key: str) -> str:
    """Return the name that pages and notices show for a parameter."""
    return field_text("key", key, language())


def format_number(value: float, digits: int = 0) -> str:
    return formats.number(value, language(), digits)


def format_duration(seconds: float) -> str:
    return formats.duration(seconds, language())


def format_dates(text: str) -> str:
    """Rewrite the ISO dates in a text for the language of the session."""
    return formats.dates(text, language())


def format_time(stamp: str) -> str:
    """Return an ISO time in the language and time zone of the browser, to the minute."""
    return formats.timestamp(stamp, language(), st.context.timezone)


def relevance_label(relevance: float) -> str:
    """Describe a relevance (0-1) in words."""
    return _(next(text for minimum, text in FITS.items() if relevance >= minimum))


def option_labels(options: Mapping[T, str]) -> Callable[[T], str]:
    """Return a ``format_func`` that labels a widget's options in the language of the session."""
    return {option: _(text) for option, text in options.items()}.__getitem__


def set_notice(text: str, tone: Tone = "info") -> None:
    """Show a notice for a while, also on the pages that are drawn next."""
    st.session_state["notice"] = (tone, text, time.monotonic() + NOTICE_S)


def clear_notice() -> None:
    """Remove the notice: the person has moved on to something else."""
    st.session_state.pop("notice", None)


def store_in_address(name: str) -> None:
    """Put a widget's value into the address, so that it survives a refresh; for its callback."""
    set_address(**{name: st.session_state[name]})


def cached(name: str, key: Hashable, compute: Callable[[], T]) -> T:
    """Return ``compute()``; a window remembers the last ones of each ``name`` by their ``key``."""
    store = st.session_state.setdefault(f"kept-{name}", LRUCache[Hashable, T](REMEMBERED))
    if key not in store:
        store[key] = compute()
    return store[key]


def preserve_choices() -> None:
    """Keep the choices of the question box, which Streamlit drops while its widgets are hidden."""
    for key in [str(name) for name in st.session_state if str(name).startswith("box-")]:
        st.session_state[key] = st.session_state[key]


def mark_answered(thread: str, interrupt_id: str) -> None:
    """Remember an answered question by its thread, too, since a fork repeats the interrupt id."""
    st.session_state["answered"] = {*st.session_state.get("answered", ()), (thread, interrupt_id)}


def is_answered(thread: str, interrupt_id: str) -> bool:
    return (thread, interrupt_id) in st.session_state.get("answered", ())
