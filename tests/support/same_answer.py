"""A research and quick answers in a process of its own.

``python -m tests.support.same_answer HOME [QUESTION...]`` prints what counts as evidence and answer
of each question as one JSON object.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from agent.ask.models import AskedDepth
from agent.engine.engine import Engine
from tests.support.desk import QUESTION, open_desk, until_ended
from tests.support.research import researched

COMPARED = (
    "answer",
    "sentences",
    "evidence",
    "dropped",
    "references",
    "gaps",
    "quotes",
    "retrieved",
    "retrieval_history",
    "todo",
    "findings",
    "citations",
    "question_type",
    "required_info",
    "sub_queries",
    "coverage_map",
    "entities",
    "confidence",
    "certainty",
    "coverage",
    "agent",
    "warnings",
    "degraded",
)
KINDS: tuple[AskedDepth | Literal["research"], ...] = (
    "fast",
    "enhanced",
    "structured",
    "agent",
    "research",
)


def what_counts(report: Any) -> dict[str, Any]:
    """A report without times and ids of the run."""
    found = {name: report[name] for name in COMPARED if name in report}
    return {**found, "fallbacks": report["usage"]["fallbacks"]}


def answered(
    client: Engine,
    question: str,
    collections: tuple[str, ...] | None = None,
    kinds: Sequence[AskedDepth | Literal["research"]] = KINDS,
) -> dict[str, Any]:
    """The answers of those kinds to a question; their threads are gone afterwards."""
    found: dict[str, Any] = {}
    for kind in kinds:
        if kind == "research":
            thread = researched(client, question, collections=collections)
            found[kind] = what_counts(client.threads.report(thread))
        else:
            thread = client.answers.ask(question, collections=collections, depth=kind).thread_id
            until_ended(client, thread)
            found[kind] = what_counts(client.answers.turns(thread)[0])
        client.threads.delete(thread)
    return found


def main() -> None:
    with open_desk(Path(sys.argv[1])) as client:
        found = {each: answered(client, each) for each in sys.argv[2:] or [QUESTION]}
    print(json.dumps(found, sort_keys=True))


if __name__ == "__main__":
    main()
