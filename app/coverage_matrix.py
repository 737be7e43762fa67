"""What a structured answer needed, as a matrix: required information by documents."""

from dataclasses import dataclass
from typing import Any

SECTIONS_SHOWN = 3


@dataclass(frozen=True)
class Row:
    """A piece of required information; ``cells`` name the sections by document, "" for none."""

    item: str
    status: str
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Matrix:
    """Rows in the order of the question, documents by how much they say, ties by name."""

    documents: tuple[str, ...]
    rows: tuple[Row, ...]


def matrix(turn: dict[str, Any]) -> Matrix:
    """The matrix of a turn as ``ask --json`` prints it; of other depths it is empty."""
    required = turn.get("required_info", [])
    counts: dict[str, int] = {}
    for each in (each for info in required for each in info["evidence"]):
        counts[each["document"]] = counts.get(each["document"], 0) + 1
    documents = tuple(sorted(counts, key=lambda name: (-counts[name], name)))
    rows = tuple(
        Row(
            info["item"],
            info["status"],
            tuple(_sections(info["evidence"], document) for document in documents),
        )
        for info in required
    )
    return Matrix(documents, rows)


def _sections(evidence: list[dict[str, Any]], document: str) -> str:
    """``§ 78, § 77 +2``: the nearest sections, and how many more; a bullet for nameless ones."""
    own = [each["section"] for each in evidence if each["document"] == document]
    names = [name for name in dict.fromkeys(own) if name]
    if not names:
        return "•" if own else ""
    more = f" +{len(names) - SECTIONS_SHOWN}" if len(names) > SECTIONS_SHOWN else ""
    return ", ".join(names[:SECTIONS_SHOWN]) + more


def needed_text(turn: dict[str, Any]) -> list[str]:
    """Lines for a terminal: what was needed, how far it was found, and what was searched for."""
    if "required_info" not in turn:
        return []
    table = matrix(turn)
    lines = [
        f"Question type {turn['question_type']}, confidence {turn['confidence']:.2f}"
        + (f", evidence from {turn['temporal_coverage']}" if turn["temporal_coverage"] else "")
    ]
    for row in table.rows:
        pairs = zip(table.documents, row.cells, strict=True)
        where = "; ".join(f"{name} {cell}".rstrip(" •") for name, cell in pairs if cell)
        lines.append(f"  {row.status:8} {row.item}" + (f" ({where})" if where else ""))
    lines += [f"Gap: {item}" for item in turn["gaps"]]
    lines += [f"Contradiction: {each['why']} ({each['item']})" for each in turn["contradictions"]]
    for query in turn["sub_queries"]:
        found = ", ".join(f"{name} {number}" for name, number in sorted(query["found"].items()))
        again = " (for a gap)" if query["gap"] else ""
        lines.append(f"Sub-query{again}: {query['query']} ({found})")
    times = ", ".join(f"{phase} {ms:.0f} ms" for phase, ms in turn["timings_ms"].items())
    return [*lines, f"Times: {times}"]
