"""Adding files: the field that takes them, and ordering the ingestion."""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

import streamlit as st

from agent.commands import IngestFiles
from app import texts as common
from app.session import labels, leave_notice, say, settings
from app.texts import documents
from app.texts import works as texts
from app.uploads import Upload, UploadFolder
from app.views import works
from app.views.notices import attempt
from services.types import Chunking, ChunkStrategy

SAMPLE = "strahlenschutz"
SAMPLE_LAW = Path("strahlenschutz") / "StrlSchG.pdf"
"""One law, as ``rabbithole demo`` takes in: all five take minutes on a small machine."""
FILE_TYPES = ["pdf", "docx", "txt", "md"]
SIZES = (200, 4000)
OVERLAP = 5
"""What neighbours share where a text is cut by length: one part in so many."""


def ingest_sample() -> None:
    """Orders the law that ships with Rabbithole and redraws the page."""
    attempt(lambda: _order([settings().samples / SAMPLE_LAW], SAMPLE))
    st.rerun()


def offer_sample() -> None:
    """What a library without documents says and does first."""
    st.markdown(say(common.NO_DOCUMENTS_HOW))
    if st.button(say(common.INGEST_SAMPLE), key="ingest-sample"):
        ingest_sample()


def upload(collection_id: str | None) -> None:
    """Takes files for a collection; None asks for the name of a new one."""
    with st.form("upload", clear_on_submit=True):
        files = st.file_uploader(
            say(texts.UPLOAD_HINT), type=FILE_TYPES, accept_multiple_files=True, key="files"
        )
        name = collection_id
        if collection_id is None:
            name = st.text_input(say(texts.INTO_COLLECTION), key="into", max_chars=100).strip()
        with st.expander(say(texts.HOW_TO_CUT), icon=":material/tune:"):
            language, chunking = _options()
        submitted = st.form_submit_button(
            say(texts.INGEST), type="primary", icon=":material/upload:", key="ingest"
        )
    if not submitted:
        return
    if files and name:
        attempt(lambda: _take(files, name, language, chunking))
    else:
        leave_notice(say(texts.NO_NAME if files else texts.NOTHING_TO_INGEST))
    st.rerun()


def _options() -> tuple[str, Chunking]:
    languages, strategies = documents.LANGUAGES, get_args(ChunkStrategy)
    left, middle, right = st.columns(3)
    language = left.selectbox(
        say(texts.LANGUAGE_OF),
        list(languages),
        format_func=labels(languages),
        key="text-language",
    )
    strategy = middle.selectbox(
        say(texts.STRATEGY),
        strategies,
        format_func=labels(texts.STRATEGIES),
        key="strategy",
    )
    usual = Chunking().size
    size = int(right.number_input(say(texts.CHUNK_SIZE), *SIZES, usual, step=100, key="chunk-size"))
    overlap = min(Chunking().overlap, size // OVERLAP)
    return language, Chunking(strategy=strategy, size=size, overlap=overlap)


def _take(files: Sequence[Upload], collection: str, language: str, chunking: Chunking) -> None:
    _order(UploadFolder(settings().home).keep(files), collection, language, chunking)


def _order(
    paths: Sequence[Path], collection: str, language: str = "auto", chunking: Chunking | None = None
) -> None:
    works.order(
        IngestFiles(
            paths=tuple(str(path) for path in paths),
            collection=collection,
            language=language,
            chunking=chunking or Chunking(),
        )
    )
