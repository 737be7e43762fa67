"""A document: the page that the address names, or the section, with a span marked."""

import re

import streamlit as st

from app import navigation
from app.components import document
from app.components.notices import show_errors
from app.formats import plain
from app.session import _, engine
from services.domain import DocumentInfo, OpenDocument

_SPAN = re.compile(r"(\d{1,12})-(\d{1,12})")


def page() -> None:
    """Shows the page."""
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
    """The characters that the address names, ``A-B``."""
    found = _SPAN.fullmatch(st.query_params.get("span", ""))
    if found is None:
        return None
    start, end = int(found[1]), int(found[2])
    return (start, end) if start < end else None


def _heading(opened: OpenDocument) -> None:
    st.caption(plain(opened.info.document))
    st.header(plain(opened.parsed.title or opened.info.document), anchor=False)
    if opened.info.status == "retired":
        st.caption(_("An older version: the collection now holds a newer one."))
        if newer := _newer(opened.info):
            document.compare_link(opened.info.document_id, newer)


def _newer(older: DocumentInfo) -> str | None:
    """The version in use in a collection that holds the older one; names repeat elsewhere."""
    library = engine().library
    for each in library.collections():
        found = library.versions(each.collection_id, older.document)
        ids = [each.document_id for each in found]
        if older.document_id in ids and found[0].status != "retired":
            return ids[0]
    return None


page()
