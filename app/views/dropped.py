"""Evidence that validation dropped, and the way back for it."""

import re
from typing import Any, Final

import streamlit as st

from app import texts
from app.formats import number
from app.sanitise import plain
from app.session import client, language, say
from app.texts import report as words
from app.views.notices import attempt
from app.views.places import place

SHOWN: Final = 30
NAME: Final = "restore"
_TOO_LOW: Final = re.compile(r"relevance [\d.]+ .*is below (\d+(?:\.\d+)?)(?: for tier \d)?")

Report = dict[str, Any]
Item = dict[str, Any]


def show(report: Report) -> None:
    """Each with relevance and reason; what is ticked comes back, and the answer is rewritten."""
    items = sorted(report["dropped"], key=lambda item: -item["score"])
    if not items:
        st.caption(say(texts.NO_DROPPED))
        return
    st.caption(say(words.RESTORE_WHY))
    with st.form(NAME, border=False):
        ticked = [item["chunk_id"] for item in items[:SHOWN] if _tick(item)]
        if len(items) > SHOWN:
            st.caption(say(words.MORE_DROPPED, count=len(items) - SHOWN))
        wanted = st.form_submit_button(say(words.RESTORE), icon=":material/undo:")
    if wanted and not ticked:
        st.caption(say(words.RESTORE_NONE))
    elif wanted:
        attempt(lambda: client().restore_evidence(report["thread_id"], ticked))
        st.rerun()


def _tick(item: Item) -> bool:
    where = place(item.get("document", ""), item.get("section", ""), None)
    with st.container(gap=None, key=f"dropped-{item['chunk_id']}"):
        chosen = st.checkbox(
            plain(where) or plain(item["chunk_id"]), key=f"{NAME}-{item['chunk_id']}"
        )
        st.caption(_why(item))
    return chosen


def _why(item: Item) -> str:
    score = number(item["score"], language(), 2)
    reason = item["reason"] or ""
    if found := _TOO_LOW.fullmatch(reason):
        least = number(float(found[1]), language(), 2)
        return say(words.TOO_LOW, tier=item["tier"], score=score, least=least)
    return f"{say(words.TIER_AND_SCORE, tier=item['tier'], score=score)} · {plain(reason)}"
