"""The models in the settings: the language model with its reading test, the embedding model."""

from collections.abc import Callable
from typing import Final, TypeVar

import streamlit as st

from app import session
from app.components.model_choice import ICONS, NO_MODEL, WORKS, model_form, show_check
from app.components.notices import show_errors
from app.components.widgets import button
from app.formats import plain
from app.locale import N_
from app.session import _, engine, format_number, notice_text
from services.domain.errors import RabbitholeError
from services.domain.model_checks import EmbedderCheck, ItemKind, ItemResult, ModelReading
from services.domain.notices import Notice

T = TypeVar("T")
RESULTS: Final = {
    True: N_("Reading test passed"),
    False: N_("Reading test failed"),
    None: N_("Reading test not taken"),
}
ITEM_KINDS: Final[dict[ItemKind, str]] = {
    "read": N_("answer with quotes"),
    "decline": N_("decline to answer"),
    "verify": N_("find errors"),
}


def show() -> None:
    """Draw the language model with its choice and tests, and the embedding model."""
    st.subheader(_("Language model"), anchor=False)
    state = session.model_state()
    with show_errors():
        st.markdown(session.model_summary(state))
    with show_errors():
        model_form()
        _test(
            _("Test the current model"),
            _("The language model does not work"),
            "model-check",
            lambda: engine().settings.check_model(),
            show_check,
        )
    if state.name not in (None, NO_MODEL):
        with show_errors():
            _reading_test(str(state.name))
    st.subheader(_("Embedding model"), anchor=False)
    st.caption(
        _("The embedding model turns text into vectors, so that the search can compare meanings.")
    )
    _test(
        _("Test the embedding model"),
        _("The embedding model does not work"),
        "embedder-check",
        lambda: engine().settings.check_embedder(),
        _show_embedder,
    )


def _reading_test(model: str) -> None:
    """Draw the result of the reading test, and a button to repeat it."""
    reading = engine().settings.model_reading(model)
    if button(_("Repeat the reading test"), "model-reading-test", "fact_check"):
        with st.spinner(_("Waiting for the model …"), show_time=True):
            reading = engine().settings.take_reading_test(again=True) or reading
    show_reading(reading)


def _test(
    label: str, failed: str, key: str, check: Callable[[], T], show_result: Callable[[T], None]
) -> None:
    """Draw a button that runs a test; the result of the last one stays below it."""
    result_key = f"{key}-result"
    if button(label, key, "network_check"):
        try:
            with st.spinner(_("Waiting for the model …"), show_time=True):
                st.session_state[result_key] = check()
        except RabbitholeError as problem:
            st.session_state[result_key] = problem.notice
    result: T | Notice | None = st.session_state.get(result_key)
    if isinstance(result, Notice):
        st.error(plain(notice_text(result)), title=failed)
    elif result is not None:
        show_result(result)


def _show_embedder(check: EmbedderCheck) -> None:
    st.success(_("The embedding model works."))
    lines = [
        _("Embeds a question in {ms} ms", ms=format_number(check.query_ms)),
        _(
            "{dimension} dimensions; uses the first {tokens} tokens of a passage",
            dimension=check.dimension,
            tokens=format_number(check.max_tokens),
        ),
    ]
    st.markdown("  \n".join(f"{WORKS} {line}" for line in lines))
    st.caption(_("Model fingerprint: {id}", id=plain(check.fingerprint)))
    if check.foreign:
        st.warning(
            _(
                "These collections cannot be searched because they were indexed with another "
                "embedding model: {names}. Set RABBITHOLE_EMBEDDING to that model again, or "
                "rebuild their indexes in the library, under “Health”.",
                names=plain(", ".join(check.foreign)),
            )
        )


def show_reading(reading: ModelReading) -> None:
    """Draw whether the model reads, the setting that overrides its test, and the test items."""
    effect = _("the model writes answers") if reading.reads else _("answers are quotes only")
    if reading.setting != "auto":
        effect += f" (`RABBITHOLE_READS={reading.setting}`)"
    st.markdown(f"{ICONS[reading.reads]} {_(RESULTS[reading.passed])}: {effect}")
    if reading.problem is not None:
        st.warning(
            plain(notice_text(reading.problem)), title=_("The last reading test was not finished")
        )
    if reading.items:
        with st.expander(_("The reading test, item by item")):
            for item in reading.items:
                _show_item(item)


def _show_item(item: ItemResult) -> None:
    problem = f"  \n**{plain(notice_text(item.problem))}**" if item.problem is not None else ""
    kind = _(ITEM_KINDS[item.kind])
    st.markdown(f"{ICONS[item.problem is None]} {plain(item.question)} ({kind}){problem}")
    st.text(item.reply)
