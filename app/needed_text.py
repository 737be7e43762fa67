"""What a structured answer needed, for a terminal."""

from typing import Any

from agent import pictures


def needed_text(turn: dict[str, Any]) -> list[str]:
    """Lines for a terminal: what was needed, how far it was found, and what was searched for."""
    if "required_info" not in turn:
        return []
    needed = pictures.needed(turn)
    lines = [
        f"Question type {turn['question_type']}, confidence {turn['confidence']:.2f}"
        + (f", evidence from {turn['temporal_coverage']}" if turn["temporal_coverage"] else "")
    ]
    for row in needed.rows:
        pairs = zip(needed.documents, (cell.places for cell in row.cells), strict=True)
        where = "; ".join(f"{name} {places}".rstrip(" •") for name, places in pairs if places)
        lines.append(f"  {row.status:8} {row.item}" + (f" ({where})" if where else ""))
    lines += [f"Gap: {item}" for item in turn["gaps"]]
    lines += [f"Contradiction: {each['why']} ({each['item']})" for each in turn["contradictions"]]
    for query in turn["sub_queries"]:
        found = ", ".join(f"{name} {number}" for name, number in sorted(query["found"].items()))
        again = " (for a gap)" if query["gap"] else ""
        lines.append(f"Sub-query{again}: {query['query']} ({found})")
    times = ", ".join(f"{phase} {ms:.0f} ms" for phase, ms in turn["timings_ms"].items())
    return [*lines, f"Times: {times}"]
