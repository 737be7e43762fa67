"""The documents of a collection: a table with filter and pages, and the one that is chosen."""

from collections.abc import Sequence

import streamlit as st

from app.formats import moment
from app.session import client, language, say
from app.texts import documents as texts
from app.texts import library
from app.views import document_details, ingestion
from app.views.collections import DOCUMENT
from app.views.document_details import closings
from services.types import DocumentInfo, Shelf

PAGE = 50
"""Documents in the table at a time."""


def show(shelf: Shelf) -> None:
    """The field for files, if the person may fill the collection, and the table."""
    if shelf.changeable:
        ingestion.upload(shelf.collection_id)
    documents = client().documents(shelf.collection_id)
    if not documents:
        text = texts.NO_DOCUMENTS_HERE if shelf.changeable else texts.NO_DOCUMENTS_TO_READ
        st.caption(say(text))
        return
    _table(documents, shelf.collection_id)
    chosen = st.query_params.get(DOCUMENT)
    if chosen is None:
        st.caption(say(texts.CHOOSE_ROW))
        return
    info = next((each for each in documents if each.document_id == chosen), None)
    if info is None:
        st.caption(say(texts.UNKNOWN_DOCUMENT))
        return
    document_details.show(shelf, info)


def _table(documents: Sequence[DocumentInfo], collection_id: str) -> None:
    wanted = st.text_input(
        say(texts.FILTER),
        key=f"filter-{collection_id}",
        placeholder=say(texts.FILTER),
        icon=":material/filter_list:",
        label_visibility="collapsed",
    )
    matching = having(documents, wanted)
    if not matching:
        st.caption(say(texts.NO_MATCH))
        return
    shown = _page_of(matching, f"{collection_id}-{wanted}")
    # Another page or a closed document begins with no row selected.
    key = f"documents-{closings()}-{collection_id}-{shown[0].document_id}-{len(shown)}"
    st.dataframe(
        [_row(info) for info in shown],
        hide_index=True,
        column_config={say(texts.TITLE): st.column_config.TextColumn(width="medium")},
        placeholder="–",
        on_select=lambda: _take_up(shown, key),
        selection_mode="single-row",
        key=key,
        alt=say(library.DOCUMENTS_VIEW),
    )


def _page_of(matching: Sequence[DocumentInfo], key: str) -> Sequence[DocumentInfo]:
    """The part of the documents that is shown, with a way to the others."""
    pages = -(-len(matching) // PAGE)
    if pages == 1:
        return matching
    with st.container(horizontal=True, vertical_alignment="center"):
        page = st.pagination(pages, key=f"page-{key}")
        first = (page - 1) * PAGE
        shown = matching[first : first + PAGE]
        counts = {"first": first + 1, "last": first + len(shown), "total": len(matching)}
        st.caption(say(texts.SHOWN, **counts))
    return shown


def _row(info: DocumentInfo) -> dict[str, object]:
    return {
        say(texts.DOCUMENT): info.document,
        say(texts.TITLE): info.title,
        say(texts.PAGES): info.pages,
        say(texts.SECTIONS): info.sections,
        say(texts.CHUNKS): info.chunks,
        say(texts.STATE): document_details.state(info),
        say(texts.DATE): info.date,
        say(texts.TAGS): ", ".join(info.tags) or None,
        say(texts.INGESTED_AT): moment(info.ingested_at, language(), st.context.timezone),
    }


def _take_up(shown: Sequence[DocumentInfo], key: str) -> None:
    """Puts the selected document into the URL."""
    rows = st.session_state[key]["selection"]["rows"]
    if rows and rows[0] < len(shown):
        st.query_params[DOCUMENT] = shown[rows[0]].document_id
    else:
        st.query_params.pop(DOCUMENT, None)


def having(documents: Sequence[DocumentInfo], words: str) -> Sequence[DocumentInfo]:
    """The documents in whose names and metadata every word stands, in any case and place."""
    wanted = words.casefold().split()
    if not wanted:
        return documents
    return [info for info in documents if _has_all(_words_of(info), wanted)]


def _has_all(text: str, wanted: Sequence[str]) -> bool:
    return all(word in text for word in wanted)


def _words_of(info: DocumentInfo) -> str:
    date = info.date.isoformat() if info.date else ""
    named = (info.document, info.title, info.category or "", info.author or "", date)
    return "\n".join((*named, *info.tags)).casefold()
