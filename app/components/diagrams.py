"""Tables and diagrams of an answer: the coverage of its parts, and the related sections."""

from collections.abc import Collection, Iterable

import streamlit as st

from agent.ask.models import StructuredAnswer
from agent.engine import layout
from agent.engine.reports import Answered, ResearchReport, as_json
from app.components.widgets import bullets
from app.formats import one_line, plain
from app.locale import N_
from app.session import _, cached, engine, format_dates, language

COLUMNS = 6
"""Most documents that get a column."""

QUESTION_TYPES = {
    "factual": N_("factual"),
    "comparison": N_("comparison"),
    "enumeration": N_("enumeration"),
    "temporal": N_("temporal"),
    "causal": N_("causal"),
}

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


def _cell(cell: layout.Cell) -> str:
    """Return the sections, bold if they are quoted, and how many quotes."""
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
        _show(around)


def _show(around: layout.Neighbourhood) -> list[str]:
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
        st.markdown(bullets(map(plain, _show(around))))
        return
    st.caption(
        _(
            "The cited sections do not refer to other sections of these documents, and no "
            "other section refers to them."
        )
    )
