"""The documents of a collection: a filtered list whose rows open, and the bin."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from agent.engine.changes import RemoveDocument, RestoreDocument
from agent.engine.library import Relation
from app import session
from app.components import comparison, document, library_jobs, summaries, upload, widgets
from app.components.widgets import attempt, attempt_and_rerun, quiet_button, row, select, stored
from app.formats import plain
from app.labels import LANGUAGES
from app.locale import N_
from app.navigation import document_url
from app.session import _, cached, engine, format_time, notice_text, pgettext, set_address
from services.domain import DocumentInfo, MetadataChanges, Shelf
from services.domain.collections import BinnedDocument
from services.domain.value import Span

INDEXED = {"indexed": N_("ready"), "pending": N_("incomplete"), "retired": N_("older version")}


ORDERS: Mapping[str, tuple[str, Callable[[DocumentInfo], Any], bool]] = {
    "name": (N_("by name"), lambda info: info.document.casefold(), False),
    "title": (N_("by title"), lambda info: info.title.casefold(), False),
    "date": (N_("newest date first"), lambda info: info.date or date.min, True),
    "ingested": (N_("most recently added first"), lambda info: info.ingested_at, True),
    "size": (N_("longest first"), lambda info: info.chunks, True),
}
"""Orders of documents: the name, what is sorted by, and whether the greatest comes first."""
PAGE = 20
FIELD_LENGTH = 200
SHORT_ID = 12


def show(shelf: Shelf) -> None:
    """Draw the documents; below, for those who may change the collection, upload and bin."""
    here, jobs = shelf.collection_id, tuple(job.number for job in engine().open_jobs())
    # Read again once the collection changes, or a job begins or ends.
    unchanged = (here, shelf.content_version, jobs)
    documents = cached("listed", unchanged, lambda: engine().library.documents(here))
    if documents:
        _list(shelf, documents)
    else:
        st.caption(_("No documents in this collection yet."))
    if shelf.changeable:
        with _upload_frame(folded=bool(documents)):
            upload.show(shelf.collection_id)
        _bin(shelf, cached("bin", unchanged, lambda: engine().library.bin(here)))


def _upload_frame(*, folded: bool) -> DeltaGenerator:
    """Return where the upload form stands; ``app.js`` drops files there by its key."""
    if not folded:
        return st.container(key="add-files")
    label = _("Add files, or drop them anywhere on this page")
    return st.expander(label, icon=":material/upload:", key="add-files")


def _bin(shelf: Shelf, removed: Sequence[BinnedDocument]) -> None:
    collection = shelf.collection_id
    if not removed:
        return
    with st.expander(f"{_('Bin')} ({len(removed)})", icon=":material/delete:"):
        st.caption(_("Removed documents can be restored for 30 days."))
        for info in removed:
            job = RestoreDocument(collection=collection, document=info.document_id)
            with row():
                when = format_time(info.removed_at)
                st.caption(f"{plain(info.document)} · {when}", width="stretch")
                key = f"unbin-{info.document_id[:SHORT_ID]}"
                submit = partial(library_jobs.submit, job)
                quiet_button(_("Restore"), key, "undo", on_click=attempt, args=(submit,))


def _list(shelf: Shelf, documents: Sequence[DocumentInfo]) -> None:
    with row():
        words = st.text_input(
            _("Filter by file, title, tag …"),
            key=f"filter-{shelf.collection_id}",
            placeholder=_("Filter by file, title, tag …"),
            icon=":material/filter_list:",
            label_visibility="collapsed",
        )
        names = {key: name for key, (name, *_how) in ORDERS.items()}
        style = {"label_visibility": "collapsed", "width": 190}
        order = select(st, _("Order"), names, "documents-order", **style)
    chosen = st.query_params.get("doc")
    if chosen and all(info.document_id != chosen for info in documents):
        st.caption(_("This document is no longer in the collection."))
    matching = _matching(documents, words)
    if not matching:
        st.caption(_("No document matches the filter. Clear it to see all."))
        return
    _name, key, reverse = ORDERS[order]
    matching = sorted(matching, key=key, reverse=reverse)
    # Another list is another widget.
    pages = f"documents-page-{shelf.collection_id}-{order}-{words}"
    _turn_to(chosen, [info.document_id for info in matching], pages)
    with st.container(gap=None, key="document-list"):
        for info in widgets.paginate(matching, PAGE, pages):
            _row(shelf, info, is_open=info.document_id == chosen)


def _turn_to(document: str | None, ids: Sequence[str], key: str) -> None:
    """Turn a list to the page of a document that the address now names."""
    turned = (key, document)
    if document in ids and st.session_state.get("documents-turned") != turned:
        st.session_state[key] = ids.index(document) // PAGE + 1
    st.session_state["documents-turned"] = turned


def _row(shelf: Shelf, info: DocumentInfo, *, is_open: bool) -> None:
    with row(key=f"document-row-{info.document_id}", gap="small"):
        icon = "keyboard_arrow_down" if is_open else "chevron_right"
        change = partial(set_address, doc=None if is_open else info.document_id)
        name, key = plain(info.document), f"document-{info.document_id}"
        quiet_button(name, key, icon, on_click=change, width="stretch", wrap=True)
        title = "" if info.title == info.document else plain(info.title)
        tags = " ".join(f":gray-badge[{plain(tag)}]" for tag in info.tags)
        # One element, of which the style sheet makes columns: each costs a browser milliseconds.
        open_ = f"[{_('Open')}]({document_url(info.document_id)})"
        state = "" if info.status == "indexed" else f":orange[{_state(info)}]"
        facts = " · ".join(filter(None, (_pages(info), _date_text(info.date), state)))
        st.markdown(widgets.bullets([f"{title} {tags}".strip(), facts, open_]))
    if is_open:
        _details(shelf, info)


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
        st.caption(_facts(info))
        metadata = {
            _("Date"): _date_text(info.date),
            _("Author"): info.author or "",
            _("Category"): info.category or "",
            _("Tags"): ", ".join(info.tags),
        }
        filed = [f"{name}: {plain(value)}" for name, value in metadata.items() if value]
        if filed:
            st.caption(" · ".join(filed))
        if info.status != "pending":  # else its ingestion has not ended, and it has no text yet
            warnings = engine().library.open_document(info.document_id).parsed.warnings
            document.show_warnings(warnings)
            summaries.show(info.document_id, shelf.collection_id, "chosen")
            show_relations(info.document_id, shelf.collection_id)
            show_versions(info, shelf.collection_id)
        if shelf.changeable:
            _edit(shelf, info)
            _remove(shelf, info)


def show_relations(document_id: str, collection: str | None = None) -> None:
    """Draw what a document changes and what changes it, under its words that introduce a list."""
    introduction = ""
    for relation in engine().library.relations(document_id, collection):
        if relation.introduction != introduction:
            introduction = relation.introduction
            source, quote = plain(relation.document), plain(introduction)
            st.caption(_("{place}: “{quote}”", place=source, quote=quote))
        _relation(relation, is_target=relation.target_id == document_id)


def _relation(relation: Relation, *, is_target: bool) -> None:
    if is_target:
        other, name = relation.document_id, f"{relation.document} {relation.section}"
        span = (relation.start, relation.end) if relation.quote else None
    else:
        other, name = relation.target_id, f"{relation.target} {relation.label}"
        span = _clause(relation)
    text = notice_text(relation.notice)
    if relation.kind == "newer":
        text = _("Newer version") if is_target else _("Older version")
        name = document.version_name(engine().library.open_document(other).info)
    link = f"[{plain(name)}]({document_url(other, span=span)})"
    with row():
        st.caption(f":material/history: {plain(text)} {link}", width="stretch")
        if not relation.label and relation.kind in ("replaces", "newer"):
            comparison.link(relation.target_id, relation.document_id)


def _clause(relation: Relation) -> Span | None:
    """Return the section of the target that a relation is about."""
    sections = engine().library.open_document(relation.target_id).parsed.sections
    within = (s for s in sections if s.label and relation.label and relation.concerns(s.label))
    return next(((section.start, section.end) for section in within), None)


def _state(info: DocumentInfo) -> str:
    return _(INDEXED.get(info.status, info.status))


def _facts(info: DocumentInfo) -> str:
    name = LANGUAGES.get(info.language)
    facts = [
        _pages(info),
        _("sections: {sections}", sections=info.sections),
        _("passages: {chunks}", chunks=session.format_number(info.chunks)),
        _(name) if name else plain(info.language),
        _state(info),
        _("added {when}", when=format_time(info.ingested_at)),
    ]
    return " · ".join(filter(None, facts))


def _pages(info: DocumentInfo) -> str:
    return _("pages: {pages}", pages=info.pages) if info.pages else ""


def _edit(shelf: Shelf, info: DocumentInfo) -> None:
    here = info.document_id[:SHORT_ID]
    with (
        st.expander(pgettext("verb", "Edit details"), icon=":material/edit:"),
        st.form(f"edit-{here}", border=False),
    ):
        text = _(
            "Your entries apply in this collection and to newer versions of the file. An empty "
            "field clears the entry."
        )
        st.caption(text)
        left, right = st.columns(2)
        key = stored(f"author-{here}", info.author or "")
        author = left.text_input(_("Author"), key=key, max_chars=FIELD_LENGTH)
        key = stored(f"category-{here}", info.category or "")
        category = right.text_input(_("Category"), key=key, max_chars=FIELD_LENGTH)
        key = stored(f"tags-{here}", ", ".join(info.tags))
        entered = left.text_input(_("Tags, separated by commas"), key=key)
        day = widgets.date_field(right, _("Date"), stored(f"date-{here}", info.date))
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
    ids, edit = (shelf.collection_id, info.document_id), engine().library.edit_document
    attempt_and_rerun(lambda: edit(*ids, changes), done=_("Saved."))


def _date_text(day: date | None) -> str:
    return session.format_dates(_iso_date(day))


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
        job = RemoveDocument(collection=shelf.collection_id, document=info.document_id)
        library_jobs.submit(job)
        set_address(doc=None)

    if widgets.confirm_button(_("Remove"), what, _("Remove the document"), "remove", "delete"):
        attempt_and_rerun(remove)


def show_versions(info: DocumentInfo, collection: str | None = None) -> None:
    """Draw the older versions of a file in a fold."""
    library = engine().library
    older = [
        version
        for version in library.versions(collection, info.document)
        if version.status == "retired"
        # A file of the same name in another collection is no version of this one.
        and info.document_id
        in {relation.document_id for relation in library.relations(version.document_id, collection)}
    ]
    if not older:
        return
    with st.expander(f"{_('Older versions')} ({len(older)})", icon=":material/history:"):
        for version in older:
            when, short = format_time(version.ingested_at), version.document_id[:SHORT_ID]
            with row():
                st.caption(_("added {when}, checksum {id}", when=when, id=short), width="stretch")
                address = document_url(version.document_id)
                st.link_button(_("Open the document"), address, type="tertiary")
                comparison.link(version.document_id, info.document_id)
