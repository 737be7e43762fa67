"""The pages of a document, one at a time, with a way to any other and to any section."""

from bisect import bisect_right

import streamlit as st

from app.sanitise import plain
from app.session import client, say, tell
from app.surroundings import Surroundings
from app.texts import Text
from app.texts import report as words
from app.views import marked_text, outline
from app.views.outline import Span
from services.errors import RabbitholeError
from services.types import OpenDocument, ParsedDocument


def show(opened: OpenDocument, span: Span | None) -> None:
    """The page that the address names, else the one on which the span begins."""
    parsed = opened.parsed
    number = _number(parsed, span)
    with st.container(key="document-bar", horizontal=True, vertical_alignment="bottom"):
        _turn(number, len(parsed.pages))
        with st.container(width="stretch"):
            here = parsed.pages[number - 1]
            if span is not None and _holding(parsed, span[0]) == number:
                here = span[0]
            outline.show(parsed, here, to_page=lambda at: _holding(parsed, at))
    _image(opened, number, span)


def _number(parsed: ParsedDocument, span: Span | None) -> int:
    named = st.query_params.get("page", "")
    if named.isdecimal() and len(named) < 9:
        return min(max(int(named), 1), len(parsed.pages))
    return 1 if span is None else _holding(parsed, span[0])


def _holding(parsed: ParsedDocument, offset: int) -> int:
    return max(bisect_right(parsed.pages, offset), 1)


def _turn(number: int, count: int) -> None:
    """Previous and next page, and any page by its number."""
    _arrow("page-back", ":material/chevron_left:", words.PREVIOUS_PAGE, number - 1, number == 1)
    st.session_state["page-number"] = number
    st.number_input(
        f"{say(words.GO_TO_PAGE)} {say(words.OF_PAGES, pages=count)}",
        min_value=1,
        max_value=count,
        key="page-number",
        on_change=_chosen,
        width=150,
    )
    _arrow("page-on", ":material/chevron_right:", words.NEXT_PAGE, number + 1, number == count)


def _arrow(key: str, icon: str, text: Text, number: int, disabled: bool) -> None:
    st.button(
        "",
        key=key,
        icon=icon,
        help=say(text),
        disabled=disabled,
        on_click=outline.go,
        kwargs={"page": number},
    )


def _chosen() -> None:
    outline.go(page=st.session_state["page-number"])


def _image(opened: OpenDocument, number: int, span: Span | None) -> None:
    parsed = opened.parsed
    try:
        drawn = client().page_image(opened.info.document_id, number, span=span)
    except RabbitholeError as problem:
        st.caption(say(words.NO_PAGE, why=plain(tell(str(problem)))))
        marked_text.show(_page_text(parsed, number, span), "page")
        return
    alt = say(words.PAGE_OF, page=number, document=opened.info.document)
    with st.container(key="sheet-whole"):
        st.image(drawn.png, width="stretch", output_format="PNG", alt=alt)


def _page_text(parsed: ParsedDocument, number: int, span: Span | None) -> Surroundings:
    text = parsed.text
    first = parsed.pages[number - 1]
    last = parsed.pages[number] if number < len(parsed.pages) else len(text)
    start, end = (last, last) if span is None else (max(span[0], first), min(span[1], last))
    if start >= end:
        start = end = last
    return Surroundings(text[first:start], text[start:end], text[end:last], None)
