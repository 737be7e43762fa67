"""The same question in other words and once more: how far do the answers agree?

    python -m tests.benchmarks.consistency --home HOME [--collection NAME] [--questions FILE.jsonl]
        [--depth DEPTH] [--runs N]

A line of the file is ``{"id", "lang", "ask"}``, the last the question in several wordings.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from agent.engine.engine import connect
from agent.engine.evaluation import ask
from services.evaluation.answers import QuestionRecord, Report, certainty_of, citations
from services.evaluation.statistics import average
from services.settings import Settings
from tests.benchmarks import common


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


def main() -> None:
    parser = common.arguments(__doc__, "home")
    parser.add_argument("--questions", type=Path, default=common.DATA / "wordings.jsonl")
    parser.add_argument("--collection", action="append")
    parser.add_argument("--depth", default="fast")
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    with connect(Settings(home=options.home)) as engine:
        for group in common.read_lines(options.questions):
            for text in [wording for wording in group["ask"] for _ in range(options.runs)]:
                question = QuestionRecord(
                    id=group["id"], lang=group["lang"], q=text, gold=(), must=(), type="factual"
                )
                rows.append(ask(engine, question, options.depth, collections=options.collection))
    answered = [row for row in rows if "report" in row]
    print(f"{len(answered)} of {len(rows)} questions answered")
    print(json.dumps(agreement(answered), indent=1))


if __name__ == "__main__":
    main()
