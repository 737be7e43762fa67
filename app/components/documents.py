"""The documents of a collection: a table with filter and pages, and the one that is chosen."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import streamlit as st

from agent.engine.jobs import RemoveDocument
from app.components import ingestion, works
from app.components.collections import DOCUMENT
from app.components.notices import act
from app.components.widgets import ask_first, day_input, quiet_button, row, table
from app.formats import plain
from app.labels import LANGUAGES
from app.locale import N_
from app.navigation import document_url
from app.session import _, engine, pgettext, say_moment
from services.domain import DocumentInfo, MetadataChanges, Shelf

INDEXED = {
    "indexed": N_("ready"),
    "pending": N_("incomplete"),
    "retired": N_("older version"),
}

PAGE = 50
"""Documents in the table at a time."""
LONGEST = 200
"""Characters of an entry."""
SHORT_ID = 12


def show(shelf: Shelf) -> None:
    """The field for files, if the person may fill the collection, and the table."""
    if shelf.changeable:
        ingestion.upload(shelf.collection_id)
    documents = engine().library.documents(shelf.collection_id)
    if not documents:
        st.caption(
            _("No documents in this collection yet. Drop files into the field above.")
            if shelf.changeable
            else _("No documents in this collection yet.")
        )
        return
    _table(documents, shelf.collection_id)
    chosen = st.query_params.get(DOCUMENT)
    if chosen is None:
        st.caption(_("Select a row at its left edge to open, file or remove the document."))
        return
    info = next((each for each in documents if each.document_id == chosen), None)
    if info is None:
        st.caption(_("This document is no longer in the collection."))
        return
    show_details(shelf, info)


def _table(documents: Sequence[DocumentInfo], collection_id: str) -> None:
    wanted = st.text_input(
        _("Filter by file, title, tag …"),
        key=f"filter-{collection_id}",
        placeholder=_("Filter by file, title, tag …"),
        icon=":material/filter_list:",
        label_visibility="collapsed",
    )
    matching = having(documents, wanted)
    if not matching:
        st.caption(_("No document matches the filter. Empty the field to see all."))
        return
    shown = _page_of(matching, f"{collection_id}-{wanted}")
    # Another page or a closed document begins with no row selected.
    key = f"documents-{closings()}-{collection_id}-{shown[0].document_id}-{len(shown)}"
    table(
        [_row(info) for info in shown],
        widths={_("Title"): "medium"},
        on_select=lambda: _take_up(shown, key),
        selection_mode="single-row",
        key=key,
        alt=_("Documents"),
    )


def _page_of(matching: Sequence[DocumentInfo], key: str) -> Sequence[DocumentInfo]:
    """The part of the documents that is shown, with a way to the others."""
    pages = -(-len(matching) // PAGE)
    if pages == 1:
        return matching
    with row():
        page = st.pagination(pages, key=f"page-{key}")
        first = (page - 1) * PAGE
        shown = matching[first : first + PAGE]
        counts = {"first": first + 1, "last": first + len(shown), "total": len(matching)}
        st.caption(_("{first} to {last} of {total}", **counts))
    return shown


def _row(info: DocumentInfo) -> dict[str, object]:
    return {
        _("File"): info.document,
        _("Title"): info.title,
        _("Pages"): info.pages,
        _("Sections"): info.sections,
        _("Passages"): info.chunks,
        _("State"): state(info),
        _("Date"): info.date,
        _("Tags"): ", ".join(info.tags) or None,
        _("Ingested"): say_moment(info.ingested_at),
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
    return [info for info in documents if all(word in _words_of(info) for word in wanted)]


def _words_of(info: DocumentInfo) -> str:
    date = info.date.isoformat() if info.date else ""
    named = (info.document, info.title, info.category or "", info.author or "", date)
    return "\n".join((*named, *info.tags)).casefold()


def show_details(shelf: Shelf, info: DocumentInfo) -> None:
    """The document; a reader of the collection is offered nothing that changes it."""
    with st.container(border=True, key="document"):
        with row():
            st.markdown(f"**{plain(info.document)}**", width="stretch")
            quiet_button(_("Close"), "close", "close", on_click=_close)
        st.markdown(plain(info.title))
        st.caption(_facts(info))
        _filing(info)
        with st.container(horizontal=True):
            address = document_url(info.document_id)
            st.link_button(_("Open the document"), address, icon=":material/description:")
            if shelf.changeable:
                _remove(shelf, info)
        if shelf.changeable:
            _edit(shelf, info)
        _versions(shelf, info)


def closings() -> int:
    """How often a document was closed in this window."""
    return int(st.session_state.get("closings", 0))


def _close() -> None:
    st.query_params.pop(DOCUMENT, None)
    st.session_state["closings"] = closings() + 1


def state(info: DocumentInfo) -> str:
    """Whether the document can be found."""
    known = INDEXED.get(info.status)
    return _(known) if known else info.status


def _facts(info: DocumentInfo) -> str:
    known = LANGUAGES.get(info.language)
    return _(
        "{pages}sections: {sections} · passages: {chunks} · {code} · {state} · ingested {when}",
        pages=_("pages: {pages} · ", pages=info.pages) if info.pages else "",
        sections=info.sections,
        chunks=info.chunks,
        code=_(known) if known else plain(info.language),
        state=state(info),
        when=say_moment(info.ingested_at),
    )


def _filing(info: DocumentInfo) -> None:
    known = {
        _("Date"): _written(info.date),
        _("Author"): info.author or "",
        _("Category"): info.category or "",
        _("Tags"): ", ".join(info.tags),
    }
    parts = [f"{name}: {plain(value)}" for name, value in known.items() if value]
    if parts:
        st.caption(" · ".join(parts))


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

        def entry(column: Any, label: str, name: str, known: str | None) -> str:
            entered: str = column.text_input(
                label, known or "", key=f"{name}-{here}", max_chars=LONGEST
            )
            return entered

        author = entry(left, _("Author"), "author", info.author)
        category = entry(right, _("Category"), "category", info.category)
        tags = left.text_input(
            _("Tags, separated by commas"), ", ".join(info.tags), key=f"tags-{here}"
        )
        day = day_input(right, _("Date"), f"date-{here}", info.date)
        submitted = st.form_submit_button(_("Save"), key="edit")
    if submitted:
        entered_tags = tuple(tag.strip() for tag in tags.split(",") if tag.strip())
        changes = MetadataChanges(
            author=_new(author, info.author),
            category=_new(category, info.category),
            tags=None if entered_tags == info.tags else entered_tags,
            date=_new(_written(day), _written(info.date)),
        )
        if changes == MetadataChanges():
            st.rerun()
        edit = engine().library.edit_document
        saved = _("Saved.")
        act(lambda: edit(shelf.collection_id, info.document_id, changes), done=saved)


def _written(day: date | None) -> str:
    return day.isoformat() if day else ""


def _new(entered: str, known: str | None) -> str | None:
    """What was entered, None if it says nothing new: the file goes on deciding that field."""
    return None if entered.strip() == (known or "") else entered.strip()


def _remove(shelf: Shelf, info: DocumentInfo) -> None:
    names = {"document": plain(info.document), "collection": plain(shelf.name)}
    what = _(
        "Removes **{document}** (passages: {chunks}) and older versions of it from "
        "**{collection}**. Finished reports keep their evidence.",
        chunks=info.chunks,
        **names,
    )

    def remove() -> None:
        works.order(RemoveDocument(collection=shelf.collection_id, document=info.document_id))
        st.query_params.pop(DOCUMENT, None)

    if ask_first(_("Remove"), what, _("Remove the document"), "remove", "delete"):
        act(remove)


def _versions(shelf: Shelf, info: DocumentInfo) -> None:
    found = engine().library.versions(shelf.collection_id, info.document)
    older = [each for each in found if each.status == "retired"]
    if not older:
        return
    with st.expander(f"{_('Older versions')} ({len(older)})", icon=":material/history:"):
        for each in older:
            when, short = say_moment(each.ingested_at), each.document_id[:SHORT_ID]
            with row():
                st.caption(
                    _("ingested {when}, checksum {id}", when=when, id=short), width="stretch"
                )
                address = document_url(each.document_id)
                st.link_button(_("Open the document"), address, type="tertiary")
