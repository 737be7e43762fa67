"""The thresholds of a collection: their values, where they come from and why; hold and reset."""

import streamlit as st

from app.components.notices import attempt
from app.components.widgets import icon_button, origin_badge
from app.locale import N_
from app.session import _, engine, leave_notice, say_number
from services.domain import Shelf
from services.library.thresholds import Threshold, Thresholds

NAMES = {
    "fast": N_("More depth from {value}"),
    "agent": N_("Agent from {value}"),
}

HELD = "held"


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
    chosen = st.selectbox(
        _("Collection"),
        list(shelves),
        format_func=lambda place: shelves[place].name,
        key="threshold-collection",
    )
    now = engine().answers.thresholds([chosen])
    with st.container(border=True, key="thresholds", gap="xsmall"):
        left, right = st.columns([4, 1], vertical_alignment="center")
        left.markdown("\n\n".join(_line(name, getattr(now, name)) for name in NAMES))
        if shelves[chosen].changeable:
            with right, st.container(horizontal=True, horizontal_alignment="right"):
                _buttons(shelves[chosen], now)


def _line(name: str, threshold: Threshold) -> str:
    """``Mehr Tiefe ab 0,34 [durch Bewertungen] Um 0,01 gesenkt: …``."""
    value = say_number(threshold.value, 2)
    badge = origin_badge(threshold.origin)
    why = f":small[:gray[{_why(threshold)}]]"
    return f"**{_(NAMES[name], value=value)}** {badge}  \n{why}"


def _why(threshold: Threshold) -> str:
    votes = {"ups": threshold.ups, "downs": threshold.downs}
    match threshold.origin:
        case "held":
            return _("Held for this collection; votes change nothing.")
        case "set" | "locked":
            return _("Set above as a parameter, which holds for all collections.")
        case "votes":
            text = (
                N_("Lowered by {by}: {ups} good and {downs} bad votes.")
                if threshold.value < threshold.default
                else N_("Raised by {by}: {ups} good and {downs} bad votes.")
            )
            by = say_number(abs(threshold.value - threshold.default), 2)
            return _(text, by=by, **votes)
    return (
        _("Too few votes, or too even: {ups} good, {downs} bad.", **votes)
        if any(votes.values())
        else _("No vote tells of it.")
    )


def _buttons(shelf: Shelf, now: Thresholds) -> None:
    held = HELD in (now.fast.origin, now.agent.origin)
    here = shelf.collection_id
    icon, text = (
        ("lock_open", _("Let votes move them again")) if held else ("lock", _("Hold as they are"))
    )
    icon_button(icon, text, "hold-thresholds", _hold, here, not held)
    icon_button(
        "undo", _("Reset: only later votes count"), "reset-thresholds", _reset, here, disabled=held
    )


def _hold(collection: str, held: bool) -> None:
    attempt(lambda: engine().answers.lock_thresholds(collection, held))


def _reset(collection: str) -> None:
    if attempt(lambda: engine().answers.reset_thresholds(collection)):
        leave_notice(_("Reset. From now on only new votes count."))
