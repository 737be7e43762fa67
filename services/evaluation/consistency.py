"""The same question in other words and once more: how far the answers agree."""

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any

from pydantic import Field

from services.evaluation.answers import Report, certainty_of, citations
from services.evaluation.records import Record
from services.evaluation.statistics import average


class Wordings(Record):
    """One question in several wordings."""

    what = "question"

    id: str
    lang: str
    ask: tuple[str, ...] = Field(min_length=1)


def sections(report: Report) -> set[tuple[str, str]]:
    """The sections that an answer shows as proof."""
    return {(c["document"], c["section"]) for c in citations(report, proof_only=True)}


def agreement(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How far two answers to one question agree, by whether its words were the same.

    Args:
        rows: ``id``, ``question`` and ``report`` of each answer.

    Returns:
        For ``runs`` (same words) and ``paraphrases``: ``sections`` is the mean share of cited
        sections that two answers have in common, of all that they cite; ``certainty`` the share of
        pairs in which both answer, or both may, or both refuse. Pairs of which neither cites
        anything count for the latter alone.
    """
    pairs = [(a, b) for a, b in combinations(rows, 2) if a["id"] == b["id"]]
    groups = {
        "runs": [pair for pair in pairs if pair[0]["question"] == pair[1]["question"]],
        "paraphrases": [pair for pair in pairs if pair[0]["question"] != pair[1]["question"]],
    }
    return {
        name: {
            "sections": average(
                [s for a, b in group if (s := _common(a["report"], b["report"])) is not None]
            ),
            "certainty": average(
                [certainty_of(a["report"]) == certainty_of(b["report"]) for a, b in group]
            ),
        }
        for name, group in groups.items()
    }


def _common(a: Report, b: Report) -> float | None:
    union = sections(a) | sections(b)
    return len(sections(a) & sections(b)) / len(union) if union else None
