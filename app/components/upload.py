"""The upload of files: the form of a collection, the field that takes any drop, the samples."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from agent.engine.changes import Ingest
from app.components import library_jobs
from app.components.widgets import attempt, segments, select
from app.labels import LANGUAGES
from app.locale import N_
from app.samples import CONTRACTS, SAMPLES, Sample, contains_only, own_collection
from app.session import _, engine, set_notice, settings
from app.uploads import store
from services.domain import Chunking, ChunkStrategy, CollectionInfo
from services.domain.formats import SUFFIXES

STRATEGIES: Final[dict[ChunkStrategy, str]] = {
    "paragraph": N_("paragraphs (default)"),
    "sentence": N_("sentences"),
    "fixed": N_("equal length"),
    "semantic": N_("topics"),
}
SOURCES: Final = {"files": N_("Files"), "folder": N_("A whole folder")}
"""A field in a browser offers only one of them."""
SIZES = (200, 4000)
OVERLAP = 5
"""Chunks cut by length share one part in so many with their neighbours."""


def ingest_sample(sample: Sample) -> None:
    """Queue the ingestion of a sample, which ships with its index."""
    name, _complete = own_collection(sample, engine(), settings().samples)
    attempt(lambda: _ingest(sample_paths(sample), name))


def sample_paths(sample: Sample) -> list[Path]:
    return [settings().samples / document for document in sample.documents]


def _is_sample(info: CollectionInfo) -> bool:
    samples = (CONTRACTS, *SAMPLES.values())
    return any(contains_only(info, sample, engine(), settings().samples) for sample in samples)


def drop_zone(collections: Sequence[CollectionInfo]) -> None:
    """Draw a field whose files are ingested at once, into the person's first collection."""
    me = engine().principal.user
    mine = (info.name for info in collections if info.owner == me and not _is_sample(info))
    collection = next(mine, None) or _("Documents")
    number = st.session_state.setdefault("dropped", 0)
    source = segments(_("What to add"), SOURCES, "drop-source", default="files")

    def ingest() -> None:
        if st.session_state["dropped"] != number:
            return  # a slow browser sends the files again before their field is gone
        dropped = st.session_state[f"{source}-drop-{number}"] or ()
        files = sorted(dropped, key=lambda file: len(file.getvalue()))
        if files and attempt(lambda: _ingest(_store(files), collection)):
            st.session_state["dropped"] += 1

    label = _("Drop files here: PDF, Office, web pages, e-mails, text")
    _field(label, source, f"drop-{number}", on_change=ingest)
    st.caption(_("Files stay on this machine. Up to {most} MB per file.", most=max_megabytes()))


def _field(label: str, source: str, key: str, **options: Any) -> list[UploadedFile]:
    options["key"] = f"{source}-{key}"
    if source == "folder":
        return st.file_uploader(label, sorted(SUFFIXES), "directory", **options)
    return st.file_uploader(label, accept_multiple_files=True, **options)


def max_megabytes() -> int:
    """Return the upload limit; Streamlit's own text for it is English only, and hidden."""
    return int(st.get_option("server.maxUploadSize"))


def show(collection_id: str | None) -> None:
    """Draw the upload form; None means a new collection. Only a queued ingestion empties it."""
    ordered = st.session_state.setdefault("ordered", 0)
    source = segments(_("What to add"), SOURCES, "upload-source", default="files")
    with st.form(f"upload-{ordered}"):
        label = _(
            "PDF, Office, web pages, e-mails, text; up to {most} MB per file", most=max_megabytes()
        )
        files = _field(label, source, str(ordered))
        name = collection_id
        if collection_id is None:
            name = st.text_input(
                _("Name of the new collection"), key=f"into-{ordered}", max_chars=100
            ).strip()
        with st.expander(_("Chunking"), icon=":material/tune:"):
            language, chunking = _chunking_fields()
        submitted = st.form_submit_button(
            _("Add documents"), type="primary", icon=":material/upload:", key="ingest"
        )
    if not submitted:
        return
    if files and name:
        if attempt(lambda: _ingest(_store(files), name, language=language, chunking=chunking)):
            st.session_state["ordered"] += 1
    else:
        set_notice(_("Give the collection a name.") if files else _("Choose at least one file."))
    st.rerun()


def _chunking_fields() -> tuple[str, Chunking]:
    left, middle, right = st.columns(3)
    language = select(left, _("Language of the texts"), LANGUAGES, "text-language")
    strategy = select(middle, _("Split by"), STRATEGIES, "strategy")
    default, text = Chunking(), _("Length of a passage in characters")
    size = int(right.number_input(text, *SIZES, default.size, step=100, key="chunk-size"))
    overlap = min(default.overlap, size // OVERLAP)
    return language, Chunking(strategy=strategy, size=size, overlap=overlap)


def _store(files: Sequence[UploadedFile]) -> list[Path]:
    received = [(file.name, file) for file in files]
    return store(settings().home, received, engine().awaited_files())


def _ingest(paths: Sequence[Path], collection: str, **how: Any) -> None:
    library_jobs.submit(Ingest(paths=tuple(map(str, paths)), collection=collection, **how))
