"""Typed access to ``st.session_state`` and to the URL: ids and choices, nothing else.

The one thing that is not an id is the client: tests put theirs under ``CLIENT``; everybody
else shares one connection a process, which is never closed by a session.
"""

import time
from collections.abc import Callable, Mapping
from typing import Literal, TypeVar, cast

import streamlit as st

from app.contract import ResearchClient
from app.plan_draft import PlanDraft
from app.texts import Language, Text
from services.settings import Settings

CLIENT = "client"
QUESTION = "question"
NOTICE_S = 30.0
Tone = Literal["info", "error"]
T = TypeVar("T")


def client() -> ResearchClient:
    """The connection to the agent."""
    preset = st.session_state.get(CLIENT)
    return cast(ResearchClient, preset) if preset is not None else _shared_client()


@st.cache_resource(show_spinner=False)
def _shared_client() -> ResearchClient:
    from agent.client import connect

    return connect(settings())


def model_name() -> str:
    """The language model in use, asked once a session: it may have to be loaded first.

    Asking also finds out whether whoever owned the stores is still alive.
    """
    if "model" not in st.session_state:
        st.session_state["model"] = client().model_name()
    return cast(str, st.session_state["model"])


def known_model() -> str | None:
    """The language model in use, if it was asked for and there is one."""
    return cast(str | None, st.session_state.get("model"))


def fill_question(question: str) -> None:
    """Writes into the field for a new question; only in a callback of a button."""
    st.session_state[QUESTION] = question


def settings() -> Settings:
    """Settings from the environment of the server."""
    return Settings()


def thread_id() -> str | None:
    """The research thread that the URL names."""
    return st.query_params.get("thread")


def open_thread(thread: str | None) -> None:
    """Puts a thread into the URL; None leaves the thread."""
    drop_notice()
    st.query_params.pop("cite", None)
    if thread is None:
        st.query_params.pop("thread", None)
    else:
        st.query_params["thread"] = thread


def chosen_citation() -> tuple[int | None, str | None]:
    """The citation that the URL names, and the sentence in which it was clicked, if it was."""
    named = st.query_params.get("cite", "")
    if not named.isdecimal() or len(named) > 9:
        return None, None
    number, sentence = st.session_state.get("cited-in", (None, None))
    return int(named), sentence if number == int(named) else None


def open_citation(number: int, sentence: str | None = None) -> None:
    """Puts a citation into the URL."""
    st.query_params["cite"] = str(number)
    st.session_state["cited-in"] = (number, sentence)


def language() -> Language:
    """The chosen language, else the browser's if it is German, else English."""
    chosen = st.session_state.get("language")
    if chosen in ("de", "en"):
        return cast(Language, chosen)
    return "de" if (st.context.locale or "").lower().startswith("de") else "en"


def say(text: Text, **values: object) -> str:
    """A text of the catalogue in the language of the session."""
    return text.in_language(language(), **values)


def labels(options: Mapping[T, Text]) -> Callable[[T], str]:
    """A ``format_func`` for the options of a widget, in the language of the session."""
    said = {option: say(text) for option, text in options.items()}
    return said.__getitem__


def leave_notice(text: str, tone: Tone = "info") -> None:
    """Keeps a notice over reruns, which wipe the page, long enough to be read."""
    st.session_state["notice"] = (tone, text, time.monotonic() + NOTICE_S)


def notice() -> tuple[Tone, str] | None:
    """The notice to show now, if any."""
    tone, text, until = st.session_state.get("notice", (None, "", 0.0))
    return (tone, text) if tone is not None and time.monotonic() < until else None


def drop_notice() -> None:
    """Forgets the notice: the person has gone on to something else."""
    st.session_state.pop("notice", None)


def mark_answered(interrupt_id: str) -> None:
    """Remembers that a question needs no answer any more, by whomever it was answered."""
    st.session_state["answered"] = {*st.session_state.get("answered", ()), interrupt_id}


def is_answered(interrupt_id: str) -> bool:
    return interrupt_id in st.session_state.get("answered", ())


def plan_draft(interrupt_id: str) -> PlanDraft | None:
    """The plan as it has been edited in this window; the client keeps it beyond the window."""
    return cast(PlanDraft | None, st.session_state.get(f"plan-{interrupt_id}"))


def keep_plan_draft(interrupt_id: str, draft: PlanDraft) -> None:
    st.session_state[f"plan-{interrupt_id}"] = draft
