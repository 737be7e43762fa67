"""Are follow-ups that need the conversation told from others, and what completes them?

    python -m tests.benchmarks.follow_ups [--half dev|kept] [--show]

Reads ``tests/data/follow_ups``. The half ``dev`` may be looked at while rules are written; the
figures that count are those of ``kept``. A completion is right when it has every string that the
record demands. Without a model: what the deterministic fallback makes of it.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

from agent.ask.models import PastTurn
from agent.ask.rewrite import completed, names_of, needs_conversation
from services.language.query.heads import QuestionReader
from services.retrieval.embedders import BundledEmbedder
from services.retrieval.embedders.base import cache_queries
from tests.benchmarks import common
from tests.benchmarks.common import Row

READER = QuestionReader(cache_queries(BundledEmbedder()))
RECORDS = Path(__file__).parents[1] / "data" / "follow_ups" / "follow_ups.jsonl"


def half_of(identifier: str) -> str:
    """``dev`` or ``kept``, by the hash of the id."""
    return ("dev", "kept")[hashlib.sha256(identifier.encode()).digest()[0] % 2]


def records(half: str) -> Iterator[Row]:
    return (record for record in common.read_lines(RECORDS) if half_of(record["id"]) == half)


def past(record: Row) -> list[PastTurn]:
    """The turns before, each completed from those before it, as a conversation has them."""
    language = record["language"]
    turns: list[PastTurn] = []
    for turn in record["turns"]:
        question = turn["question"]
        if needs_conversation(question, turns, language, READER):
            question = completed(question, turns, language).question
        names = names_of(question, language)
        turns.append(PastTurn(question=question, names=names, answer=turn["answer"]))
    return turns


def outcome(record: Row) -> tuple[bool, bool, str]:
    """Whether the need was seen rightly, whether what came out is right, and what that is."""
    question, language = record["follow_up"], record["language"]
    turns = past(record)
    needs = needs_conversation(question, turns, language, READER)
    whole = completed(question, turns, language).question if needs else question
    text = whole.casefold().replace("’", "'")
    right = all(wanted.casefold() in text for wanted in record["must_contain"])
    return needs is record["needs_context"], right, whole


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--half", choices=["dev", "kept"], default="kept")
    parser.add_argument("--show", action="store_true", help="print what went wrong (dev only)")
    options = parser.parse_args()
    rows = [(record, *outcome(record)) for record in records(options.half)]
    for record, seen, right, whole in rows:
        if options.show and options.half == "dev" and not (seen and right):
            print(f"{record['id']} need {'ok' if seen else 'WRONG'}: {record['follow_up']!r}")
            print(f"   -> {whole!r}; wanted {record['must_contain']}; {record['turns'][-1]}")
    print(f"{options.half}: {len(rows)} follow-ups")
    print(f"need seen rightly: {sum(seen for _, seen, _, _ in rows)}")
    print(f"whole without a model: {sum(right for _, _, right, _ in rows)}")


if __name__ == "__main__":
    main()
