"""Managing a collection: name, sharing, archive, deleting; for readers their subscription."""

import streamlit as st

from agent.shown import Visibility
from app.sanitise import plain
from app.session import client, labels, leave_notice, say
from app.texts import library as texts
from app.views import archives
from app.views.collections import PARAMETER, visibilities
from app.views.notices import attempt
from services.types import Shelf


def show(shelf: Shelf) -> None:
    """What this person may do with the collection, and nothing else."""
    if shelf.changeable:
        _describe(shelf)
        _share(shelf)
    else:
        owner = say(texts.ADMINISTRATORS) if shelf.visibility == "admin" else plain(shelf.owner)
        st.caption(say(texts.READ_ONLY, owner=owner))
    _unsubscribe(shelf)
    archives.export(shelf)
    if shelf.changeable:
        _delete(shelf)


def offer_subscription(shelf: Shelf) -> None:
    """To somebody who came by the link of a collection."""
    if shelf.own or shelf.subscribed or shelf.visibility != "unlisted":
        return
    st.info(say(texts.SUBSCRIBE_WHY, owner=plain(shelf.owner)))
    if st.button(say(texts.SUBSCRIBE), type="primary", key="subscribe"):
        attempt(lambda: client().subscribe(shelf.collection_id))
        st.rerun()


def _unsubscribe(shelf: Shelf) -> None:
    if shelf.subscribed and st.button(say(texts.UNSUBSCRIBE), key="unsubscribe"):
        attempt(lambda: client().unsubscribe(shelf.collection_id))
        st.rerun()


def _describe(shelf: Shelf) -> None:
    here = shelf.collection_id
    with st.form(f"rename-{here}"):
        st.markdown(f"**{say(texts.RENAME)}**")
        name = st.text_input(say(texts.NAME), shelf.name, key=f"name-{here}", max_chars=100)
        description = st.text_area(
            say(texts.DESCRIPTION), shelf.description, key=f"description-{here}"
        )
        submitted = st.form_submit_button(say(texts.SAVE), key="rename")
    if submitted:
        if attempt(lambda: client().rename_collection(here, name, description=description)):
            leave_notice(say(texts.SAVED))
        st.rerun()


def _share(shelf: Shelf) -> None:
    here, options = shelf.collection_id, visibilities()
    with st.form(f"share-{here}"):
        st.markdown(f"**{say(texts.SHARING)}**")
        visibility: Visibility = st.radio(
            say(texts.VISIBILITY),
            options,
            index=options.index(shelf.visibility),
            format_func=labels(texts.VISIBLE_TO_WHOM),
            key=f"visibility-{here}",
        )
        submitted = st.form_submit_button(say(texts.SHARE), key="share")
        if shelf.visibility == "unlisted":
            st.caption(say(texts.LINK))
            st.code(_address(here), language=None, wrap_lines=True)
    if submitted:
        if attempt(lambda: client().share_collection(here, visibility)):
            leave_notice(say(texts.SHARED))
        st.rerun()


def _address(collection_id: str) -> str:
    """Where the browser is, with the collection named."""
    place = (st.context.url or "").partition("?")[0]
    return f"{place}?{PARAMETER}={collection_id}"


def _delete(shelf: Shelf) -> None:
    sizes = {"documents": shelf.documents, "chunks": shelf.chunks}
    with st.popover(say(texts.DELETE), icon=":material/delete:"):
        st.markdown(say(texts.DELETE_WHAT, name=plain(shelf.name), **sizes))
        if st.button(say(texts.DELETE_NOW), type="primary", key="delete"):
            if attempt(lambda: client().delete_collection(shelf.collection_id, wait=False)):
                st.query_params.clear()
                leave_notice(say(texts.DELETED, name=plain(shelf.name), documents=shelf.documents))
            st.rerun()
