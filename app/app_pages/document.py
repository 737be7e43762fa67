"""A document at the page or section in the address, with a span marked."""

import streamlit as st

from app import navigation
from app.components import comparison, document
from app.components.documents import show_relations, show_versions
from app.components.widgets import show_errors
from app.formats import plain
from app.session import _, engine


def show(name: str) -> None:
    """Draw a document, or its comparison with an older version."""
    opened = engine().library.open_document(name)
    st.caption(plain(opened.info.document))
    st.header(plain(opened.parsed.title or opened.info.document), anchor=False)
    show_relations(opened.info.document_id)
    if opened.info.status != "retired":
        show_versions(opened.info)
    document.show_warnings(opened.parsed.warnings)
    if older := st.query_params.get(comparison.AGAINST):
        comparison.show(opened, older)
    else:
        document.show(opened, navigation.parse_span(st.query_params.get("span", "")))


if id_ := st.query_params.get("doc"):
    document.show_way_back()
    with show_errors():
        show(id_)
else:
    st.info(_("The address does not name a document. Choose one in the library."))
    st.page_link(navigation.LIBRARY, icon=":material/arrow_forward:")
