"""The diagrams in the documents are drawn from the graphs."""

import re
from pathlib import Path

import pytest
from langgraph.graph.state import CompiledStateGraph

from agent.ask.graph import build_ask_graph
from agent.research.graph import build_research_graph

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(
    ("graph", "name"), [(build_research_graph(), "research.md"), (build_ask_graph(), "answers.md")]
)
def test_diagram_is_the_graph(graph: CompiledStateGraph, name: str) -> None:
    drawn = graph.get_graph().draw_mermaid(with_styles=False)
    found = re.search(r"```mermaid\n(.*?)```", (DOCS / name).read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    assert found.group(1).strip() == drawn.strip(), f"put this into docs/{name}:\n{drawn}"
