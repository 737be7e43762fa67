"""One document of a collection: what is known of it, filing it, its versions, taking it out."""

from datetime import date

import streamlit as st

from agent.commands import RemoveDocument
from app.formats import moment
from app.sanitise import plain
from app.session import client, language, leave_notice, say
from app.texts import documents as texts
from app.texts import library
from app.views import works
from app.views.collections import DOCUMENT
from app.views.notices import attempt
from app.views.places import document_url
from services.types import DocumentInfo, MetadataChanges, Shelf

LONGEST = 200
"""Characters of an entry."""
OLDEST = date(1500, 1, 1)
SHORT_ID = 12


def show(shelf: Shelf, info: DocumentInfo) -> None:
    """The document; a reader of the collection is offered nothing that changes it."""
    with st.container(border=True, key="document"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**{plain(info.document)}**", width="stretch")
            st.button(
                say(texts.CLOSE),
                type="tertiary",
                icon=":material/close:",
                key="close",
                on_click=_close,
            )
        st.markdown(plain(info.title))
        st.caption(_facts(info))
        _filing(info)
        with st.container(horizontal=True):
            st.link_button(
                say(texts.OPEN_DOCUMENT),
                document_url(info.document_id),
                icon=":material/description:",
            )
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
    known = texts.INDEXED.get(info.status)
    return say(known) if known else info.status


def _facts(info: DocumentInfo) -> str:
    known = texts.LANGUAGES.get(info.language)
    return say(
        texts.DOCUMENT_FACTS,
        pages=say(texts.DOCUMENT_PAGES, pages=info.pages) if info.pages else "",
        sections=info.sections,
        chunks=info.chunks,
        code=say(known) if known else plain(info.language),
        state=state(info),
        when=moment(info.ingested_at, language(), st.context.timezone),
    )


def _filing(info: DocumentInfo) -> None:
    known = {
        texts.DATE: _written(info.date),
        texts.AUTHOR: info.author or "",
        texts.CATEGORY: info.category or "",
        texts.TAGS: ", ".join(info.tags),
    }
    parts = [f"{say(text)}: {plain(value)}" for text, value in known.items() if value]
    if parts:
        st.caption(" · ".join(parts))


def _edit(shelf: Shelf, info: DocumentInfo) -> None:
    here = info.document_id[:SHORT_ID]
    with (
        st.expander(say(texts.EDIT), icon=":material/edit:"),
        st.form(f"edit-{here}", border=False),
    ):
        st.caption(say(texts.EDIT_WHY))
        left, right = st.columns(2)
        author = left.text_input(
            say(texts.AUTHOR), info.author or "", key=f"author-{here}", max_chars=LONGEST
        )
        category = right.text_input(
            say(texts.CATEGORY), info.category or "", key=f"category-{here}", max_chars=LONGEST
        )
        tags = left.text_input(say(texts.TAGS_HINT), ", ".join(info.tags), key=f"tags-{here}")
        day = right.date_input(
            say(texts.DATE),
            info.date,
            key=f"date-{here}",
            min_value=OLDEST,
            format="YYYY-MM-DD",
        )
        submitted = st.form_submit_button(say(library.SAVE), key="edit")
    if submitted:
        changes = MetadataChanges(
            author=_new(author, info.author),
            category=_new(category, info.category),
            tags=_new_tags(tags, info.tags),
            date=_new(_written(day), _written(info.date)),
        )
        _save(shelf, info, changes)
        st.rerun()


def _written(day: date | None) -> str:
    return day.isoformat() if day else ""


def _new(entered: str, known: str | None) -> str | None:
    """What was entered, None if it says nothing new: the file goes on deciding that field."""
    return None if entered.strip() == (known or "") else entered.strip()


def _new_tags(entered: str, known: tuple[str, ...]) -> tuple[str, ...] | None:
    tags = tuple(tag.strip() for tag in entered.split(",") if tag.strip())
    return None if tags == known else tags


def _save(shelf: Shelf, info: DocumentInfo, changes: MetadataChanges) -> None:
    if changes == MetadataChanges():
        return
    edit = client().edit_document
    if attempt(lambda: edit(shelf.collection_id, info.document_id, changes)):
        leave_notice(say(library.SAVED))


def _remove(shelf: Shelf, info: DocumentInfo) -> None:
    with st.popover(say(texts.REMOVE), icon=":material/delete:"):
        names = {"document": plain(info.document), "collection": plain(shelf.name)}
        st.markdown(say(texts.REMOVE_WHAT, chunks=info.chunks, **names))
        if st.button(say(texts.REMOVE_NOW), type="primary", key="remove"):
            wanted = RemoveDocument(collection=shelf.collection_id, document=info.document_id)
            if attempt(lambda: works.order(wanted)):
                st.query_params.pop(DOCUMENT, None)
            st.rerun()


def _versions(shelf: Shelf, info: DocumentInfo) -> None:
    found = client().versions(shelf.collection_id, info.document)
    older = [each for each in found if each.status == "retired"]
    if not older:
        return
    with st.expander(f"{say(texts.VERSIONS)} ({len(older)})", icon=":material/history:"):
        for each in older:
            when = moment(each.ingested_at, language(), st.context.timezone)
            with st.container(horizontal=True, vertical_alignment="center"):
                short = each.document_id[:SHORT_ID]
                st.caption(say(texts.VERSION, when=when, id=short), width="stretch")
                st.link_button(
                    say(texts.OPEN_DOCUMENT), document_url(each.document_id), type="tertiary"
                )
