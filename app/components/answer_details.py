"""What stands behind an answer, in one fold: its reason, steps, parts, sections and figures."""

from collections.abc import Sequence

import streamlit as st

from agent.ask.models import Answer, StructuredAnswer
from agent.engine.layout import by_place
from agent.engine.reports import usage_of
from app.components import diagrams
from app.components.notices import show_errors
from app.components.widgets import bullets
from app.formats import plain
from app.labels import DEPTHS
from app.locale import N_
from app.session import _, format_duration, format_number, model_label, notice_text
from services.domain.events import AgentAction, AgentStep

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
    "scan": N_("all documents searched"),
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

FACTORS = {
    "query_type": N_("Question type"),
    "entity_count": N_("Named entities"),
    "subquestion_count": N_("Parts of the question"),
    "keyword_matches": N_("Keywords"),
    "low_confidence": N_("Uncertain question type"),
}

FINAL = "final_answer"


@st.fragment
def show(thread: str, turn: Answer) -> None:
    """Draw the fold; what is in it is drawn once it is opened."""
    box = st.expander(_("Details"), key=f"details-{thread}-{turn.turn}", on_change="rerun")
    if not box.open:
        return
    with box, show_errors():
        st.caption(_facts(turn))
        _explanation(turn)
        if turn.agent_steps:
            st.markdown(f"**{_steps_title(turn.agent_steps)}**")
            for step in turn.agent_steps:
                _step(step)
        if isinstance(turn, StructuredAnswer):
            diagrams.show_required_info(turn)
        if turn.sentences and not turn.listed:
            diagrams.show_sections_around(thread, turn.turn)


def show_steps(steps: Sequence[AgentStep]) -> None:
    """Draw the steps of an agent at work."""
    if steps:
        icon = ":material/format_list_numbered:"
        with st.expander(_steps_title(steps), icon=icon, expanded=True):
            for step in steps:
                _step(step)


def _steps_title(steps: Sequence[AgentStep]) -> str:
    return _("Agent steps ({count})", count=len(steps))


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


def _facts(turn: Answer) -> str:
    """Return how the answer was found, by which model, and the seconds it took."""
    usage = usage_of(turn)
    facts = [
        _(METHODS.get(turn.way) or DEPTHS[turn.depth]),
        _type(turn),
        format_duration(usage.total_s),
        model_label(usage.model),
        _("search from cache") if turn.from_cache else "",
    ]
    return " · ".join(filter(None, facts))


def _type(turn: Answer) -> str:
    if not isinstance(turn, StructuredAnswer):
        return _(QUESTION_TYPES[turn.classification.type])
    kind = _(diagrams.QUESTION_TYPES[turn.question_type])
    return _("{kind} · confidence {share}%", kind=kind, share=format_number(100 * turn.confidence))


def _explanation(turn: Answer) -> None:
    """Draw the reason for the method, what raised the score, and what was searched."""
    st.markdown(f"**{_('Why this answer?')}**")
    st.caption(plain(notice_text(turn.reason)))
    shares = {title: getattr(turn.complexity.factors, name) for name, title in FACTORS.items()}
    lines = (f"{_(title)}: {format_number(v, 2)}" for title, v in shares.items() if v)
    st.markdown(bullets(lines))
    if turn.found:
        st.caption(_("Searched for: {queries}", queries=plain("; ".join(turn.found.searches))))
    if turn.coverage.statement:
        st.caption(plain(turn.coverage.statement))
    if turn.degraded:
        st.caption(_("Left out or replaced"))
        for notice in turn.degraded:
            st.text(notice_text(notice))
