"""A document at the page or section in the address, with a span marked."""

import re

import streamlit as st

from app import navigation
from app.components import document
from app.components.documents import show_relations
from app.components.notices import show_errors
from app.formats import plain
from app.session import _, engine
from services.domain import OpenDocument

_SPAN = re.compile(r"(\d{1,12})-(\d{1,12})")


def page() -> None:
    """Draw the page."""
    name = st.query_params.get("doc", "")
    if not name:
        st.info(_("The address does not name a document. Choose one in the library."))
        st.page_link(navigation.LIBRARY, icon=":material/arrow_forward:")
        return
    with show_errors():
        opened = engine().library.open_document(name)
        _heading(opened)
        if older := st.query_params.get(document.AGAINST):
            document.compare(opened, older)
        else:
            document.show(opened, span())


def span() -> tuple[int, int] | None:
    """Return the span ``A-B`` in the address, None if there is none."""
    match = _SPAN.fullmatch(st.query_params.get("span", ""))
    if match is None:
        return None
    start, end = int(match[1]), int(match[2])
    return (start, end) if start < end else None


def _heading(opened: OpenDocument) -> None:
    st.caption(plain(opened.info.document))
    st.header(plain(opened.parsed.title or opened.info.document), anchor=False)
    if opened.info.status == "retired":
        st.caption(_("This is an older version; the collection has a newer one."))
    show_relations(opened.info.document_id)
    document.show_warnings(opened.parsed.warnings)


page()
