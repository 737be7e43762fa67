"""Passages and questions of CLAPNQ as a collection for :mod:`measure`.

    python -m tests.benchmarks.peers.clapnq --source DIR --out OUT [--passages 60]

``DIR`` holds ``clapnq_dev_answerable.jsonl`` and ``clapnq_dev_unanswerable.jsonl``. ``OUT/clapnq``
gets one file a passage, the first so many of each list, and ``OUT/clapnq.jsonl`` their questions;
what annotators selected is what is to be cited. No facts are named, so none are counted.
"""

import json
from itertools import islice
from pathlib import Path
from typing import Any

from tests.benchmarks import common

KINDS = ("answerable", "unanswerable")


def question(asked: dict[str, Any], kind: str) -> dict[str, Any]:
    """The record of a question; ids end in a number that says nothing, so their order is a draw."""
    name = f"clapnq-{asked['id']}"
    selected = (asked["output"][0].get("selected_sentences") or []) if kind == KINDS[0] else []
    return {
        "id": name,
        "lang": "en",
        "q": asked["input"],
        "gold": [name] if selected else [],
        "must": [],
        "documents": [f"{name}.txt"],
        "answer_sentence": " […] ".join(selected),
    }


def main() -> None:
    parser = common.arguments(__doc__, "out")
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--passages", type=int, default=60, help="of each list")
    given = parser.parse_args()
    files = given.out / "clapnq"
    files.mkdir(parents=True, exist_ok=True)
    with (given.out / "clapnq.jsonl").open("w", encoding="utf-8") as out:
        for kind in KINDS:
            rows = common.read_lines(given.source / f"clapnq_dev_{kind}.jsonl")
            for asked in islice(rows, given.passages):
                [passage] = asked["passages"]
                text = f"{passage['title']}\n\n{passage['text']}\n"
                (files / f"clapnq-{asked['id']}.txt").write_text(text, encoding="utf-8")
                out.write(json.dumps(question(asked, kind), ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
