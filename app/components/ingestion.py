"""Adding files: the field that takes them, ordering the ingestion, and a first visit."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from agent.engine.jobs import Ingest
from app.components import works
from app.components.notices import attempt
from app.components.widgets import button
from app.labels import LANGUAGES
from app.locale import N_
from app.session import _, engine, labels, leave_notice, settings
from app.uploads import keep
from services.domain import Chunking, ChunkStrategy, CollectionInfo

STRATEGIES = {
    "paragraph": N_("paragraphs (usual)"),
    "sentence": N_("sentences"),
    "fixed": N_("equal length"),
    "semantic": N_("topics"),
}
NO_DOCUMENTS_HOW = N_(
    "Rabbithole answers from your own documents only. To try it, ingest the German radiation "
    "protection act that ships with it (117 pages, in seconds), or upload files of your own."
)
SAMPLE = "strahlenschutz"
SAMPLE_LAW = Path("strahlenschutz") / "StrlSchG.pdf"
"""One law, as ``rabbithole demo`` takes in."""
FILE_TYPES = ("pdf", "docx", "txt", "md", "html", "htm", "xlsx", "csv", "pptx", "epub", "eml")
SIZES = (200, 4000)
OVERLAP = 5
"""What neighbours share where a text is cut by length: one part in so many."""


def order_sample() -> None:
    """Orders the law that ships with Rabbithole, which comes indexed."""
    attempt(lambda: _order([settings().samples / SAMPLE_LAW], SAMPLE))


def sample_in_library() -> None:
    """What a library without documents says and does first."""
    st.markdown(_(NO_DOCUMENTS_HOW))
    button(_("Ingest the sample law"), "ingest-sample", on_click=order_sample)


def drop_zone(collections: Sequence[CollectionInfo]) -> None:
    """A field for files that are taken in at once, into one's own first collection."""
    me = engine().principal.user
    mine = (info.name for info in collections if info.owner == me and info.name != SAMPLE)
    into = next(mine, None) or _("Documents")
    key = f"drop-{st.session_state.setdefault('dropped', 0)}"

    def take() -> None:
        files = sorted(st.session_state[key] or (), key=lambda file: len(file.getvalue()))
        if files and attempt(lambda: _order(_kept(files), into)):
            st.session_state["dropped"] += 1

    st.file_uploader(
        _("Drop files here: PDF, Office, web pages, e-mails, text"),
        type=FILE_TYPES,
        accept_multiple_files=True,
        key=key,
        on_change=take,
    )
    st.caption(_("Files stay on this machine. Up to {most} MB per file.", most=_most()))


def _most() -> int:
    """Megabytes that a file may have; Streamlit's own words for it, in English only, are hidden."""
    return int(st.get_option("server.maxUploadSize"))


def upload(collection_id: str | None) -> None:
    """Takes files for a collection; None asks for the name of a new one.

    The form is emptied by what it ordered alone: files that are still on their way here when it is
    sent, or that lack a name for their collection, stay in it.
    """
    ordered = st.session_state.setdefault("ordered", 0)
    with st.form(f"upload-{ordered}"):
        files = st.file_uploader(
            _("PDF, Office, web pages, e-mails, text; up to {most} MB per file", most=_most()),
            type=FILE_TYPES,
            accept_multiple_files=True,
            key=f"files-{ordered}",
        )
        name = collection_id
        if collection_id is None:
            name = st.text_input(
                _("Name of the new collection"), key=f"into-{ordered}", max_chars=100
            ).strip()
        with st.expander(_("Chunking"), icon=":material/tune:"):
            language, chunking = _cutting()
        submitted = st.form_submit_button(
            _("Ingest"), type="primary", icon=":material/upload:", key="ingest"
        )
    if not submitted:
        return
    if files and name:
        if attempt(lambda: _order(_kept(files), name, language=language, chunking=chunking)):
            st.session_state["ordered"] += 1
    else:
        leave_notice(_("Give the collection a name.") if files else _("Choose at least one file."))
    st.rerun()


def _cutting() -> tuple[str, Chunking]:
    """Language of the texts, and how they are cut."""
    left, middle, right = st.columns(3)
    language = left.selectbox(
        _("Language of the texts"),
        list(LANGUAGES),
        format_func=labels(LANGUAGES),
        key="text-language",
    )
    strategy = middle.selectbox(
        _("Cut by"), get_args(ChunkStrategy), format_func=labels(STRATEGIES), key="strategy"
    )
    usual, text = Chunking(), _("Length of a passage in characters")
    size = int(right.number_input(text, *SIZES, usual.size, step=100, key="chunk-size"))
    overlap = min(usual.overlap, size // OVERLAP)
    return language, Chunking(strategy=strategy, size=size, overlap=overlap)


def _kept(files: Sequence[UploadedFile]) -> list[Path]:
    received = [(each.name, each) for each in files]
    return keep(settings().home, received, engine().awaited_files())


def _order(paths: Sequence[Path], collection: str, **how: Any) -> None:
    works.order(Ingest(paths=tuple(map(str, paths)), collection=collection, **how))
