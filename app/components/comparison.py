"""The comparison of two versions of a document: the sections that changed, word by word."""

from functools import partial
from typing import Final

import streamlit as st

from agent.engine.library import MarkedText, SectionChange
from app import navigation
from app.components.document import version_name
from app.components.widgets import paginate, quiet_button
from app.formats import plain, plain_inline
from app.locale import N_
from app.session import _, cached, engine, set_address
from services.domain import OpenDocument

AGAINST: Final = "against"
"""Query parameter of the older version, in the address of the newer one."""
PAGE = 20
CONTEXT_LENGTH: Final = 160
"""Most unchanged characters that are shown beside a change."""
NAME_LENGTH = 100
CHANGE_KIND = {
    "changed": (N_("changed"), "orange"),
    "added": (N_("new"), "green"),
    "removed": (N_("removed"), "red"),
}


def link(older: str, newer: str) -> None:
    """Link to the comparison of two versions."""
    icon, query = ":material/compare_arrows:", {"doc": newer, AGAINST: older}
    st.page_link(navigation.DOCUMENT, label=_("Compare"), icon=icon, query_params=query)


def show(newer: OpenDocument, older: str) -> None:
    """Draw the sections that changed, and the threads that cite their older text."""
    ids = (older, newer.info.document_id)
    label, query = _("Pages side by side"), {AGAINST: None, navigation.SECOND: older}
    open_ = partial(set_address, **query)
    quiet_button(label, "pages-side-by-side", "splitscreen_right", on_click=open_)
    comparison = cached("comparison", ids, lambda: engine().library.compare(*ids))
    old, new = comparison.old, comparison.new
    if old.parser_version != new.parser_version:
        text = _(
            "The two documents were read by different versions of Rabbithole, which may explain "
            "some of the differences."
        )
        st.caption(text)
    if not comparison.changes:
        st.info(_("No section has changed in the newer version."))
        return
    st.markdown(_("Sections that changed: {count}", count=len(comparison.changes)))
    if comparison.citing:
        st.warning(_("These answers cite a section that has since changed:"))
    for run in comparison.citing:
        name = plain(run.title or run.question, NAME_LENGTH)
        if quiet_button(name, f"cites-{run.thread_id}", "description"):
            navigation.switch_to_thread(run.thread_id)
    for column, version in zip(st.columns(2), (old, new), strict=True):
        column.markdown(f"**{plain(version_name(version))}**")
    for number, change in enumerate(paginate(comparison.changes, PAGE, "changes-page")):
        _change(change, number)


def _change(change: SectionChange, number: int) -> None:
    kind, colour = CHANGE_KIND[change.kind]
    section = change.section
    name = section.title if section.label in section.title else f"{section.label} {section.title}"
    with st.container(border=True, key=f"change-{number}"):
        st.markdown(f"**{plain(name, NAME_LENGTH)}** :{colour}-badge[{_(kind)}]")
        sides = (("old", change.old), ("new", change.new))
        for column, (side, pieces) in zip(st.columns(2), sides, strict=True):
            with column, st.container(key=f"side-{side}-{number}"):
                last = len(pieces) - 1
                text = "".join(
                    _shortened(piece, n == 0, n == last) for n, piece in enumerate(pieces)
                )
                st.markdown(text if pieces else f"*{_('missing from this version')}*")


def _shortened(piece: MarkedText, first: bool, last: bool) -> str:
    text = piece.text
    if not piece.marked and not (first and last) and len(text) > 2 * CONTEXT_LENGTH:
        head = "" if first else text[:CONTEXT_LENGTH].rsplit(maxsplit=1)[0]
        tail = "" if last else "".join(text[-CONTEXT_LENGTH:].split(maxsplit=1)[-1:])
        text = f"{head} … {tail}"
    paragraphs = text.split("\n\n")
    return "\n\n".join(plain_inline(text, strong=piece.marked) for text in paragraphs)
