"""The little that the theme cannot say: measure, reading type, tabular figures, quotes."""

import streamlit as st

_CSS = """
.stMainBlockContainer { max-width: 74rem; padding-top: 4.25rem; }
.stApp { font-variant-numeric: tabular-nums; }
.stMainBlockContainer [data-testid="stText"] { white-space: pre-wrap; overflow-wrap: anywhere; }
.st-key-answer [data-testid="stText"], .st-key-answer [data-testid="stText"] * {
  font-family: "Source Serif", Georgia, serif; font-size: 1.06rem; line-height: 1.6;
}
[class*="st-key-row-"] textarea { min-height: 3.4rem; }
[class*="st-key-quote-"] {
  border-left: 3px solid var(--st-border-color, #d9d5cb); padding-left: .9rem;
}
.st-key-status-bar {
  border-bottom: 1px solid var(--st-border-color, #d9d5cb); padding-bottom: .4rem;
}
"""


def apply() -> None:
    """Adds the style sheet to the page."""
    st.html(f"<style>{_CSS}</style>")
