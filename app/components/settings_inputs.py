"""The input that fits a parameter. It always shows the value that counts."""

from collections.abc import Callable
from typing import Any, Final, get_args

import streamlit as st
from pydantic import JsonValue

from app.formats import plain
from app.locale import N_
from app.session import _, engine, labels
from services.domain import Reranking
from services.library.configuration import EffectiveParameter

AS_IN_PROFILE: Final = ""
"""The choice that leaves the reranking of a collection to the profile."""
RERANKING = {
    AS_IN_PROFILE: N_("as in the profile"),
    "none": N_("none"),
    "sentences": N_("by the best sentence"),
    "llm": N_("by the language model"),
    "cross-encoder": N_("by a cross-encoder"),
}
FINE_STEP_BELOW = 0.05
Change = Callable[[JsonValue], None]


def value_input(
    parameter: EffectiveParameter, label: str, *, key: str, disabled: bool, change: Change
) -> None:
    """Draws the input; ``change`` is called with the new value, which may be refused.

    What is shown is taken from the configuration in every run of the script, so that a refused
    value, or one that was changed elsewhere, does not stay in the field.
    """
    if parameter.key == "collections":
        _collections(parameter, label, key=key, disabled=disabled, change=change)
        return

    def keep() -> None:
        if st.session_state[key] is not None:
            change(st.session_state[key])

    common: dict[str, Any] = {
        "key": key,
        "disabled": disabled,
        "on_change": keep,
        "label_visibility": "collapsed",
    }
    value = parameter.value
    if parameter.type == "number" and isinstance(value, int):
        value = float(value)
    st.session_state[key] = value
    if parameter.key == "reranking":
        st.selectbox(label, get_args(Reranking), format_func=labels(RERANKING), **common)
    elif parameter.type == "boolean":
        st.toggle(label, **common)
    elif parameter.type == "string":
        st.text_area(label, height="content", **common)
    else:
        st.number_input(label, **_range(parameter), **common)


def _range(parameter: EffectiveParameter) -> dict[str, Any]:
    """Bounds, step and digits of a field for a number; Streamlit wants them all of one type."""
    kind = int if parameter.type == "integer" else float
    low, high = (
        None if bound is None else kind(bound) for bound in (parameter.minimum, parameter.maximum)
    )
    bounds: dict[str, Any] = {"min_value": low, "max_value": high}
    if parameter.type == "integer":
        return bounds | {"step": 1}
    fine = isinstance(parameter.value, float) and 0 < parameter.value < FINE_STEP_BELOW
    step, digits = (0.001, "%.3f") if fine else (0.05, "%.2f")
    return bounds | {"step": step, "format": digits}


def _collections(
    parameter: EffectiveParameter, label: str, *, key: str, disabled: bool, change: Change
) -> None:
    """Names to choose from, and below each chosen one how it is reranked."""
    stored = parameter.value if isinstance(parameter.value, list) else []
    chosen = {str(row["collection"]): row["reranking"] for row in stored if isinstance(row, dict)}

    def keep() -> None:
        rerankings = {name: st.session_state.get(f"{key}-{name}") for name in st.session_state[key]}
        change([{"collection": name, "reranking": r or None} for name, r in rerankings.items()])

    readable = [info.name for info in engine().library.collections()]
    st.session_state[key] = list(chosen)
    with st.container(gap="xsmall"):
        st.multiselect(
            label,
            list(dict.fromkeys([*readable, *chosen])),
            key=key,
            disabled=disabled,
            on_change=keep,
            placeholder=_("all"),
            label_visibility="collapsed",
        )
        for name, reranking in chosen.items():
            st.session_state[f"{key}-{name}"] = reranking or AS_IN_PROFILE
            st.selectbox(
                _("Reranking in {collection}", collection=plain(name)),
                list(RERANKING),
                format_func=labels(RERANKING),
                key=f"{key}-{name}",
                disabled=disabled,
                on_change=keep,
            )
