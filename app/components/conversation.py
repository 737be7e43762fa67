"""A conversation of quick answers: its turns with their proof, the one in progress, and the box."""

from collections.abc import Sequence
from functools import partial

import streamlit as st

from agent.ask.models import Answer, Depth, RetrievalSummary, StructuredAnswer
from agent.engine.layout import by_place, headline
from agent.engine.reports import usage_of
from app.components import cited_answer, diagrams, question_box, report, review, runs
from app.components.clarification import AVATAR, answer_input, show_turn
from app.components.notices import attempt, attempt_and_rerun, show_errors
from app.components.review import vote_buttons as vote_buttons
from app.components.search import highlight_query
from app.components.widgets import button, page_link, quiet_button, redraw, row, table
from app.formats import one_line, plain
from app.labels import DEPTH_HELP, DEPTHS, STATUS
from app.locale import N_
from app.navigation import location, short_location, span_url, switch_to_thread
from app.run_log import END_COMMAND, Turn, TurnLog, fold_turn, read_new_events
from app.session import (
    _,
    address_number,
    cached,
    engine,
    format_duration,
    format_number,
    language,
    notice_text,
    open_thread,
)
from services.domain.events import (
    AgentAction,
    AgentStart,
    AgentStep,
    KnowledgeRetrievalComplete,
    Waiting,
)
from services.domain.runs import ACTIVE, RunInfo
from services.library.thresholds import VoteInfo

POLL_S = 0.4
MAX_CARDS = 3


def show(run: RunInfo) -> None:
    """Draw the conversation as it is now."""
    turns = engine().answers.conversation(run.thread_id)
    with row():
        st.caption(plain(", ".join(run.documents or run.collections)), width="stretch")
        if turns:
            report.export_popover(run.thread_id)
        runs.new_thread()
    runs.show_before(run)
    votes = review.own_votes(run.thread_id)
    active = run.status in ACTIVE
    for turn in turns:
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
    st.session_state[_last_event_key(run.thread_id)] = engine().threads.last_event(run.thread_id)
    if run.status != "done":
        _unanswered(run)
    question_box.show((), run)
    runs.show_after(run)


def _unanswered(run: RunInfo) -> None:
    """Say why the last question was not answered, and offer to ask it again."""
    show_question(run)
    st.error(plain(notice_text(run.error))) if run.error else st.info(_(STATUS[run.status]))
    again = run.status in runs.RESUMABLE
    if again and button(_("Ask again"), "again", "refresh", type="primary"):
        attempt_and_rerun(lambda: engine().threads.resume(run.thread_id))


def _last_event_key(thread: str) -> str:
    """Return the session key of the last event of a thread at rest."""
    return f"ask-after-{thread}"


def _poll_turn(thread: str) -> tuple[RunInfo, TurnLog]:
    """Return the run and the log of the turn in progress: events since the thread was at rest."""
    after = st.session_state.get(_last_event_key(thread), 0)
    run, records = read_new_events(partial(engine().threads.poll, thread), after)
    return run, fold_turn(records)


def _follow(thread: str) -> None:
    """Draw the turn in progress; redraw the page once it ends."""
    with show_errors():
        run, log = _poll_turn(thread)
        if run.status not in ACTIVE:
            redraw()
        with st.chat_message("assistant", avatar=AVATAR["assistant"]):
            st.caption(f":material/progress_activity: {_stage(log)}")
            show_steps(list(log.steps.values()), expanded=True)
            if log.text:
                with st.container(key="answer"):
                    st.text(log.text)
            if log.retrieved is not None:
                _passage_cards(log.query or run.question, log.retrieved)
        _stop(thread)


def _passage_cards(question: str, retrieved: KnowledgeRetrievalComplete) -> None:
    """Draw the best passages with their locations, words of the question in bold."""
    ids = tuple(source.chunk_id for source in retrieved.sources[:MAX_CARDS])
    passages = cached("cards", ids, lambda: engine().library.passages(ids))
    for number, passage in enumerate(passages, start=1):
        with st.container(key=f"card-found-{number}"):
            st.markdown(highlight_query(passage.text, question))
            with row(key=f"place-found-{passage.chunk_id}"):
                help_ = _("Opens the page with the passage highlighted.")
                page_link(plain(location(passage)), passage, help=help_)


def _stop(thread: str) -> None:
    if quiet_button(_("Stop"), "stop", "stop"):
        attempt_and_rerun(lambda: engine().threads.cancel(thread))


def _stage(log: TurnLog) -> str:
    """Return what is being done now, as Markdown."""
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
    """Ask the open question; an answer, or skipping it, continues the turn."""
    thread = run.thread_id
    show_question(run)
    _run, log = _poll_turn(thread)
    with st.chat_message("assistant", avatar=AVATAR["assistant"]):
        show_steps(list(log.steps.values()))
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


TOOLS = {
    "retrieve_vector": N_("search passages"),
    "retrieve_graph": N_("search relations"),
    "lookup_entity": N_("look up"),
    "compare_entities": N_("compare"),
    "synthesize": N_("summarise"),
    "verify_claim": N_("check a sentence"),
    "database_stats": N_("look up in the catalog"),
    "ask_clarification": N_("ask the user"),
    "final_answer": N_("end the search"),
}

METHODS = {
    "catalog": N_("from the catalog"),
    "scan": N_("entire corpus searched"),
}

QUESTION_TYPES = {
    "factual": N_("factual"),
    "relational": N_("relational"),
    "comparative": N_("comparison"),
    "exploratory": N_("overview"),
    "procedural": N_("how-to"),
    "analytical": N_("analysis"),
    "unknown": N_("type unclear"),
}

DEEPER = {
    "structured": N_("Structured"),
    "agent": N_("With the agent"),
}

FACTORS = {
    "query_type": N_("Question type"),
    "entity_count": N_("Named entities"),
    "subquestion_count": N_("Parts of the question"),
    "keyword_matches": N_("Signal words"),
    "low_confidence": N_("Uncertainty of the type"),
}

FINAL = "final_answer"


def agent_estimate(start: AgentStart) -> str:
    """Say how long the agent may take."""
    return _(
        "The agent works step by step, usually about {usual}; at most {steps} steps and {longest}.",
        usual=format_duration(start.usual_s),
        longest=format_duration(start.longest_s),
        steps=start.most_steps,
    )


def show_steps(steps: Sequence[AgentStep], *, expanded: bool = False) -> None:
    """Draw the steps of the agent in a fold, with all texts as plain text."""
    if not steps:
        return
    label = _("Agent steps ({count})", count=len(steps))
    with st.expander(label, icon=":material/format_list_numbered:", expanded=expanded):
        for step in steps:
            _step(step)


def _step(step: AgentStep) -> None:
    facts = [f"**{_('Step {number}', number=step.number)}**", format_duration(step.seconds)]
    facts += [_("dead end, discarded")] if step.discarded else []
    st.caption(" · ".join(facts))
    if step.thought:
        st.text(step.thought)
    for number, action in enumerate(step.actions):
        st.caption(f":material/arrow_forward: {_action_text(action)}")
        if number < len(step.observations):
            st.caption(observation_text(step.observations[number]))
    if step.reflection:
        st.caption(f"{_('Reflection')}: {plain(step.reflection)}")


def observation_text(observation: str) -> str:
    """Return a tool's result as Markdown, each location in bold on its own line."""
    pieces = enumerate(by_place(observation))
    return "".join(f"  \n**{plain(text)}**  \n" if n % 2 else plain(text) for n, text in pieces)


def _action_text(action: AgentAction) -> str:
    """Describe an action in a few words; the text that ends a search is not an answer."""
    text = TOOLS.get(action.tool)
    name = _(text) if text else plain(action.tool)
    arguments = "; ".join(action.arguments.values())
    return f"{name}: {plain(arguments)}" if arguments and action.tool != FINAL else name


VISIBLE_ROWS = 12


def show_answer(run: RunInfo, turn: Answer, vote: VoteInfo | None, *, latest: bool) -> None:
    """Draw a question with its answer.

    Args:
        run: the conversation.
        turn: the answer.
        vote: the vote of this person, if any.
        latest: whether this is the last answer; only that one opens a proof by itself.
    """
    show_turn(Turn("user", (turn.question,)))
    with st.chat_message("assistant", avatar=AVATAR["assistant"]):
        if turn.question_rewritten:
            question = plain(turn.question_rewritten)
            st.caption(_("Understood as: {question}", question=question))
        show_steps(turn.agent_steps)
        _answer(turn, latest=latest)
        if isinstance(turn, StructuredAnswer):
            diagrams.show_required_info(turn)
        if turn.sentences and not turn.listed:
            diagrams.show_related_fold(run.thread_id, turn.turn)
        _facts(turn)
        with row(key=f"after-{turn.turn}"):
            vote_buttons(run.thread_id, turn.turn, vote)
            _offer_deeper(run, turn)
            _offer_research(run, turn)
            _offer_sweep(run, turn)
            with st.popover(_("Why this answer?"), icon=":material/info:", type="tertiary"):
                _explanation(turn)


def show_question(run: RunInfo) -> None:
    """Draw the question that has no answer yet."""
    show_turn(Turn("user", (str(run.options.get("asked", run.question)),)))


def _answer(turn: Answer, *, latest: bool) -> None:
    cited_answer.warnings(turn.warnings)
    if turn.opening:
        kind = "closest" if turn.certainty == "perhaps" else "answer"
        with st.container(key=f"{kind}-{turn.turn}"):
            st.text(turn.opening)
    if turn.listed:
        _location_table(turn)
    elif turn.sentences:
        cited_answer.show(turn, turn.turn, unasked=latest and address_number("turn") is None)
    if turn.closing:
        st.caption(plain(turn.closing))
    if turn.refused and turn.found is not None:
        _nearest_sections(turn.found)
    for text in (turn.coverage.statement, turn.coverage.warning):
        if text and text not in (turn.opening or ""):
            st.caption(f":material/travel_explore: {plain(text)}")


def _nearest_sections(summary: RetrievalSummary) -> None:
    """Link the sections nearest to a question that has no answer."""
    for name, span in zip(summary.nearest, summary.nearest_at, strict=False):
        page_link(plain(name), span, "article")


def _location_table(turn: Answer) -> None:
    """Draw the locations of a count or list, each with a link to the document."""
    citations = [sentence.citations[0] for sentence in turn.sentences]
    rows = [
        {
            _("Place"): short_location(cited),
            _("Wording"): one_line(cited.quote),
            _("Form"): note,
            _("Open"): span_url(cited),
        }
        for cited, note in zip(citations, turn.notes, strict=True)
    ]
    if rows:
        height = "auto" if len(rows) <= VISIBLE_ROWS else 36 * VISIBLE_ROWS
        table(rows, links=[_("Open")], widths={_("Wording"): "large"}, height=height)


def _facts(turn: Answer) -> None:
    """Draw what the answer is based on, its depth, time and model."""
    usage = usage_of(turn)
    structured = isinstance(turn, StructuredAnswer)
    facts = [
        f"**{_('not in the documents')}**" if turn.refused else "",
        "" if turn.refused or turn.listed else headline(turn, language()),
        _(METHODS.get(turn.way) or DEPTHS[turn.depth]),
        "" if structured else _(QUESTION_TYPES[turn.classification.type]),
        format_duration(usage.total_s),
        cited_answer.quotes_only(usage),
        _("search from cache") if turn.from_cache else "",
    ]
    st.caption(" · ".join(filter(None, facts)))
    if turn.deeper:
        st.caption(f":material/info: {plain(notice_text(turn.reason))}")


def _offer_deeper(run: RunInfo, turn: Answer) -> None:
    """Offer the depths above the one that was used, one button each."""
    offered = [(depth, _(DEEPER[depth]), _(DEPTH_HELP)) for depth in turn.deeper]
    if turn.way == "search" and turn.depth == "fast":
        more = _("The same question again, with more passages.")
        offered.insert(0, ("enhanced", _("Look deeper"), more))

    def ask_again(depth: Depth) -> None:
        engine().answers.ask(_full_question(turn), thread_id=run.thread_id, depth=depth)

    for depth, label, why in offered:
        again, key = partial(ask_again, depth), f"deeper-{depth}-{turn.turn}"
        quiet_button(label, key, "zoom_in", help=why, on_click=attempt, args=(again,))


def _go_deep(run: RunInfo, turn: Answer) -> None:
    """Open the research into this question that an earlier click began, else begin one."""
    question = _full_question(turn)
    for other in engine().threads.runs():
        same = other.question == question and other.options.get("follows") == run.thread_id
        if same and other.status not in runs.ENDED:
            open_thread(other.thread_id)
            return
    question_box.research(question, run.collections, run)


def _offer_research(run: RunInfo, turn: Answer) -> None:
    """Offer a research into the question, in the same conversation."""
    why = _(
        "Starts research with this question: asks you questions, proposes a plan, gathers "
        "evidence and writes a report."
    )
    quiet_button(
        _("Go deep"),
        f"research-{turn.turn}",
        "travel_explore",
        help=why,
        on_click=attempt,
        args=(partial(_go_deep, run, turn),),
    )


def _offer_sweep(run: RunInfo, turn: Answer) -> None:
    """Offer to read every section, where the question asks for all and only some were read."""
    if not turn.sweep_sections:
        return
    label = _("Read all {count} sections", count=format_number(turn.sweep_sections))
    why = _("Prepares a sweep: you see what it takes before it starts.")
    if quiet_button(label, f"sweep-{turn.turn}", "checklist", help=why):
        with show_errors():
            question, collections = _full_question(turn), run.collections
            sweep = engine().grids.sweep
            switch_to_thread(sweep(question, collections=collections, documents=run.documents))


def _full_question(turn: Answer) -> str:
    """Return the question as it was understood, complete in itself."""
    return turn.question_rewritten or turn.question


def _explanation(turn: Answer) -> None:
    """Draw the reason for the depth, the factors of the score, and the searches."""
    st.caption(plain(notice_text(turn.reason)))
    if isinstance(turn, StructuredAnswer):
        kind, share = (
            _(diagrams.QUESTION_TYPES[turn.question_type]),
            format_number(100 * turn.confidence),
        )
        st.caption(_("{kind} · confidence {share}%", kind=kind, share=share))
    factors = turn.complexity.factors
    rows = [
        {_("Factor"): _(title), _("Value"): getattr(factors, name)}
        for name, title in FACTORS.items()
    ]
    table(rows, shares=[_("Value")])
    if turn.found:
        st.caption(_("Searched for: {queries}", queries=plain("; ".join(turn.found.searches))))
    if turn.degraded:
        st.caption(_("Left out or replaced"))
        for notice in turn.degraded:
            st.text(notice_text(notice))
