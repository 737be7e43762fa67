"""Golden answers: what a version cited and claimed, to see that the next one loses nothing.

    rabbithole eval answers --questions Q.jsonl --depth fast --out R.json     (for each depth)
    python -m tests.benchmarks.golden keep data/golden/NAME.golden.jsonl.gz R.json...
    python -m tests.benchmarks.golden compare data/golden/NAME.golden.jsonl.gz R.json...

Kept of each answer: question id, depth, outcome, and each sentence's standing with the places that
it cites. ``compare`` names every answer that differs and exits with 1 if one does; a difference is
then an improvement that somebody can name, or a fault.
"""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.benchmarks import common

Answer = dict[str, Any]


def golden(result: dict[str, Any]) -> Iterator[Answer]:
    """The answers of one result file of ``eval answers``, without their texts."""
    for row in result["rows"]:
        if report := row.get("report"):
            yield {
                "id": row["id"],
                "depth": result["depth"],
                "collections": result["collections"],
                "outcome": report["certainty"],
                "sentences": [_sentence(each) for each in report["sentences"]],
            }


def _sentence(sentence: dict[str, Any]) -> list[Any]:
    """Its standing and ``file section start-end`` of what it cites."""
    places = [
        f"{c['document']} {c['section']} {c['start']}-{c['end']}" for c in sentence["citations"]
    ]
    return [sentence["standing"], *places]


def differences(before: Sequence[Answer], after: Sequence[Answer]) -> list[str]:
    """A line for each answer that is missing or differs."""
    now = {_key(answer): answer for answer in after}
    lines = []
    for answer in before:
        other = now.get(_key(answer))
        if other is None:
            lines.append(f"{' '.join(_key(answer))}: not asked")
        elif other["outcome"] != answer["outcome"]:
            lines.append(f"{' '.join(_key(answer))}: {answer['outcome']} -> {other['outcome']}")
        elif other["sentences"] != answer["sentences"]:
            lines.append(f"{' '.join(_key(answer))}: {_changed(answer, other)}")
    return lines


def _key(answer: Answer) -> tuple[str, ...]:
    return (answer["depth"], *(answer["collections"] or ()), answer["id"])


def _changed(before: Answer, after: Answer) -> str:
    old, new = ([json.dumps(s) for s in each["sentences"]] for each in (before, after))
    gone, come = set(old) - set(new), set(new) - set(old)
    if not gone and not come:
        return "another order"
    return f"gone {' '.join(sorted(gone)) or 'nothing'}; come {' '.join(sorted(come)) or 'nothing'}"


def main() -> int:
    parser = common.arguments(__doc__)
    parser.add_argument("step", choices=("keep", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("results", type=Path, nargs="+")
    options = parser.parse_args()
    answers = [a for path in options.results for a in golden(common.read_json(path))]
    if options.step == "keep":
        common.write_lines(options.file, answers)
        return 0
    asked = {(a["depth"], *(a["collections"] or ())) for a in answers}
    kept = list(common.read_lines(options.file))
    kept = [a for a in kept if (a["depth"], *(a["collections"] or ())) in asked]
    lines = differences(kept, answers)
    print("\n".join([*lines, f"{len(kept) - len(lines)} of {len(kept)} answers are the same"]))
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
