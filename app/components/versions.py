"""What changed between two versions of a document, section by section, and what rests on it."""

from collections.abc import Sequence
from typing import Final

import streamlit as st

from agent.engine.library import Comparison, Piece, SectionChange
from app import navigation
from app.components.widgets import paged, quiet_button
from app.formats import amid, plain
from app.locale import N_
from app.session import _, engine, kept, say_moment
from services.domain import OpenDocument

AGAINST: Final = "against"
"""The older version, in the address of the newer one."""
PAGE = 20
KEPT: Final = 160
"""Characters that stay beside a change of what did not change."""
NAME = 100
KIND = {
    "changed": (N_("changed"), "orange"),
    "added": (N_("new"), "green"),
    "removed": (N_("gone"), "red"),
}


def link(older: str, newer: str) -> None:
    """A way to the two versions beside each other."""
    st.page_link(
        navigation.DOCUMENT,
        label=_("Compare"),
        icon=":material/compare_arrows:",
        query_params={"doc": newer, AGAINST: older},
    )


def show(newer: OpenDocument, older: str) -> None:
    """The sections that changed, with the threads that cite them as they were."""
    ids = (older, newer.info.document_id)
    found = kept("comparison", ids, lambda: engine().library.compare(*ids))
    when = [say_moment(each.ingested_at) for each in (found.old, found.new)]
    st.caption(_("Version of {old} compared with that of {new}", old=when[0], new=when[1]))
    if found.old.parser_version != found.new.parser_version:
        st.caption(
            _("Different versions of the program read them, which may explain some differences.")
        )
    if not found.changes:
        st.info(_("No section has changed in the newer version."))
        return
    st.markdown(_("Sections that changed: {count}", count=len(found.changes)))
    _citing(found)
    for number, change in enumerate(paged(found.changes, PAGE, "changes-page")):
        _change(change, number)


def _citing(found: Comparison) -> None:
    if found.citing:
        st.warning(_("These answers cite a section that has changed since:"))
        for run in found.citing:
            name = plain(run.title or run.question, NAME)
            if quiet_button(name, f"cites-{run.thread_id}", "description"):
                navigation.to_thread(run.thread_id)


def _change(change: SectionChange, number: int) -> None:
    kind, colour = KIND[change.kind]
    section = change.section
    name = section.title if section.label in section.title else f"{section.label} {section.title}"
    with st.container(border=True, key=f"change-{number}"):
        st.markdown(f"**{plain(name, NAME)}** :{colour}-badge[{_(kind)}]")
        for at, side in zip(st.columns(2), (change.old, change.new), strict=True):
            with at, st.container(key=f"side-{'old' if side is change.old else 'new'}-{number}"):
                st.markdown(_running(side) if side else f"*{_('not in this version')}*")


def _running(pieces: Sequence[Piece]) -> str:
    """The text as Markdown, paragraph by paragraph, cut where nothing changed for long."""
    last = len(pieces) - 1
    return "".join(_near(each, n == 0, n == last) for n, each in enumerate(pieces))


def _near(piece: Piece, first: bool, last: bool) -> str:
    text = piece.text
    if not piece.marked and not (first and last) and len(text) > 2 * KEPT:
        head = "" if first else text[:KEPT].rsplit(maxsplit=1)[0]
        tail = "" if last else "".join(text[-KEPT:].split(maxsplit=1)[-1:])
        text = f"{head} … {tail}"
    return "\n\n".join(amid(each, strong=piece.marked) for each in text.split("\n\n"))
