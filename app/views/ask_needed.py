"""Under a structured answer: what was needed, where it was found, and what is missing."""

from typing import Any

import streamlit as st

from app.formats import number
from app.sanitise import plain
from app.session import language, say
from app.texts import ask_needed as words
from app.views import coverage

Turn = dict[str, Any]


def show(turn: Turn) -> None:
    """The matrix of coverage, and folded away what was searched for; nothing at other depths."""
    if not turn.get("required_info"):
        return
    with st.container(key=f"needed-{turn['turn']}", gap="small"):
        st.markdown(f"**{say(words.NEEDED)}**")
        st.caption(_facts(turn))
        coverage.show(turn, f"turn-{turn['turn']}")
        with st.expander(say(words.QUERIES, count=len(turn["sub_queries"]))):
            for query in turn["sub_queries"]:
                _query(query)


def _facts(turn: Turn) -> str:
    share = number(100 * turn["confidence"], language())
    facts = [say(words.FACTS, kind=say(words.TYPES[turn["question_type"]]), share=share)]
    if turn["temporal_coverage"]:
        facts.append(say(words.TIMES, time=plain(turn["temporal_coverage"])))
    return " · ".join(facts)


def _query(query: dict[str, Any]) -> None:
    """One search: its words, what it was for, and how much each strategy found."""
    counts = " · ".join(
        say(words.STRATEGIES[name], count=count)
        for name, count in query["found"].items()
        if count and name in words.STRATEGIES
    )
    st.text(query["query"])
    again = f"{say(words.AGAIN)} · " if query["gap"] else ""
    st.caption(f"{again}{plain(query['target_info'])} · {say(words.FOUND_BY, counts=counts or 0)}")
