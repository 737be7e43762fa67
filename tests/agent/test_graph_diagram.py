"""The diagram in docs/phases.md is drawn from the graph."""

import re
from pathlib import Path

from agent.graph import build_research_graph

PHASES = Path(__file__).resolve().parents[2] / "docs" / "phases.md"


def test_diagram_is_the_graph() -> None:
    drawn = build_research_graph().get_graph().draw_mermaid(with_styles=False)
    found = re.search(r"```mermaid\n(.*?)```", PHASES.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    assert found.group(1).strip() == drawn.strip(), f"put this into docs/phases.md:\n{drawn}"
