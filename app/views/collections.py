"""The collections that a person may read: which is chosen, and how a new one begins."""

from collections.abc import Sequence
from typing import get_args

import streamlit as st

from agent.shown import Visibility
from app.sanitise import plain
from app.session import client, labels, leave_notice, say
from app.texts import library as texts
from app.views.notices import attempt
from services.errors import NotFound
from services.types import Shelf

PARAMETER, DOCUMENT = "collection", "doc"
"""Names of what the URL keeps."""
TALL = 9
"""Collections from which on the list scrolls by itself."""
LIST_HEIGHT = 560


def open_collection(collection_id: str) -> None:
    """Puts a collection into the URL."""
    st.query_params[PARAMETER] = collection_id
    st.query_params.pop(DOCUMENT, None)


def chosen(shelves: Sequence[Shelf]) -> Shelf | None:
    """The collection that the URL names, else the first of one's own, else the first.

    One that is shared by its link need not be in the list.
    """
    wanted = st.query_params.get(PARAMETER)
    listed = {shelf.collection_id: shelf for shelf in shelves}
    if wanted is not None and wanted not in listed:
        try:
            return client().shelf(wanted)
        except NotFound:
            st.warning(say(texts.UNKNOWN_COLLECTION))
            st.query_params.clear()
            wanted = None
    return listed[wanted] if wanted is not None else next(iter(in_order(shelves)), None)


def in_order(shelves: Sequence[Shelf]) -> list[Shelf]:
    """One's own collections first, then those one has subscribed to, then the others."""
    return sorted(shelves, key=lambda shelf: (not shelf.own, not shelf.subscribed))


def show(shelves: Sequence[Shelf], current: Shelf | None) -> None:
    """The list of collections and how to make one."""
    if shelves:
        with st.container(height=LIST_HEIGHT if len(shelves) >= TALL else "content", border=False):
            _choose(in_order(shelves), current)
    _create()


def _choose(shelves: Sequence[Shelf], current: Shelf | None) -> None:
    by_id = {shelf.collection_id: shelf for shelf in shelves}
    here = current.collection_id if current and current.collection_id in by_id else None
    st.session_state[PARAMETER] = here
    st.radio(
        say(texts.COLLECTIONS),
        list(by_id),
        index=None,
        format_func={key: plain(shelf.name) for key, shelf in by_id.items()}.__getitem__,
        captions=[_caption(shelf) for shelf in shelves],
        key=PARAMETER,
        on_change=_take_up,
    )


def _take_up() -> None:
    collection_id = st.session_state.get(PARAMETER)
    if isinstance(collection_id, str):
        open_collection(collection_id)


def _caption(shelf: Shelf) -> str:
    size = say(texts.SIZE, documents=shelf.documents)
    return " · ".join([size, say(texts.VISIBLE_TO[shelf.visibility]), whose(shelf)])


def whose(shelf: Shelf) -> str:
    """What a collection is to the person, as Markdown."""
    if shelf.own:
        return say(texts.OWN)
    text = texts.SUBSCRIBED if shelf.subscribed else texts.OF_OTHERS
    return say(text, owner=plain(shelf.owner))


def visibilities() -> list[Visibility]:
    """What the person may choose."""
    admin = client().principal.role == "admin"
    return [each for each in get_args(Visibility) if admin or each != "admin"]


def _create() -> None:
    with st.popover(say(texts.NEW_COLLECTION), icon=":material/add:"):  # noqa: SIM117
        with st.form("new-collection", border=False, clear_on_submit=True):
            name = st.text_input(say(texts.NAME), key="new-name", max_chars=100)
            description = st.text_area(say(texts.DESCRIPTION), key="new-description")
            visibility = st.selectbox(
                say(texts.VISIBILITY),
                visibilities(),
                format_func=labels(texts.VISIBLE_TO),
                key="new-visibility",
            )
            submitted = st.form_submit_button(say(texts.CREATE), type="primary", key="create")
    if submitted:
        attempt(lambda: _made(name, description, visibility))
        st.rerun()


def _made(name: str, description: str, visibility: Visibility) -> None:
    info = client().create_collection(name, description=description, visibility=visibility)
    open_collection(info.collection_id)
    leave_notice(say(texts.CREATED, name=plain(info.name)))
