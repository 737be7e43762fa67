"""A conversation of quick answers: its turns, the one under way, and the box for the next."""

from functools import partial

import streamlit as st

from app.components import ask_turn, box, report_details, runs, vote
from app.components.clarification import AVATAR, answer_input
from app.components.notices import act, reported
from app.components.search import marked
from app.components.widgets import button, page_link, quiet_button, redraw, row
from app.formats import plain
from app.labels import STATUS
from app.navigation import place
from app.run_log import END_COMMAND, TurnLog, fold_turn, news
from app.session import _, engine, kept, tell
from services.domain.events import KnowledgeRetrievalComplete, Waiting
from services.domain.runs import ACTIVE, RunInfo

POLL_S = 0.4
MOST_CARDS = 3


def show(run: RunInfo) -> None:
    """Shows it as it is now."""
    turns = engine().answers.conversation(run.thread_id)
    with row():
        st.caption(plain(", ".join(run.documents or run.collections)), width="stretch")
        if turns:
            report_details.export_popover(run.thread_id)
        runs.new_thread()
    runs.show_before(run)
    votes = vote.own(run.thread_id)
    active = run.status in ACTIVE
    for turn in turns:
        last = turn is turns[-1] and not active
        with st.container(key=f"{'newest' if last and turn.turn > 1 else 'turn'}-{turn.turn}"):
            ask_turn.show(run, turn, votes.get(turn.turn), latest=last)
    if active:
        with st.container(key=f"newest-{len(turns) + 1}-asked"):
            ask_turn.asked(run)
            st.fragment(_look, run_every=POLL_S)(run.thread_id)
        return
    if run.pending is not None:
        _waiting(run, run.pending)
        return
    st.session_state[_seen(run.thread_id)] = engine().threads.last_event(run.thread_id)
    if run.status != "done":
        _unanswered(run)
    box.show((), run)
    runs.show_after(run)


def _unanswered(run: RunInfo) -> None:
    """The last question broke off: why, and asking it again."""
    ask_turn.asked(run)
    st.error(plain(tell(run.error))) if run.error else st.info(_(STATUS[run.status]))
    again = run.status in runs.RESUMABLE
    if again and button(_("Ask again"), "again", "refresh", type="primary"):
        act(lambda: engine().threads.resume(run.thread_id))


def _seen(thread: str) -> str:
    """Under which key the last event stands that a thread at rest had told in this window."""
    return f"ask-after-{thread}"


def _told(thread: str) -> tuple[RunInfo, TurnLog]:
    """The run, and what it has told since this window saw it at rest: the turn under way."""
    begin = st.session_state.get(_seen(thread), 0)
    run, records = news(partial(engine().threads.poll, thread), begin)
    return run, fold_turn(records)


def _look(thread: str) -> None:
    """Looks at the turn; its end redraws the page. The text is written above the passages."""
    with reported():
        run, log = _told(thread)
        if run.status not in ACTIVE:
            redraw()
        with st.chat_message("assistant", avatar=AVATAR["assistant"]):
            st.caption(f":material/progress_activity: {_stage(log)}")
            ask_turn.show_steps(list(log.steps.values()), expanded=True)
            if log.text:
                with st.container(key="answer"):
                    st.text(log.text)
            if log.found is not None:
                _cards(log.query or run.question, log.found)
        _stop(thread)


def _cards(question: str, found: KnowledgeRetrievalComplete) -> None:
    """The best passages with their places; words of the question are strong."""
    wanted = tuple(each.chunk_id for each in found.sources[:MOST_CARDS])
    passages = kept("cards", wanted, lambda: engine().library.passages(wanted))
    for number, passage in enumerate(passages, start=1):
        with st.container(key=f"card-found-{number}"):
            st.markdown(marked(passage.text, question))
            with row(key=f"place-found-{passage.chunk_id}"):
                where = plain(place(passage.document, passage.section, passage.page))
                page_link(where, passage, help=_("Opens the page with the passage marked."))


def _stop(thread: str) -> None:
    if quiet_button(_("Stop"), "stop", "stop"):
        act(lambda: engine().threads.cancel(thread))


def _stage(log: TurnLog) -> str:
    """What is being done now, in words."""
    if log.text:
        return _("Writing the answer from these passages …")
    if log.agent is not None:
        return ask_turn.estimate(log.agent)
    if log.found is not None:
        count = log.found.results_count
        return _("Passages found: {count}. Reading them for the answer …", count=count)
    if log.query:
        return _("Searching: {query}", query=plain(log.query))
    return plain(tell(log.told)) if log.told else _("Understanding the question …")


def _waiting(run: RunInfo, pending: Waiting) -> None:
    """Shows what is asked; an answer, or going on without one, lets the turn go on."""
    thread = run.thread_id
    ask_turn.asked(run)
    _run, log = _told(thread)
    with st.chat_message("assistant", avatar=AVATAR["assistant"]):
        ask_turn.show_steps(list(log.steps.values()))
        for question in pending.questions:
            st.text(question)
    send = answer_input(thread, pending.interrupt_id)
    with st.container(horizontal=True):
        button(
            _("Skip"),
            f"end-{pending.interrupt_id}",
            on_click=send,
            args=(END_COMMAND,),
        )
        _stop(thread)
