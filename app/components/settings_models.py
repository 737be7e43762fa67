"""The models in use: the choice of one that writes, and a trial of both."""

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from app import session
from app.components import model_setup
from app.components.model_findings import NO_MODEL, WORKS, show_check, show_reading
from app.components.notices import reported
from app.components.widgets import button
from app.formats import plain
from app.session import _, engine, say_number, tell
from services.domain.errors import RabbitholeError
from services.domain.model_checks import EmbedderCheck
from services.domain.notices import Notice

T = TypeVar("T")


def show() -> None:
    """The language model with its choice, and the embedding model."""
    st.subheader(_("Language model"), anchor=False)
    state = session.model_state()
    with reported():
        st.markdown(session.model_line(state))
    with reported():
        model_setup.form()
        _test(
            _("Test the current model"),
            _("The language model does not work"),
            "model-check",
            lambda: engine().settings.check_model(),
            show_check,
        )
    if state.name not in (None, NO_MODEL):
        with reported():
            _reading(str(state.name))
    st.subheader(_("Embedding model"), anchor=False)
    st.caption(_("It turns texts into vectors, so that the search can compare meanings."))
    _test(
        _("Test the embedding model"),
        _("The embedding model does not work"),
        "embedder-check",
        lambda: engine().settings.check_embedder(),
        _show_embedder,
    )


def _reading(model: str) -> None:
    """Whether the model reads, as far as anybody knows, and a button to examine it again."""
    found = engine().settings.model_reading(model)
    if button(_("Repeat the reading test"), "model-examination", "fact_check"):
        with st.spinner(_("Asking the model …"), show_time=True):
            found = engine().settings.examine_model(again=True) or found
    show_reading(found)


def _test(
    label: str, failed: str, key: str, check: Callable[[], T], show_result: Callable[[T], None]
) -> None:
    """A button; what the last test of this session showed stays below it."""
    kept = f"{key}-result"
    if button(label, key, "network_check"):
        try:
            with st.spinner(_("Asking the model …"), show_time=True):
                st.session_state[kept] = check()
        except RabbitholeError as problem:
            st.session_state[kept] = problem.notice
    result: T | Notice | None = st.session_state.get(kept)
    if isinstance(result, Notice):
        st.error(plain(tell(result)), title=failed)
    elif result is not None:
        show_result(result)


def _show_embedder(check: EmbedderCheck) -> None:
    st.success(_("The embedding model works."))
    st.markdown(f"{WORKS} {_('Reads a question in {ms} ms', ms=say_number(check.query_ms))}")
    if check.foreign:
        st.warning(
            _(
                "Indexed with another embedding model and not searchable like this: "
                "{names}. Set RABBITHOLE_EMBEDDING back, or ingest these documents into a "
                "new collection.",
                names=plain(", ".join(check.foreign)),
            )
        )
    with st.expander(_("Details")):
        size = _(
            "{dimension} dimensions; reads passages of up to {tokens} tokens whole",
            dimension=check.dimension,
            tokens=say_number(check.max_tokens),
        )
        named = plain(session.settings().embedding)
        st.markdown(
            f"{size}  \n{_('Fingerprint')}: {plain(check.fingerprint)}  \n"
            f"`RABBITHOLE_EMBEDDING` = {named}"
        )
