"""The text of a document without pages, a section at a time."""

from bisect import bisect_right

import streamlit as st

from app.sanitise import plain
from app.session import say
from app.surroundings import Surroundings, around
from app.texts import Text
from app.texts import report as words
from app.views import marked_text, outline
from app.views.outline import Span
from services.types import OpenDocument, ParsedDocument


def show(opened: OpenDocument, span: Span | None) -> None:
    """The section that the address names, else the one that holds the span."""
    parsed = opened.parsed
    if not parsed.sections:
        marked_text.show(around(parsed, span or (0, 0), reach=None), "section")
        return
    number = _number(parsed, span)
    with st.container(key="document-bar", horizontal=True, vertical_alignment="bottom"):
        last = len(parsed.sections) - 1
        _arrow("section-back", "chevron_left", words.PREVIOUS_SECTION, number - 1, number == 0)
        with st.container(width="stretch"):
            outline.show(parsed, parsed.sections[number].start)
        _arrow("section-on", "chevron_right", words.NEXT_SECTION, number + 1, number == last)
    path = parsed.sections[number].heading_path
    if len(path) > 1:
        st.caption(plain(" › ".join(path[:-1])))
    marked_text.show(_section(parsed, number, span), "section")


def _number(parsed: ParsedDocument, span: Span | None) -> int:
    named = st.query_params.get("section", "")
    if named.isdecimal() and len(named) < 9:
        return min(int(named), len(parsed.sections) - 1)
    starts = [section.start for section in parsed.sections]
    return max(bisect_right(starts, 0 if span is None else span[0]) - 1, 0)


def _section(parsed: ParsedDocument, number: int, span: Span | None) -> Surroundings:
    section = parsed.sections[number]
    first = 0 if number == 0 else section.start
    start, end = (0, 0) if span is None else (max(span[0], first), min(span[1], section.end))
    if start >= end:
        start = end = section.end
    text = parsed.text
    return Surroundings(text[first:start], text[start:end], text[end : section.end], section)


def _arrow(key: str, icon: str, text: Text, number: int, disabled: bool) -> None:
    st.button(
        "",
        key=key,
        icon=f":material/{icon}:",
        help=say(text),
        disabled=disabled,
        on_click=outline.go,
        kwargs={"section": number},
    )
