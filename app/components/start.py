"""The first page: the question box, files, examples and recent threads."""

from pathlib import Path

import streamlit as st

from agent.models import RunOptions
from app import navigation, session
from app.components import documents, library_jobs, question_box, settings_models
from app.components.notices import show_errors
from app.components.runs import filter_runs, show_runs
from app.components.widgets import quiet_button, redraw
from app.samples import REPLAY, SAMPLES
from app.session import _, engine

RECENT_RUNS = 6
POLL_S = 0.5
ANSWER, PROOF = (Path(__file__).parent.parent / f"{name}.png" for name in ("answer", "proof"))
RECORDED = SAMPLES["de"]
EXAMPLES = (
    "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren?",
    "Welcher Grenzwert gilt für die Augenlinse beruflich exponierter Personen?",
    "Wie wird ein Strahlenschutzbeauftragter bestellt?",
)
PENDING_QUESTION = "asked-of-sample"
"""Key of a question that waits until the sample has been ingested."""


def show() -> None:
    """Draw the page of no thread."""
    collections = engine().library.collections()
    names = [info.name for info in collections if info.documents]
    if documents.SAMPLE in names and _sample_ready():
        _ask_sample(st.session_state.pop(PENDING_QUESTION))
        st.rerun()
    st.title("Rabbithole", anchor=False)
    claim = _("Answers from your own documents, with the source of every sentence.")
    st.markdown(f":gray[{claim}]")
    settings_models.offer()
    if names:
        question_box.show(collections)
        with st.popover(_("Add files"), icon=":material/upload:", type="tertiary"):
            documents.drop_zone(collections)
    else:
        _first_visit()
    library_jobs.show(collections)
    if (not names or PENDING_QUESTION in st.session_state) and engine().open_jobs():
        st.fragment(_watch_library, run_every=POLL_S)()
    runs = engine().threads.runs()
    if documents.SAMPLE in names and not runs:
        _examples()
    if runs:
        st.subheader(_("Recent"), anchor=False)
        if len(runs) > RECENT_RUNS:
            runs = filter_runs(runs)
        show_runs(runs[:RECENT_RUNS])
        st.page_link(navigation.RUNS, label=_("Full history"), icon=":material/history:")


def _sample_ready() -> bool:
    """Return whether the pending question to the sample can be asked.

    The recorded replies fit only what is found once the knowledge graph is there, too.
    """
    question = st.session_state.get(PENDING_QUESTION)
    return question is not None and (question != RECORDED.question or not engine().open_jobs())


def _watch_library() -> None:
    """Redraw the page as soon as the first document can be searched."""
    with show_errors():
        searchable = any(info.documents for info in engine().library.collections())
        if searchable and (PENDING_QUESTION not in st.session_state or _sample_ready()):
            redraw()


def _first_visit() -> None:
    left, right = st.columns([5, 6], gap="large", vertical_alignment="top")
    with left:
        st.markdown(f"**{_('Ask your own documents')}**")
        documents.drop_zone([])
        _examples()
    with right, st.container(key="example"):
        alt = _(
            "This is an answer: click the number after a sentence to open its page with the quote "
            "highlighted."
        )
        # Side by side; on a phone, where both would be too small, one below the other.
        for column, picture, text in zip(st.columns(2), (ANSWER, PROOF), (alt, ""), strict=True):
            column.image(picture, width="stretch", alt=text)
        st.caption(alt)


def _examples() -> None:
    """Offer questions to the sample law; a click asks one once the law has been ingested."""
    st.markdown(f"**{_('Or try it on the German Radiation Protection Act')}**")
    with st.container(gap="xxsmall"):
        for number, text in enumerate(EXAMPLES, start=1):
            key = f"example-{number}"
            quiet_button(
                text, key, "arrow_forward", on_click=_choose_example, args=(text,), wrap=True
            )
        quiet_button(
            _("Watch a recorded run with a capable model"),
            "example-recorded",
            "play_circle",
            on_click=_choose_example,
            args=(RECORDED.question,),
            wrap=True,
        )


def _ask_sample(question: str) -> None:
    """Ask the sample law, or replay the research that was recorded on it."""
    if question == RECORDED.question:
        options = RunOptions(**REPLAY, recorded=RECORDED.folder)
        question_box.research(question, (documents.SAMPLE,), options=options)
    else:
        question_box.ask(question, (documents.SAMPLE,))


def _choose_example(question: str) -> None:
    st.session_state[PENDING_QUESTION] = question
    st.session_state["box-mode"] = "quick"
    session.clear_notice()
    collections, jobs = engine().library.collections(), engine().open_jobs()
    ingested = any(info.name == documents.SAMPLE and info.documents for info in collections)
    queued = any(getattr(state.job, "collection", "") == documents.SAMPLE for state in jobs)
    if not ingested and not queued:
        documents.ingest_sample()
