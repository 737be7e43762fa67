"""What was done by a rule instead of the model, or left out, in words that a reader knows."""

import re
from collections.abc import Sequence

import streamlit as st

from app import texts
from app.session import say
from app.texts import report as words

_LEFT_OUT = re.compile(r"(?s)(.*?): left out for lack of support: (.*)")
_FALLBACK = re.compile(r"(?s)([a-z_]+): (.+)")


def show(degraded: Sequence[str]) -> None:
    """One line a step; nothing where all went as planned."""
    if degraded:
        with st.expander(say(texts.DEGRADED, count=len(degraded))):
            st.caption(say(texts.DEGRADED_WHY))
            for line in degraded:
                st.text(in_words(line))


def in_words(line: str) -> str:
    """A line of the report's ``degraded``, ``step: what happened``."""
    if found := _LEFT_OUT.fullmatch(line):
        return f"{_step(found[1])}: {say(words.LEFT_OUT, what=found[2])}"
    if found := _FALLBACK.fullmatch(line):
        return f"{_step(found[1])}: {say(words.RULE_INSTEAD, why=found[2])}"
    return line


def _step(name: str) -> str:
    known = words.STEP.get(name)
    return say(known) if known else name
