"""The first page: what this is, the question, files, and what was asked before."""

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
"""A question to the sample that waits until that has been taken in."""


def show() -> None:
    """The desk without a thread."""
    collections = engine().library.collections()
    names = [info.name for info in collections if info.documents]
    if documents.SAMPLE in names and _sample_ready():
        _ask_sample(st.session_state.pop(PENDING_QUESTION))
        st.rerun()
    st.title("Rabbithole", anchor=False)
    said = _("Answers from your own documents, with the source of every sentence.")
    st.markdown(f":gray[{said}]")
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
        st.page_link(navigation.RUNS, label=_("All of the history"), icon=":material/history:")


def _sample_ready() -> bool:
    """Whether a question to the sample waits for nothing more.

    Recorded replies fit only what is found once the knowledge graph is there, too.
    """
    question = st.session_state.get(PENDING_QUESTION)
    return question is not None and (question != RECORDED.question or not engine().open_jobs())


def _watch_library() -> None:
    """Draws the page again as soon as the first document can be asked."""
    with show_errors():
        there = any(info.documents for info in engine().library.collections())
        if there and (PENDING_QUESTION not in st.session_state or _sample_ready()):
            redraw()


def _first_visit() -> None:
    begin, proof = st.columns([5, 6], gap="large", vertical_alignment="top")
    with begin:
        st.markdown(f"**{_('Ask your own documents')}**")
        documents.drop_zone([])
        _examples()
    with proof, st.container(key="example"):
        alt = _("An answer; each sentence has a mark that opens the page, with the quote marked.")
        # Beside each other, and on a phone, where both would be too small, below.
        for place, picture, said in zip(st.columns(2), (ANSWER, PROOF), (alt, ""), strict=True):
            place.image(picture, width="stretch", alt=said)
        st.caption(alt)


def _examples() -> None:
    """Questions to the sample law; a click asks one, once the law has been taken in."""
    st.markdown(f"**{_('Or try it on the German radiation protection act')}**")
    with st.container(gap="xxsmall"):
        for number, text in enumerate(EXAMPLES, start=1):
            key = f"example-{number}"
            quiet_button(
                text, key, "arrow_forward", on_click=_choose_example, args=(text,), wrap=True
            )
        quiet_button(
            _("Watch a research recorded with a capable model"),
            "example-recorded",
            "play_circle",
            on_click=_choose_example,
            args=(RECORDED.question,),
            wrap=True,
        )


def _ask_sample(question: str) -> None:
    """Asks the sample law, or replays the research that is recorded of it."""
    if question == RECORDED.question:
        options = RunOptions(**REPLAY, recorded=RECORDED.folder)
        question_box.research(question, (documents.SAMPLE,), options=options)
    else:
        question_box.ask(question, (documents.SAMPLE,))


def _choose_example(question: str) -> None:
    st.session_state[PENDING_QUESTION] = question
    st.session_state["box-mode"] = "quick"
    session.clear_notice()
    here = any(
        info.name == documents.SAMPLE and info.documents for info in engine().library.collections()
    )
    jobs = engine().open_jobs()
    if not here and not any(getattr(j.job, "collection", "") == documents.SAMPLE for j in jobs):
        documents.ingest_sample()
