"""Library: collections, their documents, adding files, and a search box."""

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from app import session, texts
from app.formats import moment
from app.sanitise import plain
from app.session import client, language, say
from app.uploads import Upload, UploadFolder
from app.views import ingestion, search
from app.views.notices import attempt, reported
from services.types import CollectionInfo, DocumentInfo

FILE_TYPES = ["pdf", "docx", "txt", "md"]


def page() -> None:
    """Shows the page."""
    st.title(say(texts.LIBRARY), anchor=False)
    with reported():
        collections = client().collections()
        left, right = st.columns([1, 3], gap="large")
        with left:
            chosen = _choose(collections)
        with right:
            _add_files(chosen)
            if chosen is None:
                return
            _documents(client().documents(chosen.name))
            search.show(chosen.name)


def _choose(collections: Sequence[CollectionInfo]) -> CollectionInfo | None:
    if not collections:
        st.caption(say(texts.NO_DOCUMENTS))
        return None
    by_name = {info.name: info for info in collections}
    name = st.radio(
        say(texts.COLLECTIONS),
        list(by_name),
        format_func=lambda name: plain(name),
        captions=[
            f"{say(texts.DOCUMENTS)}: {info.documents} · {say(texts.CHUNKS)}: {info.chunks} · "
            f"{say(texts.VISIBLE_TO[info.visibility])}"
            for info in collections
        ],
        key="collection",
    )
    return by_name[name] if name is not None else None


def _add_files(chosen: CollectionInfo | None) -> None:
    with st.expander(say(texts.UPLOAD), expanded=chosen is None, icon=":material/upload:"):
        if chosen is None:
            st.markdown(say(texts.NO_DOCUMENTS_HOW))
            if st.button(say(texts.INGEST_SAMPLE), key="ingest-sample"):
                ingestion.ingest_sample()
        with st.form("upload", border=False, clear_on_submit=True):
            files = st.file_uploader(
                say(texts.UPLOAD_HINT), type=FILE_TYPES, accept_multiple_files=True, key="files"
            )
            name = st.text_input(
                say(texts.INTO_COLLECTION), value=chosen.name if chosen else "", key="into"
            )
            submitted = st.form_submit_button(say(texts.INGEST), type="primary", key="ingest")
        if submitted and files and name.strip():
            _ingest(files, name.strip())
            st.rerun()
        elif submitted:
            st.caption(say(texts.NOTHING_TO_INGEST))


def _ingest(files: Sequence[Upload], collection: str) -> None:
    folder = UploadFolder(session.settings().home)
    paths: list[Path] = []
    if attempt(lambda: paths.extend(folder.keep(files))):
        ingestion.ingest(paths, collection)
    folder.discard()


def _documents(documents: Sequence[DocumentInfo]) -> None:
    rows = [
        {
            say(texts.DOCUMENT): info.document,
            say(texts.TITLE): info.title,
            say(texts.PAGES): info.pages,
            say(texts.SECTIONS): info.sections,
            say(texts.CHUNKS): info.chunks,
            say(texts.STATE): _indexed(info.status),
            say(texts.INGESTED_AT): moment(info.ingested_at, language(), st.context.timezone),
        }
        for info in documents
    ]
    columns = {say(texts.TITLE): st.column_config.TextColumn(width="medium")}
    st.dataframe(rows, hide_index=True, column_config=columns, placeholder="–")


def _indexed(status: str) -> str:
    known = texts.INDEXED.get(status)
    return say(known) if known else status


page()
