"""A conversation as others script against it: one JSON object a turn."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Json = dict[str, Any]


def with_turn(report: Mapping[str, Any] | None, thread_id: str, turn: Mapping[str, Any]) -> Json:
    """The report of a thread with a turn added, or put in the place of the same turn."""
    turns: Sequence[Json] = report["turns"] if report else []
    kept = [each for each in turns if each["turn"] != turn["turn"]]
    whole = [*kept, {"thread_id": thread_id, **turn}]
    return {"thread_id": thread_id, "turns": sorted(whole, key=lambda each: each["turn"])}


def cited_by(turns: Iterable[Mapping[str, Any]]) -> list[Json]:
    """All citations of answers, in their order."""
    return [
        citation
        for turn in turns
        for sentence in turn["sentences"]
        for citation in sentence["citations"]
    ]
