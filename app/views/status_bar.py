"""Always visible: model, collections, whether anything runs, and how to stop it."""

import streamlit as st

from app import navigation, session, texts
from app.contract import ACTIVE, Run
from app.sanitise import plain
from app.session import client, language, model_name, say, thread_id
from app.views import no_model
from app.views.notices import attempt, reported
from services.errors import NoModel

POLL_S = 2.0
SHOWN_NAMES = 3
QUESTION_LENGTH = 60

Stamp = tuple[tuple[str, str], ...]


def show() -> None:
    """Draws the bar; it looks for changes only while something runs."""
    facts, active = "", list[Run]()
    with reported():
        known = [_model(), _corpus()]  # asking for the model finds out whether its owner lives
        active = _active()
        facts = " · ".join([*known, *([] if active else [say(texts.IDLE)])])
    with st.container(horizontal=True, key="status-bar", vertical_alignment="center"):
        st.caption(facts, width="stretch")
        st.segmented_control(
            say(texts.LANGUAGE),
            ["de", "en"],
            default=language(),
            required=True,
            format_func=str.upper,
            key=session.LANGUAGE,
            on_change=_keep_language,
            label_visibility="collapsed",
        )
    if active:
        # The page of a run looks at it itself, and redraws this bar when its state changes.
        elsewhere = any(run.thread_id != thread_id() for run in active)
        st.fragment(_running, run_every=POLL_S if elsewhere else None)(_stamp(active))


def _keep_language() -> None:
    attempt(session.keep_language)


def _model() -> str:
    try:
        with st.spinner(say(texts.LOADING_MODEL), show_time=True):
            name = model_name()
    except NoModel as problem:
        no_model.show(problem)
        return say(texts.NO_MODEL)
    if name == "none":
        return say(texts.NO_MODEL_NEEDED)
    return say(texts.MODEL, name=plain(name))


def _corpus() -> str:
    collections = client().collections()
    documents = sum(info.documents for info in collections)
    if not documents:
        return say(texts.NO_DOCUMENTS_SHORT)
    names = [plain(info.name) for info in collections[:SHOWN_NAMES]]
    more = ["…"] if len(collections) > SHOWN_NAMES else []
    return say(texts.COLLECTIONS_SHORT, names=", ".join([*names, *more]), documents=documents)


def _active() -> list[Run]:
    return [run for run in client().runs() if run.status in ACTIVE]


def _stamp(runs: list[Run]) -> Stamp:
    return tuple((run.thread_id, run.status) for run in runs)


def _running(seen: Stamp) -> None:
    with reported():
        active = _active()
        if _stamp(active) != seen:
            st.rerun()
        for run in active:
            _run_line(run)


def _run_line(run: Run) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key=f"active-{run.thread_id}"):
        here = thread_id() == run.thread_id
        name = (
            say(texts.THIS_RESEARCH) if here else plain(run.title or run.question, QUESTION_LENGTH)
        )
        st.markdown(
            f":material/progress_activity: **{say(texts.STATUS[run.status])}:** {name}",
            width="stretch",
        )
        if not here and st.button(say(texts.OPEN), key=f"open-{run.thread_id}", type="tertiary"):
            navigation.to_research(run.thread_id)
        if st.button(say(texts.PAUSE), key=f"pause-{run.thread_id}", icon=":material/pause:"):
            attempt(lambda: client().pause(run.thread_id))
            st.rerun()
        cancel_button(run.thread_id, where="bar")


def cancel_button(thread: str, *, where: str) -> None:
    """Cancelling asks once more, since it cannot be taken back.

    ``where`` tells two of them apart: a run may change its state while the page is drawn.
    """
    with st.popover(say(texts.CANCEL), icon=":material/stop:"):
        st.markdown(say(texts.CANCEL_WHY))
        if st.button(say(texts.CANCEL_NOW), key=f"cancel-{where}-{thread}", type="primary"):
            attempt(lambda: client().cancel(thread))
            st.rerun()
