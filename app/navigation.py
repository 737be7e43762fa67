"""Where the pages are, so that one page can lead to another."""

from pathlib import Path
from typing import NoReturn

import streamlit as st

_FOLDER = Path(__file__).resolve().parent / "app_pages"
RESEARCH = _FOLDER / "research.py"
ASK = _FOLDER / "ask.py"
LIBRARY = _FOLDER / "library.py"
RUNS = _FOLDER / "runs.py"
DOCUMENT = _FOLDER / "document.py"
SETTINGS = _FOLDER / "settings.py"


def to_research(thread_id: str | None) -> NoReturn:
    """Opens a thread on the research page, or the page for a new one."""
    st.switch_page(RESEARCH, query_params={"thread": thread_id} if thread_id else None)


def to_thread(thread_id: str, kind: str) -> NoReturn:
    """Opens a thread on the page for its kind, research or ask."""
    st.switch_page(ASK if kind == "ask" else RESEARCH, query_params={"thread": thread_id})


def to_runs() -> NoReturn:
    """Opens the list of all threads."""
    st.switch_page(RUNS)


def to_replay(thread_id: str) -> NoReturn:
    """Opens the history of a thread."""
    st.switch_page(RUNS, query_params={"replay": thread_id})


def document_query(
    document_id: str, page: int | None, span: tuple[int, int] | None = None
) -> dict[str, str]:
    """The part of the address that names a place in a document."""
    query = {"doc": document_id}
    if page is not None:
        query["page"] = str(page)
    if span is not None:
        query["span"] = f"{span[0]}-{span[1]}"
    return query
