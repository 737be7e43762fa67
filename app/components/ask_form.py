"""Asking: a new conversation, one question more, and a turn that is under way or asks back."""

from collections.abc import Sequence

import streamlit as st

from app import session
from app.components import ask_turn, ingestion, start
from app.components.clarification import AVATAR, answer_input
from app.components.notices import act, attempt, reported
from app.components.widgets import button, quiet_button
from app.formats import plain
from app.labels import DEPTH_WHY, DEPTHS
from app.run_log import END_COMMAND, TurnLog, fold_turn
from app.session import _, engine
from services.domain.events import Waiting
from services.domain.runs import ACTIVE, RunInfo

EXAMPLES = (
    "Welcher Grenzwert gilt für die Augenlinse beruflich exponierter Personen?",
    "Wie lange muss die Dosis eines Beschäftigten aufbewahrt werden?",
    "In wie vielen Paragraphen kommt das Wort Radon vor?",
)

SHOWN_DOCUMENTS = 4
POLL_S = 0.5


def show() -> None:
    """The form of a new conversation."""
    hint = _(
        "An answer in seconds, each sentence with its place in the document. Questions "
        "that deserve more have research."
    )
    conversations = [run for run in engine().threads.runs() if run.kind == "ask"]
    start.desk(_("A quick question"), hint, _form, _("Earlier conversations"), conversations)


def _form(names: Sequence[str], _first: bool) -> None:
    question = st.container()
    with st.container(horizontal=True, vertical_alignment="top"):
        chosen = st.multiselect(
            _("Collections"),
            names,
            placeholder=_("all"),
            key="ask-collections",
            width="stretch",
        )
        _depth()
    with question:
        _input(None, chosen)
    if ingestion.SAMPLE in names:
        _examples()


def _examples() -> None:
    """Questions to the sample law; a click asks one."""
    st.caption(_("To try it, one click asks the German radiation protection act:"))
    for number, text in enumerate(EXAMPLES, start=1):
        asked = (text, None, (ingestion.SAMPLE,))
        quiet_button(text, f"example-{number}", "arrow_forward", on_click=ask, args=asked)


def go_on(run: RunInfo) -> None:
    """The field for the next question of a conversation."""
    _depth()
    _input(run.thread_id, ())


def _depth() -> None:
    st.segmented_control(
        _("Depth"),
        list(DEPTHS),
        default="auto",
        required=True,
        format_func=session.labels(DEPTHS),
        help=_(DEPTH_WHY),
        key="ask-depth",
        width="content",
        wrap=True,
    )


def _input(thread_id: str | None, collections: Sequence[str]) -> None:
    hint = _("Ask on, e.g. “and for minors?”") if thread_id else _("A question to your documents")
    question = st.chat_input(hint, key="ask-question", max_chars=4000)
    if question and question.strip():
        ask(question, thread_id, collections)
        st.rerun()


def ask(question: str, thread_id: str | None, collections: Sequence[str] = ()) -> None:
    """Asks, and opens the conversation; a refusal is shown on the page."""

    def send() -> None:
        depth = st.session_state.get("ask-depth", "auto")
        begun = engine().answers.ask(
            question, thread_id=thread_id, collections=collections or None, depth=depth
        )
        session.open_thread(begun.thread_id)
        st.session_state[f"ask-after-{begun.thread_id}"] = begun.after

    attempt(send)


def follow(run: RunInfo) -> None:
    """Looks at the turn twice a second; its end redraws the page."""
    ask_turn.asked(run)
    st.fragment(_look, run_every=POLL_S)(run.thread_id)


def _look(thread: str) -> None:
    with reported():
        begin = st.session_state.get(f"ask-after-{thread}", 0)
        run, records = engine().threads.poll(thread, after=begin)
        if run.status not in ACTIVE:
            st.rerun()
        log = fold_turn(records)
        with st.chat_message("assistant", avatar=AVATAR["assistant"]):
            st.caption(f":material/progress_activity: {_stage(log)}")
            ask_turn.show_steps(list(log.steps.values()), expanded=True)
            if log.text:
                with st.container(key="answer"):
                    st.text(log.text)
        _stop(thread)


def _stop(thread: str) -> None:
    if quiet_button(_("Stop"), "stop", "stop"):
        act(lambda: engine().threads.cancel(thread))


def _stage(log: TurnLog) -> str:
    if log.found is not None:
        names = log.found.documents
        more = ["…"] * (len(names) > SHOWN_DOCUMENTS)
        documents = plain(", ".join([*names[:SHOWN_DOCUMENTS], *more]))
        return _(
            "{count} passages in: {documents}", count=log.found.results_count, documents=documents
        )
    if log.agent is not None:
        return ask_turn.estimate(log.agent)
    if log.query:
        return _("Searching: {query}", query=plain(log.query))
    return _("Understanding the question …")


def show_waiting(run: RunInfo, pending: Waiting) -> None:
    """Shows what is asked; an answer, or going on without one, lets the turn go on."""
    thread = run.thread_id
    ask_turn.asked(run)
    begin = st.session_state.get(f"ask-after-{thread}", 0)
    log = fold_turn(engine().threads.events(thread, begin))
    with st.chat_message("assistant", avatar=AVATAR["assistant"]):
        ask_turn.show_steps(list(log.steps.values()))
        for question in pending.questions:
            st.text(question)
    send = answer_input(thread, pending.interrupt_id, _("Your answer"))
    with st.container(horizontal=True):
        button(
            _("Go on without an answer"),
            f"end-{pending.interrupt_id}",
            on_click=send,
            args=(END_COMMAND,),
        )
        _stop(thread)
