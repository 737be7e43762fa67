"""The thresholds of a collection: their values, where they come from and why; hold and reset."""

import streamlit as st

from app.components.notices import attempt
from app.components.widgets import icon_button, origin_badge
from app.locale import N_
from app.session import _, engine, say_number
from services.library.thresholds import Threshold

NAMES = {
    "fast": N_("More depth from {value}"),
    "agent": N_("Agent from {value}"),
}


def show() -> None:
    """One collection at a time, since each has thresholds of its own."""
    st.subheader(_("Thresholds by collection"), anchor=False)
    shelves = {shelf.collection_id: shelf for shelf in engine().library.shelves()}
    if not shelves:
        st.info(_("There is no collection yet. Create one in the library."))
        return
    st.caption(
        _(
            "Votes on answers move them a little: after bad ones such questions get more "
            "depth, after good ones less."
        )
    )
    here = st.selectbox(
        _("Collection"),
        list(shelves),
        format_func=lambda collection: shelves[collection].name,
        key="threshold-collection",
    )
    thresholds = engine().answers.thresholds([here])
    shown: dict[str, Threshold] = {name: getattr(thresholds, name) for name in NAMES}
    with st.container(border=True, key="thresholds", gap="xsmall"):
        left, right = st.columns([4, 1], vertical_alignment="center")
        left.markdown("\n\n".join(_line(NAMES[name], each) for name, each in shown.items()))
        if shelves[here].changeable:
            with right, st.container(horizontal=True, horizontal_alignment="right"):
                _buttons(here, held=any(each.origin == "held" for each in shown.values()))


def _line(name: str, threshold: Threshold) -> str:
    """``Mehr Tiefe ab 0,34 [durch Bewertungen] Um 0,01 gesenkt: …``."""
    named = _(name, value=say_number(threshold.value, 2))
    return f"**{named}** {origin_badge(threshold.origin)}  \n:small[:gray[{_why(threshold)}]]"


def _why(threshold: Threshold) -> str:
    votes = {"ups": threshold.ups, "downs": threshold.downs}
    match threshold.origin:
        case "held":
            return _("Held for this collection; votes change nothing.")
        case "set" | "locked":
            return _("Set above as a parameter, which holds for all collections.")
        case "votes":
            by = threshold.value - threshold.default
            text = (
                N_("Lowered by {by}: {ups} good and {downs} bad votes.")
                if by < 0
                else N_("Raised by {by}: {ups} good and {downs} bad votes.")
            )
            return _(text, by=say_number(abs(by), 2), **votes)
    if not any(votes.values()):
        return _("No votes yet.")
    return _("Too few votes, or too even: {ups} good, {downs} bad.", **votes)


def _buttons(here: str, *, held: bool) -> None:
    icon, text = (
        ("lock_open", _("Let votes move them again")) if held else ("lock", _("Hold as they are"))
    )
    icon_button(
        icon,
        text,
        "hold-thresholds",
        attempt,
        lambda: engine().answers.lock_thresholds(here, not held),
    )
    again, done = _("Reset: only later votes count"), _("Reset. From now on only new votes count.")
    icon_button(
        "undo",
        again,
        "reset-thresholds",
        attempt,
        lambda: engine().answers.reset_thresholds(here),
        done,
        disabled=held,
    )
