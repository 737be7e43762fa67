"""Details of an answer: how it was found, its parts, related sections, and its text to copy."""

from collections.abc import Collection, Iterable, Sequence

import streamlit as st

from agent.ask.models import Answer, StructuredAnswer
from agent.engine import layout
from agent.engine.layout import by_place
from agent.engine.reports import Answered, ResearchReport, as_json, usage_of
from app import session
from app.components.widgets import bullets, copy_button, show_errors
from app.formats import one_line, plain
from app.labels import DEPTHS
from app.locale import N_
from app.navigation import location
from app.session import _, cached, engine, format_dates, format_number, language, notice_text
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

METHODS = {"catalog": N_("from the catalog"), "scan": N_("all documents searched")}

QUESTION_TYPES = {
    "factual": N_("factual"),
    "relational": N_("relational"),
    "comparative": N_("comparison"),
    "comparison": N_("comparison"),
    "enumeration": N_("enumeration"),
    "temporal": N_("temporal"),
    "causal": N_("causal"),
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
        usage = usage_of(turn)
        facts = (
            _(METHODS.get(turn.way) or DEPTHS[turn.depth]),
            _type(turn),
            session.format_duration(usage.total_s),
            session.model_label(usage.model),
            _("search from cache") if turn.from_cache else "",
        )
        st.caption(" · ".join(filter(None, facts)))
        _explanation(turn)
        if turn.agent_steps:
            st.markdown(f"**{_steps_title(turn.agent_steps)}**")
            for step in turn.agent_steps:
                _step(step)
        if isinstance(turn, StructuredAnswer):
            show_required_info(turn)
        if turn.sentences and not turn.listed:
            show_sections_around(thread, turn.turn)


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
    facts = [f"**{_('Step {number}', number=step.number)}**", session.format_duration(step.seconds)]
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


def _type(turn: Answer) -> str:
    if not isinstance(turn, StructuredAnswer):
        return _(QUESTION_TYPES[turn.classification.type])
    kind = _(QUESTION_TYPES[turn.question_type])
    return _("{kind} · confidence {share}%", kind=kind, share=format_number(100 * turn.confidence))


def _explanation(turn: Answer) -> None:
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


COLUMNS = 6

STRATEGIES = {
    "vector": N_("by meaning: {count}"),
    "keyword": N_("by keywords: {count}"),
    "graph": N_("in the graph: {count}"),
    "label": N_("named sections: {count}"),
}

SIGNS = {
    "covered": ":material/check_circle:",
    "partial": ":material/contrast:",
    "missing": ":material/circle:",
}


def coverage_table(answered: Answered) -> None:
    """Draw what a report or structured answer needed, by documents."""
    table = layout.coverage_table(as_json(answered), language(), COLUMNS)
    if not table.rows:
        st.caption(_("There was no plan."))
        return
    rows = [
        [plain(row.item), f"{SIGNS.get(row.status, '')} {plain(row.word)}", *map(_cell, row.cells)]
        for row in table.rows
    ]
    # st.table reads headers and cells as Markdown.
    columns = zip((*table.header, *table.documents), *rows, strict=True)
    st.table({plain(head): cells for head, *cells in columns})


def _cell(cell: layout.CoverageCell) -> str:
    sections = plain(cell.places or str(cell))
    if not cell.quoted:
        return sections
    return "  \n".join([f"**{sections}**", *map(plain, cell.figures[-1:])])


def show_required_info(turn: StructuredAnswer) -> None:
    """Draw the coverage table and the searches."""
    if not turn.required_info:
        return
    facts = _(QUESTION_TYPES[turn.question_type])
    if turn.temporal_scope:
        facts += f" · {_('asks about {time}', time=plain(format_dates(turn.temporal_scope)))}"
    if turn.temporal_coverage:
        facts += (
            f" · {_('documents from {time}', time=plain(format_dates(turn.temporal_coverage)))}"
        )
    with st.container(key=f"needed-{turn.turn}", gap="small"):
        st.markdown(f"**{_('Information needed')}**")
        st.caption(facts)
        coverage_table(turn)
        st.markdown(f"**{_('Searches ({count})', count=len(turn.sub_queries))}**")
        for query in turn.sub_queries:
            counts = " · ".join(
                _(STRATEGIES[name], count=count)
                for name, count in query.found.items()
                if count and name in STRATEGIES
            )
            total = _("found: {counts}", counts=counts or 0) if query.found else ""
            again = _("repeated to fill a gap") if query.gap else ""
            st.text(query.query)
            st.caption(" · ".join(filter(None, (again, plain(query.target_info), total))))


GRAPH_HELP = N_(
    "Filled boxes are the sections that support the answer. Arrows show which section refers to "
    "which."
)
NAME_LENGTH = 40
_STYLE = (
    'rankdir=LR bgcolor="transparent" node [shape=box style=rounded height=0.3] '
    "edge [arrowsize=0.6 fontsize=11]"
)

Edge = tuple[str, str, str]
"""Source and target of an arrow, and its label."""


def dot(filled: Collection[str], edges: Iterable[Edge]) -> str:
    """Return a graph in the language of Graphviz, with names escaped."""
    nodes = [f'{_quoted(name)} [style="rounded,filled"]' for name in filled]
    arrows = [
        f"{_quoted(source)} -> {_quoted(target)} [label={_quoted(label)}]"
        for source, target, label in edges
    ]
    return "\n".join(["digraph {", _STYLE, *nodes, *arrows, "}"])


def _quoted(name: str) -> str:
    cut = one_line(name, NAME_LENGTH)
    escaped = cut.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{escaped}"'


def show_related_sections(report: ResearchReport) -> None:
    """Draw the sections that a report cites and their references, if there are any."""
    around = layout.neighbourhood(as_json(report))
    if around.links:
        st.markdown(f"**{_('Related sections')}**")
        _show_graph(around)


def _show_graph(around: layout.Neighbourhood) -> list[str]:
    """Draw the graph and return it as sentences."""
    sentences = layout.sentences(around, language())
    st.caption(_(GRAPH_HELP))
    graph = dot(around.cited, [(*link, "") for link in around.links])
    st.graphviz_chart(graph, alt=" ".join(sentences))
    return sentences


def show_sections_around(thread: str, turn: int) -> None:
    """Draw the sections related to those that a quick answer cites."""
    st.markdown(f"**{_('Related sections')}**")
    around = cached("around", (thread, turn), lambda: engine().answers.neighbourhood(thread, turn))
    if around.links:
        st.markdown(bullets(map(plain, _show_graph(around))))
        return
    text = _(
        "The cited sections do not refer to other sections of these documents, and no other "
        "section refers to them."
    )
    st.caption(text)


@st.fragment
def copy_answer(turn: Answer) -> None:
    """Draw the button that copies an answer."""
    copy_button(_("Copy"), f"text-{turn.turn}", _with_sources(turn))


def _with_sources(turn: Answer) -> str:
    """Return question and answer, whose sentences have numbers, and the numbered quotes."""
    quotes = (
        f"[{c.number}] {location(c, c.section_title)}: “{one_line(c.quote)}”"
        for c in turn.citations
    )
    return "\n".join([turn.question, "", turn.answer, "", *quotes]).strip()
