"""The thresholds of a collection: their values, where they come from and why; hold and reset."""

import streamlit as st

from app.components.notices import attempt
from app.components.widgets import icon_button
from app.session import engine, leave_notice, say, say_number
from app.texts import thresholds as texts
from services.domain import Shelf
from services.library.thresholds import Threshold, Thresholds

BADGES = {
    "default": ":gray-badge[{}]",
    "votes": ":blue-badge[{}]",
    "held": ":yellow-badge[:material/lock: {}]",
    "set": ":blue-badge[{}]",
    "locked": ":yellow-badge[:material/lock: {}]",
}
HELD = "held"


def show() -> None:
    """One collection at a time, since each has thresholds of its own."""
    st.subheader(say(texts.THRESHOLDS), anchor=False)
    shelves = {shelf.collection_id: shelf for shelf in engine().library.shelves()}
    if not shelves:
        st.info(say(texts.NO_COLLECTIONS))
        return
    st.caption(say(texts.WHAT))
    chosen = st.selectbox(
        say(texts.COLLECTION),
        list(shelves),
        format_func=lambda place: shelves[place].name,
        key="threshold-collection",
    )
    now = engine().answers.thresholds([chosen])
    with st.container(border=True, key="thresholds", gap="xsmall"):
        left, right = st.columns([4, 1], vertical_alignment="center")
        left.markdown("\n\n".join(_line(name, getattr(now, name)) for name in texts.NAMES))
        if shelves[chosen].changeable:
            with right, st.container(horizontal=True, horizontal_alignment="right"):
                _buttons(shelves[chosen], now)


def _line(name: str, threshold: Threshold) -> str:
    """``Mehr Tiefe ab 0,34 [durch Bewertungen] Um 0,01 gesenkt: …``."""
    value = say_number(threshold.value, 2)
    badge = BADGES[threshold.origin].format(say(texts.ORIGIN[threshold.origin]))
    why = f":small[:gray[{_why(threshold)}]]"
    return f"**{say(texts.NAMES[name], value=value)}** {badge}  \n{why}"


def _why(threshold: Threshold) -> str:
    votes = {"ups": threshold.ups, "downs": threshold.downs}
    match threshold.origin:
        case "held":
            return say(texts.HELD)
        case "set" | "locked":
            return say(texts.BY_PARAMETER)
        case "votes":
            text = texts.LOWERED if threshold.value < threshold.default else texts.RAISED
            by = say_number(abs(threshold.value - threshold.default), 2)
            return say(text, by=by, **votes)
    return say(texts.FEW_VOTES, **votes) if any(votes.values()) else say(texts.NO_VOTES)


def _buttons(shelf: Shelf, now: Thresholds) -> None:
    held = HELD in (now.fast.origin, now.agent.origin)
    here = shelf.collection_id
    icon, text = ("lock_open", texts.RELEASE) if held else ("lock", texts.HOLD)
    icon_button(icon, text, "hold-thresholds", _hold, here, not held)
    icon_button("undo", texts.RESET, "reset-thresholds", _reset, here, disabled=held)


def _hold(collection: str, held: bool) -> None:
    attempt(lambda: engine().answers.lock_thresholds(collection, held))


def _reset(collection: str) -> None:
    if attempt(lambda: engine().answers.reset_thresholds(collection)):
        leave_notice(say(texts.WAS_RESET))
