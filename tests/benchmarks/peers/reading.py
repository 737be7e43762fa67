"""Cited claims of all systems to be read by hand, without knowing whose each is.

    python -m tests.benchmarks.peers.reading deal --out CLAIMS.jsonl --key KEY.jsonl
    python -m tests.benchmarks.peers.reading count READ.jsonl --key KEY.jsonl

``deal`` mixes the sentences that a model wrote and something is cited for; each stands beside what
is cited, or a document's name where a system names no more. Who reads adds ``verdict``:
``true``, ``false`` (what is cited does not say it) or ``no claim``. ``count`` adds up by system.
"""

import argparse
import json
import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks import common
from tests.benchmarks.peers.compare import DATA

SEED = 20
FEWEST_WORDS = 4
"""Shorter ones are headings and names of sources."""


def claims(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """The claims of all rows. A verbatim quote set by code is none of the model's."""
    for row in rows:
        for said in row.get("sentences", ()):
            words = said["text"].split()
            if (
                not said["citations"]
                or len(words) < FEWEST_WORDS
                or said.get("standing") == "quote"
            ):
                continue
            cited = [c["text"] or f"whole of {c['file']}" for c in said["citations"]]
            yield {"system": row["system"], "id": row["id"], "claim": said["text"], "cited": cited}


def deal(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    mixed = list(claims(rows))
    random.Random(SEED).shuffle(mixed)
    return [{"n": n, **claim} for n, claim in enumerate(mixed, start=1)]


def counted(
    read: Sequence[Mapping[str, Any]], key: Sequence[Mapping[str, Any]]
) -> dict[str, Counter[str]]:
    """Verdicts by system."""
    systems = {each["n"]: each["system"] for each in key}
    found: dict[str, Counter[str]] = {}
    for each in read:
        found.setdefault(systems[each["n"]], Counter())[each["verdict"]] += 1
    return found


def keep(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text("".join(lines), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    doing = parser.add_subparsers(dest="doing", required=True)
    dealing = doing.add_parser("deal")
    dealing.add_argument("--answers", type=Path, default=DATA / "answers.jsonl")
    dealing.add_argument("--out", type=Path, required=True)
    dealing.add_argument("--key", type=Path, required=True)
    counting = doing.add_parser("count")
    counting.add_argument("read", type=Path)
    counting.add_argument("--key", type=Path, required=True)
    given = parser.parse_args()
    if given.doing == "deal":
        dealt = deal(list(common.read_lines(given.answers)))
        blind = ("n", "claim", "cited")
        keep(given.out, [{name: claim[name] for name in blind} for claim in dealt])
        keep(given.key, [{name: claim[name] for name in ("n", "system", "id")} for claim in dealt])
        return
    found = counted(list(common.read_lines(given.read)), list(common.read_lines(given.key)))
    for system, verdicts in sorted(found.items()):
        print(system, dict(verdicts))


if __name__ == "__main__":
    main()
