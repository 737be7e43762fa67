"""What every page brings along besides its widgets: the style sheet and the script."""

from pathlib import Path

import streamlit as st

from app.session import language

SHEET = Path(__file__).parent.parent / "app.css"
SCRIPT = SHEET.with_name("app.js")


def apply() -> None:
    """Adds the style sheet to the page."""
    st.html(SHEET)


def watch_the_browser() -> None:
    """Adds the script that the page has besides Streamlit's own."""
    script = f"document.documentElement.lang = '{language()}';\n{SCRIPT.read_text('utf-8')}"
    st.html(f"<script>{script}</script>", unsafe_allow_javascript=True)
