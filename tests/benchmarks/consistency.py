"""The same question in other words and once more: how far do the answers agree?

    python -m tests.benchmarks.consistency --questions FILE.jsonl --home HOME [--collection NAME]
        [--depth DEPTH] [--runs N]

A line of the file is ``{"id", "lang", "ask"}``, the last the question in several wordings.
"""

import json
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from pydantic import Field

from agent.engine.engine import Engine, connect
from agent.engine.evaluation import ask
from services.evaluation.answers import Question, Report, certainty_of, citations
from services.evaluation.datasets import Record
from services.evaluation.statistics import average
from services.settings import Settings
from tests.benchmarks import common


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


def measure_consistency(
    engine: Engine,
    file: Path,
    depth: str,
    *,
    runs: int,
    collections: Sequence[str] | None,
) -> dict[str, Any]:
    """Ask every wording of every question several times; how far the answers agree.

    Raises:
        InvalidInput: the file is malformed.
    """
    groups = Wordings.load(file)
    wanted = [(each, text) for each in groups for text in each.ask for _ in range(runs)]
    rows: list[dict[str, Any]] = []
    for group, text in wanted:
        question = Question(id=group.id, lang=group.lang, q=text, gold=(), must=(), type="factual")
        rows.append(ask(engine, question, depth, collections=collections))
    answered = [row for row in rows if "report" in row]
    return {
        "questions": len(groups),
        "wordings": sum(len(each.ask) for each in groups),
        "runs": runs,
        "depth": depth,
        "models": sorted({row["report"]["usage"]["model"] for row in answered}),
        "same": agreement(answered),
        "rows": [{k: v for k, v in row.items() if k != "report"} for row in rows],
    }


def main() -> None:
    parser = common.arguments(__doc__, "home")
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--collection", action="append")
    parser.add_argument("--depth", default="fast")
    parser.add_argument("--runs", type=int, default=2)
    options = parser.parse_args()
    with connect(Settings(home=options.home)) as engine:
        result = measure_consistency(
            engine,
            options.questions,
            options.depth,
            runs=options.runs,
            collections=options.collection,
        )
    print(json.dumps(result, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
