"""The collections that a person may read: their list, sharing, archives and deletion."""

import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import urlsplit

import streamlit as st

from agent.engine.changes import RestoreCollection
from app.components import library_jobs, widgets
from app.components.upload import max_megabytes
from app.components.widgets import attempt_and_rerun, button, copy_button, download, select, stored
from app.formats import plain
from app.labels import VISIBLE_TO
from app.locale import N_
from app.session import _, engine, format_number, option_labels, set_address, set_notice, settings
from app.uploads import relative_path, remove_stale, store
from services.domain import CollectionInfo, Shelf
from services.domain.collections import Visibility, unique_names
from services.domain.errors import NotFound
from services.library.archive.export import ExportReport

C = TypeVar("C", bound=CollectionInfo)
VISIBLE_TO_WHOM: Mapping[Visibility, str] = {
    "private": N_("Private: only you. Subscribers can no longer see the collection."),
    "unlisted": N_("By link: anyone who has the address can read it and subscribe."),
    "public": N_("Public: everybody on this server can read it."),
    "admin": N_("Managed centrally: everybody can read it, only administrators can change it."),
}

LOCAL_HOSTS: Final = ("127.0.0.1", "localhost", "::1")
FOLDER_SIGN = " / "
"""Between the parts of a shown folder; in names it is a slash."""
PARAMETER = "collection"
SCROLL_FROM = 9
LIST_HEIGHT = 560
MEGABYTE = 1e6


def chosen(shelves: Sequence[Shelf]) -> Shelf | None:
    """Return the collection in the address, listed or shared by link, else the person's first."""
    named = st.query_params.get(PARAMETER)
    listed = {shelf.collection_id: shelf for shelf in shelves}
    if named in listed:
        return listed[named]
    if named is not None:
        try:
            return engine().library.shelf(named)
        except NotFound:
            text = _(
                "This collection does not exist, or it is not shared with you. Ask its owner for "
                "the link."
            )
            st.warning(text)
            set_address(collection=None, doc=None)
    return next(iter(_sorted(shelves)), None)


def _sorted(shelves: Sequence[Shelf]) -> list[Shelf]:
    """Return one's own collections first, then subscribed ones, then the others."""
    return sorted(shelves, key=lambda shelf: (not shelf.own, not shelf.subscribed))


def titles(readable: Sequence[CollectionInfo], *, last_part: bool = False) -> dict[str, str]:
    """Return names by id, with owners if they repeat; with ``last_part``, without their folders."""
    names = {}
    for info, name in zip(readable, unique_names(readable), strict=True):
        by = "" if name == info.name else f" · {_('by {owner}', owner=info.owner)}"
        names[info.collection_id] = (_path(info.name)[-1] if last_part else info.name) + by
    return names


def folders(readable: Sequence[C]) -> dict[str, list[C]]:
    """Group collections by what stands before the last slash of their names; "" comes first."""
    paths = {info.collection_id: _path(info.name) for info in readable}
    parents = {tuple(path[:-1]) for path in paths.values()}
    grouped: dict[tuple[str, ...], list[C]] = {}
    for info in readable:
        path = tuple(paths[info.collection_id])
        grouped.setdefault(path if path in parents else path[:-1], []).append(info)
    for folder, members in grouped.items():
        if folder:
            members.sort(key=lambda info: paths[info.collection_id])
    return {FOLDER_SIGN.join(folder): grouped[folder] for folder in sorted(grouped)}


def _path(name: str) -> list[str]:
    """Split ``Client/Matter``; a name of slashes alone stays whole."""
    return [*filter(None, map(str.strip, name.split("/")))] or [name]


def show_list(shelves: Sequence[Shelf], current: Shelf | None) -> None:
    """Draw the list of collections by folder, and the form for a new one."""
    here = current.collection_id if current else None
    names = titles(shelves, last_part=True)
    with st.container(
        height=LIST_HEIGHT if len(shelves) >= SCROLL_FROM else "content",
        border=False,
        key="collection-list",
    ):
        for folder, members in folders(_sorted(shelves)).items():
            if not folder:
                _choices(_("Collections"), PARAMETER, members, names, here)
                continue
            is_open = len(shelves) < SCROLL_FROM or here in [info.collection_id for info in members]
            with st.expander(plain(folder), expanded=is_open, icon=":material/folder:"):
                _choices(folder, f"{PARAMETER}-{folder}", members, names, here)
    _create(here)


def _choices(
    label: str, key: str, members: Sequence[Shelf], names: Mapping[str, str], here: str | None
) -> None:
    ids = [shelf.collection_id for shelf in members]
    st.session_state[key] = here if here in ids else None
    st.radio(
        label,
        ids,
        index=None,
        format_func=lambda id_: plain(names[id_]),
        captions=[facts(shelf) for shelf in members],
        key=key,
        on_change=lambda: set_address(collection=st.session_state[key], doc=None),
        label_visibility="visible" if key == PARAMETER else "collapsed",
    )


def facts(shelf: Shelf) -> str:
    """Return a collection's size, visibility and owner, as Markdown."""
    if shelf.own:
        whose = _("yours")
    else:
        text = N_("subscribed, owner: {owner}") if shelf.subscribed else N_("by {owner}")
        whose = _(text, owner=plain(shelf.owner))
    size = _("documents: {documents}", documents=shelf.documents)
    return " · ".join([size, _(VISIBLE_TO[shelf.visibility]), whose])


def _allowed(texts: Mapping[Visibility, str]) -> dict[Visibility, str]:
    """Return the texts of the visibilities that the person may choose."""
    admin = engine().principal.role == "admin"
    return {value: text for value, text in texts.items() if admin or value != "admin"}


def _create(here: str | None) -> None:
    """Draw the form for a new collection; it closes once another collection is open."""
    with (
        st.popover(_("New collection"), icon=":material/add:", key=f"new-collection-{here}"),
        st.form("new-collection", border=False, clear_on_submit=True),
    ):
        hint = _("e.g. Client/Matter")
        name = st.text_input(_("Name"), key="new-name", max_chars=100, placeholder=hint)
        description = st.text_area(_("Description"), key="new-description")
        readers = _allowed(VISIBLE_TO)
        visibility = select(st, _("Who can read it?"), readers, "new-visibility")
        submitted = st.form_submit_button(_("Create"), type="primary", key="create")

    def create() -> None:
        made = engine().library.create_collection(
            name, description=description, visibility=visibility
        )
        set_address(collection=made.collection_id, doc=None)

    if submitted:
        attempt_and_rerun(create, done=_("“{name}” has been created.", name=plain(name)))


def show(shelf: Shelf) -> None:
    """Draw what the person may do with a collection."""
    if shelf.changeable:
        _describe(shelf)
    else:
        owner = _("administrators") if shelf.visibility == "admin" else plain(shelf.owner)
        st.caption(
            _("You can read and search this collection. Only {owner} can change it.", owner=owner)
        )
    if shelf.subscribed and button(_("Unsubscribe"), "unsubscribe"):
        attempt_and_rerun(lambda: engine().library.unsubscribe(shelf.collection_id))
    _export(shelf)
    if shelf.changeable:
        _delete(shelf)


def offer_subscription(shelf: Shelf) -> None:
    """Offer to subscribe to somebody who came by the link of a collection."""
    if shelf.own or shelf.subscribed or shelf.visibility != "unlisted":
        return
    text = _(
        "The collection belongs to {owner} and is shared by link. If you subscribe, it appears in "
        "your list, and research in all collections includes it.",
        owner=plain(shelf.owner),
    )
    st.info(text)
    if button(_("Subscribe"), "subscribe", type="primary"):
        attempt_and_rerun(lambda: engine().library.subscribe(shelf.collection_id))


def _describe(shelf: Shelf) -> None:
    here = shelf.collection_id
    with st.form(f"rename-{here}"):
        st.markdown(f"**{_('Name and description')}**")
        name = st.text_input(_("Name"), key=stored(f"name-{here}", shelf.name), max_chars=100)
        key = stored(f"description-{here}", shelf.description)
        about = st.text_area(_("Description"), key=key)
        submitted = st.form_submit_button(_("Save"), key="rename")
    if submitted:
        change = engine().library.change_collection
        attempt_and_rerun(lambda: change(here, new_name=name, description=about), done=_("Saved."))


def share(shelf: Shelf) -> None:
    """Draw the button behind which its owner chooses who reads a collection, and copies a link."""
    here, options = shelf.collection_id, _allowed(VISIBLE_TO_WHOM)
    with st.popover(_("Share"), icon=":material/share:", key="sharing"):
        if shelf.visibility == "unlisted":
            page = (st.context.url or "").partition("?")[0]
            address = f"{page}?{PARAMETER}={here}"
            st.caption(who_can_open(page))
            st.code(address, language=None, wrap_lines=True)
            copy_button(_("Copy the link"), "link", address)
        with st.form(f"share-{here}", border=False):
            visibility: Visibility = st.radio(
                _("Who can read it?"),
                list(options),
                format_func=option_labels(options),
                key=stored(f"visibility-{here}", shelf.visibility),
            )
            submitted = st.form_submit_button(_("Change sharing"), key="share")
    if submitted:
        change = engine().library.change_collection
        attempt_and_rerun(
            lambda: change(here, visibility=visibility), done=_("Sharing has been changed.")
        )


def who_can_open(address: str) -> str:
    """Return who can open a link to a collection; one to a loopback stays on its computer."""
    if urlsplit(address).hostname in LOCAL_HOSTS:
        return _(
            "Only people using this machine can open this address. To let others in, serve "
            "Rabbithole under a host name and set up a login."
        )
    return _("Anyone who opens this address can read the collection and subscribe:")


def _delete(shelf: Shelf) -> None:
    size = {"name": plain(shelf.name), "documents": shelf.documents}
    what = _(
        "Deletes **{name}** (documents: {documents}, passages: {chunks}) for everybody who "
        "has access. Finished reports still show their quotes. This cannot be undone; make an"
        " archive first if you are unsure.",
        chunks=shelf.chunks,
        **size,
    )

    def delete() -> None:
        engine().library.delete_collection(shelf.collection_id, wait=False)
        set_address(collection=None, doc=None)

    if widgets.confirm_button(
        _("Delete collection"), what, _("Delete for good"), "delete", "delete"
    ):
        attempt_and_rerun(
            delete, done=_("“{name}” has been deleted (documents: {documents}).", **size)
        )


def _export(shelf: Shelf) -> None:
    with st.container(border=True):
        st.markdown(f"**{_('Archive')}**")
        text = _(
            "An archive contains the originals, their texts and everything needed to restore the "
            "collection elsewhere without reading the files again."
        )
        st.caption(text)
        if button(_("Create archive"), "export", "archive"):
            with st.spinner(_("Writing the archive …")):
                attempt_and_rerun(lambda: _write(shelf))
        collection_id, *archive = st.session_state.get("archive", (None,))
        if collection_id == shelf.collection_id:
            _download(shelf, *archive)


def _write(shelf: Shelf) -> None:
    folder = settings().home / "exports"
    remove_stale(folder)
    path = folder / uuid.uuid4().hex / "archive.zip"
    path.parent.mkdir(parents=True)
    report = engine().library.export_collection(shelf.collection_id, path)
    st.session_state["archive"] = (shelf.collection_id, path, report)


def _download(shelf: Shelf, path: Path, report: ExportReport) -> None:
    if not path.exists():
        return
    if report.unfinished:
        names = plain(", ".join(report.unfinished))
        st.warning(_("Not included because they are not fully read: {names}", names=names))
    download(
        _("Download the archive ({size} MB)", size=format_number(report.bytes / MEGABYTE, 1)),
        lambda: path.open("rb"),
        f"{relative_path(shelf.name).name}.zip",
        "application/zip",
        "download",
        type="primary",
    )


def restore() -> None:
    """Draw the form that makes a collection from an uploaded archive."""
    with (
        st.popover(_("Restore from an archive"), icon=":material/unarchive:", type="tertiary"),
        st.form("restore", border=False, clear_on_submit=True),
    ):
        file = st.file_uploader(_("Archive (ZIP)"), type="zip", key="archive-file")
        limit = _("Up to {most} MB. A larger archive:", most=max_megabytes())
        st.caption(f"{limit} `rabbithole collections restore`")
        name = st.text_input(
            _("Name (leave empty to keep the archive's)"), key="restore-as", max_chars=100
        )
        submitted = st.form_submit_button(_("Restore"), type="primary", key="restore-now")

    def order() -> None:
        if file is None:
            set_notice(_("Choose an archive first."))
            return
        [path] = store(settings().home, [(file.name, file)], engine().awaited_files())
        library_jobs.submit(RestoreCollection(file=str(path), name=name.strip() or None))

    if submitted:
        attempt_and_rerun(order)
