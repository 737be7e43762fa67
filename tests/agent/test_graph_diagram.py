"""The diagrams in the documents are drawn from the graphs; a development server finds these."""

import json
import re
from importlib import import_module
from pathlib import Path

import pytest
from langgraph.graph.state import CompiledStateGraph

from agent.ask.graph import build_ask_graph
from agent.research.graph import build_research_graph

DOCS = Path(__file__).resolve().parents[2] / "docs"


@pytest.mark.parametrize(
    ("graph", "name"),
    [(build_research_graph(), "research.md"), (build_ask_graph(), "answers.md")],
)
def test_diagram_is_the_graph(graph: CompiledStateGraph, name: str) -> None:
    drawn = graph.get_graph().draw_mermaid(with_styles=False)
    found = re.search(r"```mermaid\n(.*?)```", (DOCS / name).read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    assert found.group(1).strip() == drawn.strip(), f"put this into docs/{name}:\n{drawn}"


def test_langgraph_json_names_compiled_graphs() -> None:
    named = json.loads((DOCS.parent / "langgraph.json").read_text(encoding="utf-8"))["graphs"]
    assert set(named) == {"ask", "research"}
    for place in named.values():
        file, attribute = place.split(":")
        module = import_module(file.removeprefix("./").removesuffix(".py").replace("/", "."))
        assert isinstance(getattr(module, attribute), CompiledStateGraph)
