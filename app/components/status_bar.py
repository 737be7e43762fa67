"""Always visible: model, collections, whether anything runs, and how to stop it.

What runs are researches, and works on the library such as an ingestion.
"""

from dataclasses import dataclass

import streamlit as st

from agent.engine.jobs import JobState
from app import navigation, session
from app.components import settings_models, works
from app.components.notices import act, attempt, reported
from app.components.widgets import ask_first, button, row
from app.formats import plain
from app.labels import STATUS
from app.session import _, engine, language, model_name, thread_id
from services.domain.errors import NoModel
from services.domain.runs import RunInfo

POLL_S = 2.0
SHOWN_NAMES = 3
QUESTION_LENGTH = 60

Stamp = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class _Active:
    runs: tuple[RunInfo, ...] = ()
    works: tuple[JobState, ...] = ()

    @classmethod
    def now(cls) -> "_Active":
        return cls(tuple(engine().threads.active()), tuple(engine().open_jobs()))

    def __bool__(self) -> bool:
        return bool(self.runs or self.works)

    @property
    def stamp(self) -> Stamp:
        runs = [(run.thread_id, run.status) for run in self.runs]
        return (*runs, *((str(work.number), work.status) for work in self.works))


def show(*, in_library: bool = False) -> None:
    """Draws the bar; it looks for changes only while something runs.

    Args:
        in_library: whether the library is shown, which looks at works itself.
    """
    facts, active = "", _Active()
    with reported():
        known = [_model(), _corpus()]  # asking for the model finds out whether its owner lives
        active = _Active.now()
        facts = " · ".join([*known, *([] if active else [_("idle")])])
    with st.container(horizontal=True, key="status-bar", vertical_alignment="center"):
        st.caption(facts, width="stretch")
        st.segmented_control(
            _("Language"),
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
        elsewhere = any(run.thread_id != thread_id() for run in active.runs)
        looks = elsewhere or (active.works and not in_library)
        again = POLL_S if looks else None
        st.fragment(_running, run_every=again)(active.stamp, [active], in_library)


def _keep_language() -> None:
    attempt(session.keep_language)


def _model() -> str:
    try:
        with st.spinner(_("Loading the language model …"), show_time=True):
            name = model_name()
    except NoModel as problem:
        settings_models.show_no_model(problem)
        return session.model_label(None)
    return session.model_label(name)


def _corpus() -> str:
    collections = engine().library.collections()
    documents = sum(info.documents for info in collections)
    if not documents:
        return _("no documents")
    names = [plain(info.name) for info in collections[:SHOWN_NAMES]]
    more = ["…"] if len(collections) > SHOWN_NAMES else []
    return _(
        "{names} · documents: {documents}", names=", ".join([*names, *more]), documents=documents
    )


def _running(seen: Stamp, found: list[_Active], in_library: bool) -> None:
    """Draws what was ``found`` with the page, then looks; a change draws the whole page again.

    Never while the page itself is drawn: a button of it that was pressed would not be heard.
    """
    with reported():
        active = found.pop() if found else _Active.now()
        if active.stamp != seen:
            st.rerun()
        for run in active.runs:
            _run_line(run)
        if active.works:
            names = {info.collection_id: info.name for info in engine().library.collections()}
            for work in active.works:
                _work_line(work, works.heading(work, names), in_library)


def _run_line(run: RunInfo) -> None:
    with row(key=f"active-{run.thread_id}"):
        here = thread_id() == run.thread_id
        quick = run.kind == "ask"
        this = _("this question") if quick else _("this research")
        _state(run.status, this if here else plain(run.title or run.question, QUESTION_LENGTH))
        if not here and button(_("Open"), f"open-{run.thread_id}", type="tertiary"):
            navigation.to_thread(run.thread_id, run.kind)
        if quick:
            return  # seconds; the page of the conversation can stop it
        if button(_("Pause"), f"pause-{run.thread_id}", "pause"):
            act(lambda: engine().threads.pause(run.thread_id))
        cancel_button(run.thread_id, where="bar")


def _work_line(work: JobState, heading: str, in_library: bool) -> None:
    with row(key=f"active-work-{work.number}"):
        _state(work.status, heading)
        if not in_library and button(_("Open"), f"open-work-{work.number}", type="tertiary"):
            st.switch_page(navigation.LIBRARY)


def _state(status: str, name: str) -> None:
    said = f":material/progress_activity: **{_(STATUS[status])}:** {name}"
    st.markdown(said, width="stretch")


def cancel_button(thread: str, *, where: str) -> None:
    """Cancelling asks once more, since it cannot be taken back.

    ``where`` tells two of them apart: a run may change its state while the page is drawn.
    """
    why = _(
        "Ends the research. The report then rests on what was found so far; without findings "
        "there is none. This cannot be undone."
    )
    if ask_first(_("Cancel"), why, _("Cancel for good"), f"cancel-{where}-{thread}", "stop"):
        act(lambda: engine().threads.cancel(thread))
