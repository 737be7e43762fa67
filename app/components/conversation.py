"""A conversation of quick answers: its turns with their proof, the one in progress, and the box."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from agent.ask.models import Answer, AskedDepth
from agent.engine.layout import headline
from agent.engine.reports import usage_of
from app import session
from app.components import answer_details, cited_answer, question_box, report, review, runs, widgets
from app.components.clarification import AVATAR, answer_input, answer_sender, show_turn
from app.components.review import vote_buttons
from app.components.search import highlight_query
from app.components.widgets import attempt, button, page_link, quiet_button, row, show_errors, table
from app.formats import one_line, plain
from app.labels import DEPTH_HELP, STATUS
from app.locale import N_
from app.navigation import location, short_location, span_url, switch_to_thread
from app.run_log import END_COMMAND, ClarificationTurn, TurnLog, fold_turn, read_new_events
from app.session import _, address_number, cached, engine, format_duration, notice_text, thread_id
from services.domain.events import AgentStart, KnowledgeRetrievalComplete, Waiting
from services.domain.runs import ACTIVE, RunInfo
from services.library.thresholds import VoteInfo

POLL_S = 0.4
MAX_CARDS = 3
RECENT = 20
"""Turns that are drawn at first, and with each step towards earlier ones."""
MAX_PROPOSALS = 3


def show(run: RunInfo) -> None:
    """Draw the conversation as it is now."""
    turns = engine().answers.conversation(run.thread_id)
    with row():
        st.caption(plain(", ".join(run.documents or run.collections)), width="stretch")
        if turns:
            report.export_popover(run)
        runs.new_thread()
    runs.show_before(run)
    votes = review.own_votes(run.thread_id)
    active = run.status in ACTIVE
    for turn in turns[_folded(run.thread_id, turns) :]:
        last = turn is turns[-1] and not active
        with st.container(key=f"{'newest' if last and turn.turn > 1 else 'turn'}-{turn.turn}"):
            show_answer(run, turn, votes.get(turn.turn), latest=last)
    if active:
        with st.container(key=f"newest-{len(turns) + 1}-asked"):
            show_question(run)
            st.fragment(_follow, run_every=POLL_S)(run.thread_id)
        return
    if run.pending is not None:
        _waiting(run, run.pending)
        return
    st.session_state[f"ask-after-{run.thread_id}"] = engine().threads.last_event(run.thread_id)
    if run.status != "done":
        _unanswered(run)
    if turns:
        _follow_ups(run, turns)
    question_box.show((), run)
    runs.show_after(run)


def _folded(thread: str, turns: Sequence[Answer]) -> int:
    """Return how many early turns are not drawn (each takes 5 to 10 ms), with a button for more."""
    key = f"turns-of-{thread}"
    first = len(turns) - st.session_state.get(key, RECENT)
    if (cited := address_number("turn")) is not None:
        first = min(first, cited - 1)
    folded = max(first, 0)
    st.session_state[key] = max(len(turns) - folded, RECENT)
    if not folded:
        return 0

    def show_more() -> None:
        st.session_state[key] += RECENT

    label = _("Earlier questions ({count})", count=folded)
    quiet_button(label, "earlier-turns", "expand_less", on_click=show_more)
    return folded


def _follow_ups(run: RunInfo, turns: Sequence[Answer]) -> None:
    last, past = turns[-1], {turn.question for turn in turns}
    documents = [source.document_id for source in last.sources]
    questions = cached(
        "follow-ups", (run.thread_id, last.turn), lambda: engine().library.questions(documents)
    )
    proposals = [text for text in (last.missing, *questions) if text and text not in past]
    with st.container(gap="xxsmall", key="follow-ups"):
        for n, text in enumerate(proposals[:MAX_PROPOSALS]):
            send = partial(question_box.ask, text, (), run, "auto", run.documents)
            quiet_button(plain(text), f"follow-up-{n}", "arrow_forward", on_click=send, wrap=True)


def _unanswered(run: RunInfo) -> None:
    show_question(run)
    st.error(plain(notice_text(run.error))) if run.error else st.info(_(STATUS[run.status]))
    again = run.status in runs.RESUMABLE
    if again and button(_("Ask again"), "again", "refresh", type="primary"):
        widgets.attempt_and_rerun(lambda: engine().threads.resume(run.thread_id))


def _poll_turn(thread: str) -> tuple[RunInfo, TurnLog]:
    """Return the run and the log of the turn in progress: events since the thread was at rest."""
    after = st.session_state.get(f"ask-after-{thread}", 0)
    run, records = read_new_events(partial(engine().threads.poll, thread), after)
    return run, fold_turn(records)


def _follow(thread: str) -> None:
    with show_errors():
        run, log = _poll_turn(thread)
        if run.status not in ACTIVE:
            widgets.redraw()
        with st.chat_message("assistant", avatar=AVATAR["assistant"]):
            st.caption(f":material/progress_activity: {_stage(log)}")
            answer_details.show_steps(list(log.steps.values()))
            if log.text:
                with st.container(key="answer"):
                    st.text(log.text)
            if log.retrieved is not None:
                _passage_cards(log.query or run.question, log.retrieved)
        _stop(thread)


def _passage_cards(question: str, retrieved: KnowledgeRetrievalComplete) -> None:
    ids = tuple(source.chunk_id for source in retrieved.sources[:MAX_CARDS])
    passages = cached("cards", ids, lambda: engine().library.passages(ids))
    for number, passage in enumerate(passages, start=1):
        with st.container(key=f"card-found-{number}"):
            st.markdown(highlight_query(passage.text, question))
            with row(key=f"place-found-{passage.chunk_id}"):
                help_ = _("Opens the page with the passage highlighted.")
                back = {"thread": thread_id() or ""}
                page_link(plain(location(passage)), passage, query=back, help=help_)


def _stop(thread: str) -> None:
    if quiet_button(_("Stop"), "stop", "stop"):
        widgets.attempt_and_rerun(lambda: engine().threads.cancel(thread))


def _stage(log: TurnLog) -> str:
    if log.text:
        return _("Writing the answer from these passages …")
    if log.agent is not None:
        return agent_estimate(log.agent)
    if log.retrieved is not None:
        count = log.retrieved.results_count
        return _("Passages found: {count}. Reading them for the answer …", count=count)
    if log.query:
        return _("Searching: {query}", query=plain(log.query))
    return plain(notice_text(log.waiting)) if log.waiting else _("Analysing the question …")


def _waiting(run: RunInfo, pending: Waiting) -> None:
    thread = run.thread_id
    show_question(run)
    _run, log = _poll_turn(thread)
    with st.chat_message("assistant", avatar=AVATAR["assistant"]):
        answer_details.show_steps(list(log.steps.values()))
        for question in pending.questions:
            st.text(question)
    send = answer_sender(thread, pending.interrupt_id)
    answer_input(pending.interrupt_id, send)
    with st.container(horizontal=True):
        button(_("Skip"), f"end-{pending.interrupt_id}", on_click=send, args=(END_COMMAND,))
        _stop(thread)


DEEPER = {"structured": N_("Structured"), "agent": N_("With the agent")}


def agent_estimate(start: AgentStart) -> str:
    """Say how long the agent may take."""
    return _(
        "The agent works step by step. It usually takes about {usual}, and at most {steps} "
        "steps and {longest}.",
        usual=format_duration(start.usual_s),
        longest=format_duration(start.longest_s),
        steps=start.most_steps,
    )


VISIBLE_ROWS = 12


def show_answer(run: RunInfo, turn: Answer, vote: VoteInfo | None, *, latest: bool) -> None:
    """Draw a question with its answer and the person's vote; only the ``latest`` opens a proof."""
    show_turn(ClarificationTurn("user", (turn.question,)))
    with st.chat_message("assistant", avatar=AVATAR["assistant"]):
        if turn.question_rewritten:
            question = plain(turn.question_rewritten)
            st.caption(_("Understood as: {question}", question=question))
        cited_answer.warnings(turn.warnings)
        cited = {(citation.document, citation.section) for citation in turn.citations}
        if any((change.document, change.section) in cited for change in turn.replaced):
            again, key = partial(_ask_anew, run, turn), f"ask-again-{turn.turn}"
            quiet_button(_("Ask again"), key, "refresh", on_click=attempt, args=(again,))
        _answer(turn, latest=latest)
        with row(key=f"after-{turn.turn}"):
            vote_buttons(run.thread_id, turn.turn, vote)
            answer_details.copy_answer(turn)
            _go_deeper(run, turn)
            _offer_sweep(run, turn)
        answer_details.show(run.thread_id, turn)


def show_question(run: RunInfo) -> None:
    """Draw the question that has no answer yet."""
    show_turn(ClarificationTurn("user", (str(run.options.get("asked", run.question)),)))


def _answer(turn: Answer, *, latest: bool) -> None:
    if turn.opening:
        kind = "closest" if turn.certainty == "perhaps" else "answer"
        with st.container(key=f"{kind}-{turn.turn}"):
            st.text(turn.opening)
    if turn.listed:
        _location_table(turn)
    elif turn.sentences:
        cited_answer.show(turn, turn.turn, unasked=latest and address_number("turn") is None)
    if turn.refused:
        if turn.found is not None and turn.found.nearest:
            st.caption(_("Nearest sections"))
            for name, span in zip(turn.found.nearest, turn.found.nearest_at, strict=False):
                page_link(plain(name), span, "article", {"thread": thread_id() or ""})
        return
    counted = turn.certainty == "answered" and not turn.listed
    limits = (
        turn.closing,
        turn.coverage.warning or "",
        headline(turn, session.language()) if counted else "",
        cited_answer.quotes_only(usage_of(turn)),
    )
    st.caption(" · ".join(plain(text) for text in limits if text))


def _location_table(turn: Answer) -> None:
    citations = [sentence.citations[0] for sentence in turn.sentences]
    rows = [
        {
            _("Location"): short_location(cited),
            _("Wording"): one_line(cited.quote),
            _("Match"): note,
            _("Open"): span_url(cited),
        }
        for cited, note in zip(citations, turn.notes, strict=True)
    ]
    if rows:
        height = "auto" if len(rows) <= VISIBLE_ROWS else 36 * VISIBLE_ROWS
        table(rows, links=[_("Open")], widths={_("Wording"): "large"}, height=height)


def _go_deeper(run: RunInfo, turn: Answer) -> None:
    label, icon, key = _("Search more thoroughly"), "travel_explore", f"go-deeper-{turn.turn}"
    with st.popover(label, icon=f":material/{icon}:", type="tertiary", key=key):
        if turn.deeper:
            st.caption(plain(notice_text(turn.reason)))
        offered = [(depth, _(DEEPER[depth]), _(DEPTH_HELP)) for depth in turn.deeper]
        if turn.way == "search" and turn.depth == "fast":
            why = _("The same question again, with more passages.")
            offered.insert(0, ("enhanced", _("More passages"), why))
        for depth, label, why in offered:
            again, key = partial(_ask_anew, run, turn, depth), f"deeper-{depth}-{turn.turn}"
            quiet_button(label, key, "zoom_in", help=why, on_click=attempt, args=(again,))
        why = _(
            "Starts research with this question: asks you questions, proposes a plan, gathers "
            "evidence and writes a report."
        )
        begin, key = partial(_research, run, turn), f"research-{turn.turn}"
        quiet_button(_("Research"), key, icon, help=why, on_click=attempt, args=(begin,))


def _ask_anew(run: RunInfo, turn: Answer, depth: AskedDepth = "auto") -> None:
    engine().answers.ask(_full_question(turn), thread_id=run.thread_id, depth=depth)


def _research(run: RunInfo, turn: Answer) -> None:
    """Open the research into this question that an earlier click began, else begin one."""
    question = _full_question(turn)
    for other in engine().threads.runs():
        same = other.question == question and other.options.get("follows") == run.thread_id
        if same and other.status not in runs.ENDED:
            session.open_thread(other.thread_id)
            return
    question_box.research(question, run.searched, run)


def _offer_sweep(run: RunInfo, turn: Answer) -> None:
    """Offer to read every section, where the question asks for all and only some were read."""
    if not turn.sweep_sections:
        return
    label = _("Read all {count} sections", count=session.format_number(turn.sweep_sections))
    why = _("Prepares a sweep and shows its cost before it starts.")
    if quiet_button(label, f"sweep-{turn.turn}", "checklist", help=why):
        with show_errors():
            question, collections = _full_question(turn), run.searched
            sweep = engine().grids.sweep
            switch_to_thread(sweep(question, collections=collections, documents=run.documents))


def _full_question(turn: Answer) -> str:
    return turn.question_rewritten or turn.question
