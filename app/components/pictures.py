"""What stands around an answer or a name as a graph, which Streamlit draws in the browser."""

from collections.abc import Collection, Iterable

import streamlit as st

from agent.engine import layout
from agent.engine.reports import ResearchReport, as_json
from app.components.notices import reported
from app.components.widgets import bullets
from app.formats import one_line, plain
from app.locale import N_
from app.session import _, engine, kept, language

HOW_TO_READ = N_(
    "Filled are the sections that prove the answer. An arrow leads from the section that refers "
    "to the one that it refers to."
)
LONGEST_NAME = 40
_STYLE = (
    'rankdir=LR bgcolor="transparent" node [shape=box style=rounded height=0.3] '
    "edge [arrowsize=0.6 fontsize=11]"
)

Edge = tuple[str, str, str]
"""Where an arrow begins and ends, and what is written beside it."""


def dot(filled: Collection[str], edges: Iterable[Edge]) -> str:
    """The graph in the language of Graphviz, with nothing of a name read as part of it."""
    nodes = [f'{_quoted(name)} [style="rounded,filled"]' for name in filled]
    arrows = [
        f"{_quoted(source)} -> {_quoted(target)} [label={_quoted(label)}]"
        for source, target, label in edges
    ]
    return "\n".join(["digraph {", _STYLE, *nodes, *arrows, "}"])


def _quoted(name: str) -> str:
    cut = one_line(name, LONGEST_NAME)
    escaped = cut.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
    return f'"{escaped}"'


def neighbourhood(report: ResearchReport) -> None:
    """The sections that a report cites and what those refer to; nothing without references."""
    around = layout.neighbourhood(as_json(report))
    if around.links:
        st.markdown(f"**{_('Related sections')}**")
        _show(around)


def _show(around: layout.Neighbourhood) -> list[str]:
    """Draws it; the same in sentences."""
    told = layout.sentences(around, language())
    st.caption(_(HOW_TO_READ))
    graph = dot(around.cited, [(*link, "") for link in around.links])
    st.graphviz_chart(graph, alt=" ".join(told))
    return told


@st.fragment
def show_folded(thread: str, turn: int) -> None:
    """That of a quick answer, in a fold; nothing is looked up before that is opened."""
    box = st.expander(_("Related sections"), key=f"around-{thread}-{turn}", on_change="rerun")
    if not box.open:
        return
    with box, reported():
        around = kept(
            "around", (thread, turn), lambda: engine().answers.neighbourhood(thread, turn)
        )
        if around.links:
            st.markdown(bullets(map(plain, _show(around))))
            return
        st.caption(
            _(
                "The cited sections refer to no other one in these documents, and none "
                "refers to them."
            )
        )
