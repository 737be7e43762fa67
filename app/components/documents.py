"""The documents of a collection: the upload form, a filtered table, and the chosen document."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, get_args

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from agent.engine.changes import Ingest, RemoveDocument, RestoreDocument
from app.components import comparison, document, library_jobs, summaries
from app.components.notices import attempt, attempt_and_rerun
from app.components.widgets import button, confirm_button, date_field, quiet_button, row, table
from app.formats import plain
from app.labels import LANGUAGES
from app.locale import N_
from app.navigation import document_url, named_url
from app.samples import CONTRACTS, SAMPLES, Sample
from app.session import (
    _,
    engine,
    format_dates,
    format_number,
    format_time,
    notice_text,
    option_labels,
    pgettext,
    set_address,
    set_notice,
    settings,
)
from app.uploads import store
from services.domain import (
    Chunking,
    ChunkStrategy,
    CollectionInfo,
    DocumentInfo,
    MetadataChanges,
    Shelf,
)

INDEXED = {
    "indexed": N_("ready"),
    "pending": N_("incomplete"),
    "retired": N_("older version"),
}
FIELD_LENGTH = 200
"""Most characters of an entry."""
SHORT_ID = 12


def show(shelf: Shelf) -> None:
    """Draw the documents; below, for those who may change the collection, upload and bin."""
    documents = engine().library.documents(shelf.collection_id)
    if documents:
        _show_documents(shelf, documents)
    else:
        st.caption(_("No documents in this collection yet."))
    if shelf.changeable:
        with st.expander(
            _("Add files"), icon=":material/upload:", expanded=not documents, key="add-files"
        ):
            upload(shelf.collection_id)
        _show_bin(shelf)


def _show_documents(shelf: Shelf, documents: Sequence[DocumentInfo]) -> None:
    """Draw the table of documents, and the one that is chosen."""
    _table(documents, shelf.collection_id)
    chosen = st.query_params.get("doc")
    if chosen is None:
        st.caption(
            _(
                "Click a name to open the document. Select a row at its left edge to edit or "
                "remove it."
            )
        )
        return
    info = next((info for info in documents if info.document_id == chosen), None)
    if info is None:
        st.caption(_("This document is no longer in the collection."))
        return
    _details(shelf, info)


def _show_bin(shelf: Shelf) -> None:
    """Draw the removed documents that can be restored."""
    collection = shelf.collection_id
    if not (removed := engine().library.bin(collection)):
        return
    with st.expander(f"{_('Bin')} ({len(removed)})", icon=":material/delete:"):
        st.caption(_("What was removed can be restored for 30 days."))
        for info in removed:
            job = RestoreDocument(collection=collection, document=info.document_id)
            with row():
                when = format_time(info.removed_at)
                st.caption(f"{plain(info.document)} · {when}", width="stretch")
                key = f"unbin-{info.document_id[:SHORT_ID]}"
                submit = partial(library_jobs.submit, job)
                quiet_button(_("Restore"), key, "undo", on_click=attempt, args=(submit,))


def _table(documents: Sequence[DocumentInfo], collection_id: str) -> None:
    words = st.text_input(
        _("Filter by file, title, tag …"),
        key=f"filter-{collection_id}",
        placeholder=_("Filter by file, title, tag …"),
        icon=":material/filter_list:",
        label_visibility="collapsed",
    )
    matching = _matching(documents, words)
    if not matching:
        st.caption(_("No document matches the filter. Clear it to see all."))
        return
    # A new key, after another filter or a closed document, deselects the row.
    key = f"documents-{st.session_state.get('closings', 0)}-{collection_id}-{words}"

    def select() -> None:
        """Put the selected document into the address."""
        rows = st.session_state[key]["selection"]["rows"]
        chosen = rows and rows[0] < len(matching)
        set_address(doc=matching[rows[0]].document_id if chosen else None)

    rows = [_row(info) for info in matching]
    filled = {name for row in rows for name, value in row.items() if value is not None}
    table(
        [{name: value for name, value in row.items() if name in filled} for row in rows],
        names=_("File"),
        days=[_("Date")],
        on_select=select,
        selection_mode="single-row",
        key=key,
        alt=_("Documents"),
    )


def _row(info: DocumentInfo) -> dict[str, object]:
    """Return the cells of a document; a column that no document fills is not drawn."""
    return {
        _("File"): named_url(info.document_id, info.document),
        _("Title"): info.title,
        _("Pages"): info.pages,
        _("State"): None if info.status == "indexed" else _state(info),
        _("Date"): info.date,
        _("Tags"): ", ".join(info.tags) or None,
    }


def _matching(documents: Sequence[DocumentInfo], words: str) -> Sequence[DocumentInfo]:
    """Return the documents whose name and metadata contain every word, whatever its case."""

    def texts(info: DocumentInfo) -> str:
        named = (info.document, info.title, info.category, info.author, _date_text(info.date))
        return "\n".join(filter(None, (*named, *info.tags))).casefold()

    terms = words.casefold().split()
    return [info for info in documents if all(term in texts(info) for term in terms)]


def _details(shelf: Shelf, info: DocumentInfo) -> None:
    """Draw a document; readers of the collection are offered nothing that changes it."""
    with st.container(border=True, key="document"):
        with row():
            st.markdown(f"**{plain(info.document)}**", width="stretch")
            quiet_button(_("Close"), "close", "close", on_click=_close)
        st.markdown(plain(info.title))
        st.caption(_facts(info))
        filed = [f"{name}: {plain(value)}" for name, value in _metadata(info).items() if value]
        if filed:
            st.caption(" · ".join(filed))
        document.show_warnings(engine().library.open_document(info.document_id).parsed.warnings)
        summaries.show(info.document_id, shelf.collection_id, "chosen")
        with st.container(horizontal=True):
            address = document_url(info.document_id)
            st.link_button(_("Open the document"), address, icon=":material/description:")
            if shelf.changeable:
                _remove(shelf, info)
        if shelf.changeable:
            _edit(shelf, info)
        show_relations(info.document_id, shelf.collection_id)
        _versions(shelf, info)


def show_relations(document_id: str, collection: str | None = None) -> None:
    """Draw what a document replaces, amends or repeals, and what does so to it."""
    for relation in engine().library.relations(document_id, collection):
        is_target = relation.target_id == document_id
        with row():
            st.caption(f":material/history: {plain(notice_text(relation.notice))}", width="stretch")
            span = (relation.start, relation.end) if is_target and relation.quote else None
            other = relation.document_id if is_target else relation.target_id
            name = relation.document if is_target else relation.target
            st.link_button(plain(name), document_url(other, span=span), type="tertiary")
            if not relation.label and relation.kind in ("replaces", "newer"):
                comparison.link(relation.target_id, relation.document_id)


def _close() -> None:
    set_address(doc=None)
    st.session_state["closings"] = st.session_state.get("closings", 0) + 1


def _state(info: DocumentInfo) -> str:
    """Return whether searches find the document, in words."""
    return _(INDEXED.get(info.status, info.status))


def _facts(info: DocumentInfo) -> str:
    name = LANGUAGES.get(info.language)
    return _(
        "{pages}sections: {sections} · passages: {chunks} · {code} · {state} · ingested {when}",
        pages=_("pages: {pages} · ", pages=info.pages) if info.pages else "",
        sections=info.sections,
        chunks=format_number(info.chunks),
        code=_(name) if name else plain(info.language),
        state=_state(info),
        when=format_time(info.ingested_at),
    )


def _metadata(info: DocumentInfo) -> dict[str, str]:
    return {
        _("Date"): _date_text(info.date),
        _("Author"): info.author or "",
        _("Category"): info.category or "",
        _("Tags"): ", ".join(info.tags),
    }


def _edit(shelf: Shelf, info: DocumentInfo) -> None:
    here = info.document_id[:SHORT_ID]
    with (
        st.expander(pgettext("verb", "Edit details"), icon=":material/edit:"),
        st.form(f"edit-{here}", border=False),
    ):
        st.caption(
            _(
                "Your entries apply in this collection and to newer versions of the file. An "
                "empty field clears the entry."
            )
        )
        left, right = st.columns(2)
        author = left.text_input(
            _("Author"), info.author or "", key=f"author-{here}", max_chars=FIELD_LENGTH
        )
        category = right.text_input(
            _("Category"), info.category or "", key=f"category-{here}", max_chars=FIELD_LENGTH
        )
        entered = left.text_input(
            _("Tags, separated by commas"), ", ".join(info.tags), key=f"tags-{here}"
        )
        day = date_field(right, _("Date"), f"date-{here}", info.date)
        submitted = st.form_submit_button(_("Save"), key="edit")
    if not submitted:
        return
    tags = tuple(filter(None, map(str.strip, entered.split(","))))
    # None leaves a field to the metadata of the file.
    changes = MetadataChanges(
        author=_changed(author, info.author),
        category=_changed(category, info.category),
        tags=None if tags == info.tags else tags,
        date=_changed(_iso_date(day), _iso_date(info.date)),
    )
    if changes == MetadataChanges():
        st.rerun()
    edit = engine().library.edit_document
    attempt_and_rerun(
        lambda: edit(shelf.collection_id, info.document_id, changes), done=_("Saved.")
    )


def _date_text(day: date | None) -> str:
    return format_dates(_iso_date(day))


def _iso_date(day: date | None) -> str:
    return day.isoformat() if day else ""


def _changed(entered: str, before: str | None) -> str | None:
    """Return the stripped entry, None if it is the same as before."""
    return None if entered.strip() == (before or "") else entered.strip()


def _remove(shelf: Shelf, info: DocumentInfo) -> None:
    what = _(
        "Removes **{document}** (passages: {chunks}) and older versions of it from "
        "**{collection}**. It stays in the bin for 30 days; finished reports still show their "
        "quotes.",
        document=plain(info.document),
        chunks=info.chunks,
        collection=plain(shelf.name),
    )

    def remove() -> None:
        library_jobs.submit(
            RemoveDocument(collection=shelf.collection_id, document=info.document_id)
        )
        set_address(doc=None)

    if confirm_button(_("Remove"), what, _("Remove the document"), "remove", "delete"):
        attempt_and_rerun(remove)


def _versions(shelf: Shelf, info: DocumentInfo) -> None:
    versions = engine().library.versions(shelf.collection_id, info.document)
    older = [version for version in versions if version.status == "retired"]
    if not older:
        return
    with st.expander(f"{_('Older versions')} ({len(older)})", icon=":material/history:"):
        for version in older:
            when, short = format_time(version.ingested_at), version.document_id[:SHORT_ID]
            with row():
                st.caption(
                    _("ingested {when}, checksum {id}", when=when, id=short), width="stretch"
                )
                address = document_url(version.document_id)
                st.link_button(_("Open the document"), address, type="tertiary")
                comparison.link(version.document_id, info.document_id)


STRATEGIES = {
    "paragraph": N_("paragraphs (default)"),
    "sentence": N_("sentences"),
    "fixed": N_("equal length"),
    "semantic": N_("topics"),
}
NO_DOCUMENTS_HELP = N_(
    "Rabbithole answers from your own documents only. To try it, ingest the twelve contracts that "
    "ship with it (in seconds), or upload files of your own."
)
SAMPLE_NAMES = {sample.collection for sample in (CONTRACTS, *SAMPLES.values())}
SIZES = (200, 4000)
OVERLAP = 5
"""Chunks cut by length share one part in so many with their neighbours."""


def ingest_sample(sample: Sample) -> None:
    """Queue the ingestion of a sample, which ships with its index."""
    paths = [settings().samples / document for document in sample.documents]
    attempt(lambda: _ingest(paths, sample.collection))


def show_sample_offer() -> None:
    """Draw what a library without documents says and offers."""
    st.markdown(_(NO_DOCUMENTS_HELP))
    label = _("Ingest the sample contracts")
    button(label, "ingest-sample", on_click=ingest_sample, args=(CONTRACTS,))


def drop_zone(collections: Sequence[CollectionInfo]) -> None:
    """Draw a field whose files are ingested at once, into the person's first collection."""
    me = engine().principal.user
    mine = (info.name for info in collections if info.owner == me and info.name not in SAMPLE_NAMES)
    collection = next(mine, None) or _("Documents")
    key = f"drop-{st.session_state.setdefault('dropped', 0)}"

    def ingest() -> None:
        files = sorted(st.session_state[key] or (), key=lambda file: len(file.getvalue()))
        if files and attempt(lambda: _ingest(_store(files), collection)):
            st.session_state["dropped"] += 1

    st.file_uploader(
        _("Drop files here: PDF, Office, web pages, e-mails, text"),
        accept_multiple_files=True,
        key=key,
        on_change=ingest,
    )
    st.caption(_("Files stay on this machine. Up to {most} MB per file.", most=_max_megabytes()))


def _max_megabytes() -> int:
    """Return the upload limit; Streamlit's own text for it is English only, and hidden."""
    return int(st.get_option("server.maxUploadSize"))


def upload(collection_id: str | None) -> None:
    """Draw the upload form of a collection; None asks for the name of a new one.

    Only a queued ingestion empties the form. It keeps files that are still being uploaded when it
    is sent, or whose collection has no name yet.
    """
    ordered = st.session_state.setdefault("ordered", 0)
    with st.form(f"upload-{ordered}"):
        files = st.file_uploader(
            _(
                "PDF, Office, web pages, e-mails, text; up to {most} MB per file",
                most=_max_megabytes(),
            ),
            accept_multiple_files=True,
            key=f"files-{ordered}",
        )
        name = collection_id
        if collection_id is None:
            name = st.text_input(
                _("Name of the new collection"), key=f"into-{ordered}", max_chars=100
            ).strip()
        with st.expander(_("Chunking"), icon=":material/tune:"):
            language, chunking = _chunking_fields()
        submitted = st.form_submit_button(
            _("Ingest"), type="primary", icon=":material/upload:", key="ingest"
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
    """Draw the fields for the language of the texts and their chunking."""
    left, middle, right = st.columns(3)
    language = left.selectbox(
        _("Language of the texts"),
        list(LANGUAGES),
        format_func=option_labels(LANGUAGES),
        key="text-language",
    )
    strategy = middle.selectbox(
        _("Split by"),
        get_args(ChunkStrategy),
        format_func=option_labels(STRATEGIES),
        key="strategy",
    )
    default, text = Chunking(), _("Length of a passage in characters")
    size = int(right.number_input(text, *SIZES, default.size, step=100, key="chunk-size"))
    overlap = min(default.overlap, size // OVERLAP)
    return language, Chunking(strategy=strategy, size=size, overlap=overlap)


def _store(files: Sequence[UploadedFile]) -> list[Path]:
    received = [(file.name, file) for file in files]
    return store(settings().home, received, engine().awaited_files())


def _ingest(paths: Sequence[Path], collection: str, **how: Any) -> None:
    library_jobs.submit(Ingest(paths=tuple(map(str, paths)), collection=collection, **how))
