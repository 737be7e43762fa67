"""The documents of a collection: adding files, a table with a filter, and the chosen one."""

from collections.abc import Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, get_args

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from agent.engine.jobs import Ingest, RemoveDocument, RestoreDocument
from app.components import document, library_jobs
from app.components.notices import attempt, attempt_and_rerun
from app.components.widgets import button, confirm_button, date_field, quiet_button, row, table
from app.formats import plain
from app.labels import LANGUAGES
from app.locale import N_
from app.navigation import document_url, named_url
from app.samples import SAMPLES
from app.session import (
    _,
    engine,
    format_dates,
    format_number,
    format_time,
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
"""Characters of an entry."""
SHORT_ID = 12


def show(shelf: Shelf) -> None:
    """The field for files, if the person may fill the collection, and the table."""
    if shelf.changeable:
        upload(shelf.collection_id)
        _show_bin(shelf)
    documents = engine().library.documents(shelf.collection_id)
    if not documents:
        st.caption(
            _("No documents in this collection yet. Drop files into the field above.")
            if shelf.changeable
            else _("No documents in this collection yet.")
        )
        return
    _table(documents, shelf.collection_id)
    chosen = st.query_params.get("doc")
    if chosen is None:
        st.caption(
            _("A name opens the document. Select a row at its left edge to file or remove it.")
        )
        return
    info = next((each for each in documents if each.document_id == chosen), None)
    if info is None:
        st.caption(_("This document is no longer in the collection."))
        return
    _details(shelf, info)


def _show_bin(shelf: Shelf) -> None:
    """What was removed and can be put back."""
    here = shelf.collection_id
    if not (found := engine().library.bin(here)):
        return
    with st.expander(f"{_('Bin')} ({len(found)})", icon=":material/delete:"):
        st.caption(_("What was removed can be restored for 30 days."))
        for each in found:
            job = RestoreDocument(collection=here, document=each.document_id)
            with row():
                when = format_time(each.removed_at)
                st.caption(f"{plain(each.document)} · {when}", width="stretch")
                key = f"unbin-{each.document_id[:SHORT_ID]}"
                order = partial(library_jobs.submit, job)
                quiet_button(_("Restore"), key, "undo", on_click=attempt, args=(order,))


def _table(documents: Sequence[DocumentInfo], collection_id: str) -> None:
    words = st.text_input(
        _("Filter by file, title, tag …"),
        key=f"filter-{collection_id}",
        placeholder=_("Filter by file, title, tag …"),
        icon=":material/filter_list:",
        label_visibility="collapsed",
    )
    shown = _matching(documents, words)
    if not shown:
        st.caption(_("No document matches the filter. Empty the field to see all."))
        return
    # Another filter or a closed document begins with no row selected.
    key = f"documents-{st.session_state.get('closings', 0)}-{collection_id}-{words}"

    def take_up() -> None:
        """Puts the selected document into the URL."""
        rows = st.session_state[key]["selection"]["rows"]
        chosen = rows and rows[0] < len(shown)
        set_address(doc=shown[rows[0]].document_id if chosen else None)

    table(
        [_row(info) for info in shown],
        names=_("File"),
        widths={_("Title"): "medium"},
        days=[_("Date")],
        on_select=take_up,
        selection_mode="single-row",
        key=key,
        alt=_("Documents"),
    )


def _row(info: DocumentInfo) -> dict[str, object]:
    return {
        _("File"): named_url(info.document_id, info.document),
        _("Title"): info.title,
        _("Pages"): info.pages,
        _("Sections"): info.sections,
        _("Passages"): info.chunks,
        _("State"): _state(info),
        _("Date"): info.date,
        _("Tags"): ", ".join(info.tags) or None,
        _("Ingested"): format_time(info.ingested_at),
    }


def _matching(documents: Sequence[DocumentInfo], words: str) -> Sequence[DocumentInfo]:
    """The documents in whose names and metadata every word stands, in any case and place."""

    def texts(info: DocumentInfo) -> str:
        named = (info.document, info.title, info.category, info.author, _date_text(info.date))
        return "\n".join(filter(None, (*named, *info.tags))).casefold()

    every = words.casefold().split()
    return [info for info in documents if all(word in texts(info) for word in every)]


def _details(shelf: Shelf, info: DocumentInfo) -> None:
    """The document; a reader of the collection is offered nothing that changes it."""
    with st.container(border=True, key="document"):
        with row():
            st.markdown(f"**{plain(info.document)}**", width="stretch")
            quiet_button(_("Close"), "close", "close", on_click=_close)
        st.markdown(plain(info.title))
        st.caption(_facts(info))
        filed = [f"{name}: {plain(value)}" for name, value in _metadata(info).items() if value]
        if filed:
            st.caption(" · ".join(filed))
        with st.container(horizontal=True):
            address = document_url(info.document_id)
            st.link_button(_("Open the document"), address, icon=":material/description:")
            if shelf.changeable:
                _remove(shelf, info)
        if shelf.changeable:
            _edit(shelf, info)
        _versions(shelf, info)


def _close() -> None:
    set_address(doc=None)
    st.session_state["closings"] = st.session_state.get("closings", 0) + 1


def _state(info: DocumentInfo) -> str:
    """Whether the document can be found."""
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
        st.expander(pgettext("verb", "File"), icon=":material/edit:"),
        st.form(f"edit-{here}", border=False),
    ):
        st.caption(
            _(
                "What you enter counts in this collection and stays with newer versions of "
                "the file. An empty field empties the entry."
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
    # None leaves a field to what the file states.
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
    """What was entered, None if it says nothing new."""
    return None if entered.strip() == (before or "") else entered.strip()


def _remove(shelf: Shelf, info: DocumentInfo) -> None:
    what = _(
        "Removes **{document}** (passages: {chunks}) and older versions of it from "
        "**{collection}**. The bin keeps it for 30 days; finished reports keep their evidence.",
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
    older = [each for each in versions if each.status == "retired"]
    if not older:
        return
    with st.expander(f"{_('Older versions')} ({len(older)})", icon=":material/history:"):
        for each in older:
            when, short = format_time(each.ingested_at), each.document_id[:SHORT_ID]
            with row():
                st.caption(
                    _("ingested {when}, checksum {id}", when=when, id=short), width="stretch"
                )
                address = document_url(each.document_id)
                st.link_button(_("Open the document"), address, type="tertiary")
                document.compare_link(each.document_id, info.document_id)


STRATEGIES = {
    "paragraph": N_("paragraphs (usual)"),
    "sentence": N_("sentences"),
    "fixed": N_("equal length"),
    "semantic": N_("topics"),
}
NO_DOCUMENTS_HELP = N_(
    "Rabbithole answers from your own documents only. To try it, ingest the German radiation "
    "protection act that ships with it (117 pages, in seconds), or upload files of your own."
)
SAMPLE = SAMPLES["de"].collection
(SAMPLE_LAW,) = SAMPLES["de"].documents
"""One law, as ``rabbithole demo`` takes in."""
FILE_TYPES = ("pdf", "docx", "txt", "md", "html", "htm", "xlsx", "csv", "pptx", "epub", "eml")
SIZES = (200, 4000)
OVERLAP = 5
"""What neighbours share where a text is cut by length: one part in so many."""


def ingest_sample() -> None:
    """Orders the law that ships with Rabbithole, which comes indexed."""
    attempt(lambda: _ingest([settings().samples / SAMPLE_LAW], SAMPLE))


def show_sample_offer() -> None:
    """What a library without documents says and does first."""
    st.markdown(_(NO_DOCUMENTS_HELP))
    button(_("Ingest the sample law"), "ingest-sample", on_click=ingest_sample)


def drop_zone(collections: Sequence[CollectionInfo]) -> None:
    """A field for files that are taken in at once, into one's own first collection."""
    me = engine().principal.user
    mine = (info.name for info in collections if info.owner == me and info.name != SAMPLE)
    into = next(mine, None) or _("Documents")
    key = f"drop-{st.session_state.setdefault('dropped', 0)}"

    def take() -> None:
        files = sorted(st.session_state[key] or (), key=lambda file: len(file.getvalue()))
        if files and attempt(lambda: _ingest(_store(files), into)):
            st.session_state["dropped"] += 1

    st.file_uploader(
        _("Drop files here: PDF, Office, web pages, e-mails, text"),
        type=FILE_TYPES,
        accept_multiple_files=True,
        key=key,
        on_change=take,
    )
    st.caption(_("Files stay on this machine. Up to {most} MB per file.", most=_max_megabytes()))


def _max_megabytes() -> int:
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
            _(
                "PDF, Office, web pages, e-mails, text; up to {most} MB per file",
                most=_max_megabytes(),
            ),
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
    """Language of the texts, and how they are cut."""
    left, middle, right = st.columns(3)
    language = left.selectbox(
        _("Language of the texts"),
        list(LANGUAGES),
        format_func=option_labels(LANGUAGES),
        key="text-language",
    )
    strategy = middle.selectbox(
        _("Cut by"), get_args(ChunkStrategy), format_func=option_labels(STRATEGIES), key="strategy"
    )
    usual, text = Chunking(), _("Length of a passage in characters")
    size = int(right.number_input(text, *SIZES, usual.size, step=100, key="chunk-size"))
    overlap = min(usual.overlap, size // OVERLAP)
    return language, Chunking(strategy=strategy, size=size, overlap=overlap)


def _store(files: Sequence[UploadedFile]) -> list[Path]:
    received = [(each.name, each) for each in files]
    return store(settings().home, received, engine().awaited_files())


def _ingest(paths: Sequence[Path], collection: str, **how: Any) -> None:
    library_jobs.submit(Ingest(paths=tuple(map(str, paths)), collection=collection, **how))
