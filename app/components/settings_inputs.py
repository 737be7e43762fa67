"""The input that fits a parameter. It always shows the value that counts."""

from collections.abc import Callable, Sequence
from typing import Any, get_args

import streamlit as st
from pydantic import JsonValue

from app import texts as common
from app.formats import plain
from app.session import engine, say
from app.texts import parameters as texts
from services.domain import Reranking
from services.library.configuration import EffectiveParameter

RERANKINGS: tuple[str, ...] = get_args(Reranking)
FINE_STEP_BELOW = 0.05
AS_IN_PROFILE = ""
"""The choice that leaves the reranking of a collection to the profile."""
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
    st.session_state[key] = _as_shown(parameter)

    def keep() -> None:
        if st.session_state[key] is not None:
            change(st.session_state[key])

    common: dict[str, Any] = {
        "key": key,
        "disabled": disabled,
        "on_change": keep,
        "label_visibility": "collapsed",
    }
    if parameter.key == "reranking":
        names = _reranking_names()
        st.selectbox(label, RERANKINGS, format_func=names.__getitem__, **common)
    elif parameter.type == "boolean":
        st.toggle(label, **common)
    elif parameter.type in ("integer", "number"):
        _number(parameter, label, common)
    else:
        st.text_area(label, height="content", **common)


def _as_shown(parameter: EffectiveParameter) -> Any:
    value = parameter.value
    return float(value) if parameter.type == "number" and isinstance(value, int) else value


def _number(parameter: EffectiveParameter, label: str, common: dict[str, Any]) -> None:
    if parameter.type == "integer":
        st.number_input(
            label,
            None if parameter.minimum is None else int(parameter.minimum),
            None if parameter.maximum is None else int(parameter.maximum),
            step=1,
            **common,
        )
        return
    fine = isinstance(parameter.value, float) and 0 < parameter.value < FINE_STEP_BELOW
    st.number_input(
        label,
        None if parameter.minimum is None else float(parameter.minimum),
        None if parameter.maximum is None else float(parameter.maximum),
        step=0.001 if fine else 0.05,
        format="%.3f" if fine else "%.2f",
        **common,
    )


def _reranking_names() -> dict[str, str]:
    """In the language of this run of the script."""
    names = {AS_IN_PROFILE: say(texts.AS_IN_PROFILE)}
    return names | {reranking: say(texts.RERANKING[reranking]) for reranking in RERANKINGS}


def _collections(
    parameter: EffectiveParameter, label: str, *, key: str, disabled: bool, change: Change
) -> None:
    """Names to choose from, and below each chosen one how it is reranked."""
    chosen = _chosen(parameter.value)

    def keep() -> None:
        names: Sequence[str] = st.session_state[key]
        change(
            [
                {"collection": name, "reranking": st.session_state.get(f"{key}-{name}") or None}
                for name in names
            ]
        )

    readable = [info.name for info in engine().library.collections()]
    st.session_state[key] = list(chosen)
    with st.container(gap="xsmall"):
        st.multiselect(
            label,
            list(dict.fromkeys([*readable, *chosen])),
            key=key,
            disabled=disabled,
            on_change=keep,
            placeholder=say(common.ALL_COLLECTIONS),
            label_visibility="collapsed",
        )
        names = _reranking_names()
        for name, reranking in chosen.items():
            st.session_state[f"{key}-{name}"] = reranking or AS_IN_PROFILE
            st.selectbox(
                say(texts.RERANKING_OF, collection=plain(name)),
                (AS_IN_PROFILE, *RERANKINGS),
                format_func=names.__getitem__,
                key=f"{key}-{name}",
                disabled=disabled,
                on_change=keep,
            )


def _chosen(value: JsonValue) -> dict[str, str | None]:
    """Reranking by collection, out of the value as it is stored."""
    rows = value if isinstance(value, list) else []
    return {
        str(row["collection"]): None if row["reranking"] is None else str(row["reranking"])
        for row in rows
        if isinstance(row, dict)
    }
