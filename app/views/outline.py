"""The sections of a document to jump to, and the address of a place in it."""

from bisect import bisect_right
from collections.abc import Callable

import streamlit as st

from app.sanitise import one_line
from app.session import say
from app.texts import report as words
from services.types import ParsedDocument

Span = tuple[int, int]
INDENT = "\u2003"
LONGEST = 90


def show(
    parsed: ParsedDocument, offset: int, *, to_page: Callable[[int], int] | None = None
) -> None:
    """A list of all sections, opened at the one that holds ``offset``.

    Args:
        to_page: the page of an offset, for documents with pages; else sections are shown alone.
    """
    if not parsed.sections:
        return
    starts = [section.start for section in parsed.sections]
    st.session_state["outline"] = max(bisect_right(starts, offset) - 1, 0)

    def chosen() -> None:
        number = st.session_state["outline"]
        go(page=to_page(starts[number])) if to_page else go(section=number)

    st.selectbox(
        say(words.GO_TO_SECTION),
        range(len(parsed.sections)),
        format_func=lambda number: _name(parsed, number),
        key="outline",
        on_change=chosen,
    )


def _name(parsed: ParsedDocument, number: int) -> str:
    section = parsed.sections[number]
    title = one_line(section.title)
    label = section.label if section.label and not title.startswith(section.label) else ""
    return INDENT * section.level + f"{label} {title}".strip()[:LONGEST]


def go(*, page: int | None = None, section: int | None = None) -> None:
    """Puts another place of the same document into the address; the mark stays with its span."""
    for name, value in (("page", page), ("section", section)):
        if value is None:
            st.query_params.pop(name, None)
        else:
            st.query_params[name] = str(value)
