"""The neighbourhood of an answer as a small graph: cited sections and what they refer to."""

from typing import Any

import streamlit as st

from agent import pictures
from app.sanitise import plain
from app.session import client, language, say
from app.texts import neighbourhood as words
from app.views import picture
from app.views.notices import reported

LOOKED_AT = "neighbourhoods"
"""Where a window keeps what was found around answers, by thread and turn."""


def show(report: dict[str, Any]) -> None:
    """The picture, to be moved sideways on a narrow screen; nothing without references."""
    drawn = pictures.neighbourhood(report, language())
    if not drawn:
        return
    st.markdown(f"**{say(words.TITLE)}**")
    st.caption(say(words.HOW_TO_READ))
    picture.show(drawn)


def show_folded(turn: dict[str, Any]) -> None:
    """That of a quick answer, in a fold; nothing is looked up before that is opened.

    An answer that is a list of places has none.
    """
    if turn["sentences"] and not turn["listed"]:
        st.fragment(_fold)(turn["thread_id"], turn["turn"])


def _fold(thread: str, turn: int) -> None:
    box = st.expander(say(words.TITLE), key=f"around-{thread}-{turn}", on_change="rerun")
    if not box.open:
        return
    with box, reported():
        drawn, told = pictures.around(_around(thread, turn), language())
        if not drawn:
            st.caption(say(words.NOTHING))
            return
        st.caption(say(words.HOW_TO_READ))
        picture.show(drawn)
        lines = (plain(each).replace("§ ", "§\u00a0") for each in told)
        st.markdown("\n".join(f"- {line}" for line in lines))


def _around(thread: str, turn: int) -> pictures.Neighbourhood:
    """What is around an answer, read once a window."""
    kept = st.session_state.setdefault(LOOKED_AT, {})
    if (thread, turn) not in kept:
        kept[thread, turn] = client().neighbourhood(thread, turn)
    found: pictures.Neighbourhood = kept[thread, turn]
    return found
