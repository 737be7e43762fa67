"""What every page brings along besides its widgets: the style sheet and the script."""

from pathlib import Path

import streamlit as st

SHEET = Path(__file__).parent.parent / "app.css"
SCRIPT = SHEET.with_name("app.js")


def apply() -> None:
    """Adds the style sheet to the page."""
    st.html(SHEET)


def watch_the_browser() -> None:
    """Adds the script that the page has besides Streamlit's own."""
    st.html(f"<script>{SCRIPT.read_text(encoding='utf-8')}</script>", unsafe_allow_javascript=True)
