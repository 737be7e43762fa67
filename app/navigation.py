"""Where the pages are, so that one page can lead to another."""

from pathlib import Path
from typing import NoReturn

import streamlit as st

_FOLDER = Path(__file__).resolve().parent / "app_pages"
RESEARCH = _FOLDER / "research.py"
LIBRARY = _FOLDER / "library.py"
RUNS = _FOLDER / "runs.py"
SETTINGS = _FOLDER / "settings.py"


def to_research(thread_id: str | None) -> NoReturn:
    """Opens a thread on the research page, or the page for a new one."""
    st.switch_page(RESEARCH, query_params={"thread": thread_id} if thread_id else None)
