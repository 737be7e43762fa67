"""A collection as a file: writing it for download, and restoring one that is uploaded."""

import uuid
from pathlib import Path

import streamlit as st

from agent.commands import RestoreCollection
from agent.shown import ExportReport
from app.formats import number
from app.sanitise import plain
from app.session import client, language, leave_notice, say, settings
from app.texts import library as texts
from app.uploads import UploadFolder, file_name, remove_left_over
from app.views.notices import attempt
from services.types import Shelf

LARGEST_MB = 2000
MEGABYTE = 1e6


def export(shelf: Shelf) -> None:
    """Offers the archive of a collection, which is written when it is asked for."""
    with st.container(border=True):
        st.markdown(f"**{say(texts.ARCHIVE)}**")
        st.caption(say(texts.ARCHIVE_WHY))
        if st.button(say(texts.EXPORT), icon=":material/archive:", key="export"):
            with st.spinner(say(texts.EXPORTING)):
                attempt(lambda: _write(shelf))
            st.rerun()
        written = st.session_state.get("archive")
        if written is not None and written[0] == shelf.collection_id:
            _download(shelf, *written[1:])


def _write(shelf: Shelf) -> None:
    folder = settings().home / "exports"
    remove_left_over(folder)
    path = folder / uuid.uuid4().hex / "archive.zip"
    path.parent.mkdir(parents=True)
    report = client().export_collection(shelf.collection_id, path)
    st.session_state["archive"] = (shelf.collection_id, path, report)


def _download(shelf: Shelf, path: Path, report: ExportReport) -> None:
    if not path.exists():
        return
    if report.unfinished:
        names = plain(", ".join(report.unfinished))
        st.warning(say(texts.EXPORT_WITHOUT, names=names))
    st.download_button(
        say(texts.DOWNLOAD, size=number(report.bytes / MEGABYTE, language(), 1)),
        data=lambda: path.open("rb"),
        file_name=f"{file_name(shelf.name)}.zip",
        mime="application/zip",
        type="primary",
        icon=":material/download:",
        on_click="ignore",
        key="download",
    )


def restore() -> None:
    """Makes a collection of an uploaded archive."""
    with st.popover(say(texts.RESTORE), icon=":material/unarchive:", type="tertiary"):  # noqa: SIM117
        with st.form("restore", border=False, clear_on_submit=True):
            file = st.file_uploader(
                say(texts.RESTORE_FILE), type="zip", max_upload_size=LARGEST_MB, key="archive-file"
            )
            name = st.text_input(say(texts.RESTORE_AS), key="restore-as", max_chars=100)
            submitted = st.form_submit_button(
                say(texts.RESTORE_NOW), type="primary", key="restore-now"
            )
    if not submitted:
        return
    if file is None:
        leave_notice(say(texts.NO_ARCHIVE))
    else:
        attempt(lambda: _order(UploadFolder(settings().home).keep([file]), name.strip() or None))
    st.rerun()


def _order(paths: list[Path], name: str | None) -> None:
    client().order(RestoreCollection(file=str(paths[0]), name=name))
