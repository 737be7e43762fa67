"""The little that the theme cannot say: measure, reading type, tabular figures, quotes."""

import streamlit as st

from app.views.reading_style import READING

_CSS = """
.stMainBlockContainer { max-width: 74rem; padding-top: 4.25rem; }
[data-testid="stBottomBlockContainer"] { max-width: 74rem; padding-bottom: 1.5rem; }
.stApp { font-variant-numeric: tabular-nums; }
.stMainBlockContainer [data-testid="stText"] { white-space: pre-wrap; overflow-wrap: anywhere; }
[class*="st-key-answer"] [data-testid="stText"], [class*="st-key-answer"] [data-testid="stText"] * {
  font-family: "Source Serif", Georgia, serif; font-size: 1.06rem; line-height: 1.6;
}
[class*="st-key-closest-"] [data-testid="stText"] span { font-weight: 600; }
[class*="st-key-row-"] textarea {
  field-sizing: content; height: auto !important; min-height: 2.5rem !important;
}
:is([class*="st-key-show-"], [class*="st-key-example-"]) button {
  justify-content: flex-start; text-align: left;
}
[data-testid="stPopover"] button[aria-expanded="true"] { color: inherit !important; }
[class*="st-key-quote-"] {
  border-left: 3px solid color-mix(in srgb, currentColor 22%, transparent); padding-left: .9rem;
}
.st-key-progress, .st-key-progress * { transition: none !important; }
@media (max-width: 640px) {
  .st-key-working > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"]
    > [data-testid="stColumn"]:last-child { order: -1; }
  [class*="st-key-active-"] > :first-child { flex-basis: 100%; }
}
.st-key-status-bar {
  flex-wrap: nowrap;
  border-bottom: 1px solid color-mix(in srgb, currentColor 18%, transparent);
  padding-bottom: .4rem;
}
"""


def apply() -> None:
    """Adds the style sheet to the page."""
    st.html(f"<style>{_CSS}{READING}</style>")
