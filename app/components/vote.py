"""Thumbs under an answer or report."""

import streamlit as st

from app.components.notices import attempt
from app.session import _, engine
from services.library.thresholds import VoteInfo

LONGEST_WORD = 500


def own(thread_id: str) -> dict[int, VoteInfo]:
    """What this person has said of each turn; an admin may see what others have said, too."""
    me, votes = engine().principal.user, engine().answers.votes(thread_id)
    return {each.turn: each for each in votes if each.user == me}


def show(thread_id: str, turn: int, vote: VoteInfo | None) -> None:
    """A thumb, and then a word if one likes."""
    key = f"vote-{thread_id}-{turn}"

    def send() -> None:
        chosen = st.session_state[key]
        word = st.session_state.get(f"{key}-word", "")
        if chosen is not None:
            attempt(
                lambda: engine().answers.vote(thread_id, bool(chosen), word, turn=turn),
                done=_("Thank you, noted."),
            )

    given = None if vote is None else int(vote.up)
    st.feedback("thumbs", key=key, default=given, on_change=send)
    if st.session_state.get(key) is not None:
        st.text_input(
            _("Comment (optional)"),
            key=f"{key}-word",
            max_chars=LONGEST_WORD,
            placeholder=_("Comment (optional)"),
            label_visibility="collapsed",
            on_change=send,
            width=260,
        )
