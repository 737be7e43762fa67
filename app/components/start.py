"""The first page: the question box, files, recent work, and samples to try it on."""

from pathlib import Path
from typing import Literal, NamedTuple

import streamlit as st

from agent.engine.changes import Ingest
from agent.engine.grids import columns_of
from agent.models import RunOptions
from app import navigation, session
from app.components import library_jobs, model_choice, question_box, upload
from app.components.clarification import AVATAR, show_turn
from app.components.runs import filter_runs, show_runs
from app.components.widgets import attempt, quiet_button, redraw, show_errors
from app.run_log import ClarificationTurn
from app.samples import COLUMNS, CONTRACTS, QUESTIONS, REPLAY, SAMPLES, Sample, own_collection
from app.session import _, engine, language
from services.domain import CollectionInfo

RECENT_RUNS = 6
POLL_S = 0.5
PICTURE_PX = 240
PICTURES = Path(__file__).parent.parent / "pictures"


class SampleTrial(NamedTuple):
    """What a click starts on a sample once the sample has been ingested."""

    kind: Literal["ask", "replay", "grid"]
    sample: Sample
    question: str


TRIAL = "trial"


def show() -> None:
    """Draw the page of no thread."""
    if _trial_ready():
        _start_trial(st.session_state.pop(TRIAL))
        st.rerun()
    collections = engine().library.collections()
    searchable = any(info.documents for info in collections)
    trial: SampleTrial | None = st.session_state.get(TRIAL)
    st.title("Rabbithole", anchor=False)
    claim = _("Answers from your own documents, with the source of every sentence.")
    st.markdown(f":gray[{claim}]")
    if trial is not None and engine().open_jobs():
        show_turn(ClarificationTurn("user", (trial.question,)))
        with st.chat_message("assistant", avatar=AVATAR["assistant"]):
            st.caption(f":material/progress_activity: {_('Reading the sample documents first …')}")
        library_jobs.show(collections)
        st.fragment(_watch_library, run_every=POLL_S)()
        return
    model_choice.offer()
    if searchable:
        question_box.show(collections)
        with st.expander(_("Add files"), icon=":material/upload:", key="add-files"):
            upload.drop_zone(collections)
    else:
        st.markdown(f"**{_('Ask your own documents')}**")
        upload.drop_zone([])
    library_jobs.show(collections)
    if not searchable and engine().open_jobs():
        st.fragment(_watch_library, run_every=POLL_S)()
    runs = engine().threads.runs()
    if runs:
        st.subheader(_("Recent"), anchor=False)
        if len(runs) > RECENT_RUNS:
            runs = filter_runs(runs)
        show_runs(runs[:RECENT_RUNS])
        st.page_link(navigation.RUNS, label=_("Full history"), icon=":material/history:")
        with st.expander(_("Try it with sample documents"), icon=":material/school:"):
            _samples()
    else:
        st.markdown(f"**{_('Or try it with sample documents')}**")
        _samples()


def _samples() -> None:
    with st.container(key="samples"):
        ask, research, grid = st.columns(3, gap="large")
    with ask:
        _capability("ask", _("Answers with proof"), _("Each sentence opens its page, highlighted."))
        for number, question in enumerate(QUESTIONS[language()], start=1):
            _offer(f"example-{number}", question, SampleTrial("ask", CONTRACTS, question))
    with research:
        _capability(
            "research",
            _("Research"),
            _("A plan that you approve, then a report in which every sentence is checked."),
        )
        sample = SAMPLES[language()]
        label = _("Open a finished report (recorded with a capable model)")
        _offer("example-recorded", label, SampleTrial("replay", sample, sample.question))
    with grid:
        _capability(
            "grid",
            _("Grid"),
            _("The same questions for many documents, with proof for every cell."),
        )
        label = _("Open a grid of twelve sample contracts")
        _offer("example-grid", label, SampleTrial("grid", CONTRACTS, _("Sample contracts")))


def _capability(name: str, title: str, text: str) -> None:
    st.image(PICTURES / f"{name}.svg", width=PICTURE_PX, alt="")  # the text says it
    st.markdown(f"**{title}**  \n{text}")


def _offer(key: str, label: str, trial: SampleTrial) -> None:
    quiet_button(label, key, "arrow_forward", on_click=_choose, args=(trial,), wrap=True)


def _choose(trial: SampleTrial) -> None:
    """Remember the trial, and ingest its sample unless that was done or is queued."""
    st.session_state[TRIAL] = trial
    st.session_state["box-mode"] = "quick"
    session.clear_notice()
    if not _collection_of(trial.sample) and not _ingesting(trial.sample):
        upload.ingest_sample(trial.sample)


def _collection_of(sample: Sample) -> CollectionInfo | None:
    """Return the person's collection with all documents of a sample."""
    return own_collection(sample, engine(), session.settings().samples)[1]


def _ingesting(sample: Sample) -> bool:
    paths = tuple(map(str, upload.sample_paths(sample)))
    jobs = (state.job for state in engine().open_jobs())
    return any(isinstance(job, Ingest) and job.paths == paths for job in jobs)


def _trial_ready() -> bool:
    """Return whether a trial can start; recorded replies need the knowledge graph, too."""
    trial: SampleTrial | None = st.session_state.get(TRIAL)
    if trial is None or not _collection_of(trial.sample):
        return False
    return not (engine().open_jobs() if trial.kind == "replay" else _ingesting(trial.sample))


def _watch_library() -> None:
    """Redraw the page as soon as the first document can be searched, or a trial can start."""
    with show_errors():
        waits = TRIAL in st.session_state
        if _trial_ready() if waits else any(i.documents for i in engine().library.collections()):
            redraw()


def _start_trial(trial: SampleTrial) -> None:
    collection = _collection_of(trial.sample)
    assert collection is not None
    scope = (collection.collection_id,)
    match trial.kind:
        case "ask":
            question_box.ask(trial.question, scope)
        case "replay":
            options = RunOptions(**REPLAY, recorded=trial.sample.folder)
            question_box.research(trial.question, scope, options=options)
        case "grid":
            attempt(lambda: session.open_thread(_grid(trial.question, scope)))


def _grid(name: str, collections: tuple[str, ...]) -> str:
    runs = (run for run in engine().grids.all() if run.collection_ids == collections)
    named = (run.thread_id for run in runs if run.question == name)
    columns = columns_of(COLUMNS[language()])
    return next(named, None) or engine().grids.create(name, columns, collections=collections)
