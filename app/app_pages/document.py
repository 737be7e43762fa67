"""A document at the page or section in the address, with a span marked."""

import streamlit as st

from app import navigation
from app.components import comparison, document
from app.components.documents import show_relations, show_versions
from app.components.widgets import show_errors
from app.formats import plain
from app.session import _, engine
from services.domain import OpenDocument


def page() -> None:
    """Draw the page."""
    name = st.query_params.get("doc", "")
    if not name:
        st.info(_("The address does not name a document. Choose one in the library."))
        st.page_link(navigation.LIBRARY, icon=":material/arrow_forward:")
        return
    document.show_way_back()
    with show_errors():
        opened = engine().library.open_document(name)
        _heading(opened)
        if older := st.query_params.get(comparison.AGAINST):
            comparison.show(opened, older)
        else:
            document.show(opened, navigation.parse_span(st.query_params.get("span", "")))


def _heading(opened: OpenDocument) -> None:
    st.caption(plain(opened.info.document))
    st.header(plain(opened.parsed.title or opened.info.document), anchor=False)
    show_relations(opened.info.document_id)
    if opened.info.status != "retired":
        show_versions(opened.info)
    document.show_warnings(opened.parsed.warnings)


page()
