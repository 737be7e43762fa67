"""Share of the labelled questions whose type is told right, by language and by type.

    python -m tests.benchmarks.query_types [--set main|fresh|third] [--half HALF]

The set ``main`` has the halves ``dev`` and ``held``, ``fresh`` has ``first`` and ``second``,
``third`` is ``whole``. The heads are fitted to all but ``held`` (``train_heads`` measures what was
left out in turn), so ``held`` alone tells something here; misses are printed for the others.
"""

import argparse
import statistics
import time
from collections import defaultdict
from pathlib import Path

from services.language.query.heads import QuestionReader
from services.language.query.language import detect_language
from services.language.query.understand import understand
from services.retrieval.embedders import BundledEmbedder
from tests.benchmarks import common

FOLDER = Path(__file__).parents[1] / "data" / "query_types"
FILES = {"main": "questions.jsonl", "fresh": "fresh.jsonl", "third": "third.jsonl"}
HALVES = {"main": ("dev", "held"), "fresh": ("first", "second"), "third": ("whole",)}


def main() -> None:
    options = _options()
    lines = common.read_lines(FOLDER / FILES[options.set])
    records = [record for record in lines if record["half"] == options.half]
    marks: dict[str, list[bool]] = defaultdict(list)
    seconds = []
    reader = QuestionReader(BundledEmbedder().embed_query)
    for record in records:
        question = record["question"]
        language = record["language"] if options.given_language else detect_language(question)
        started = time.perf_counter()
        found = understand(question, language=language, reader=reader).classification
        seconds.append(time.perf_counter() - started)
        right = found.type == record["type"].lower()
        for group in ("all", record["language"], record["type"].lower()):
            marks[group].append(right)
        if not right and options.half == HALVES[options.set][0]:
            print(f"{record['type']:12} taken for {found.type:12} {question}")
    for group, hits in sorted(marks.items()):
        print(f"{group:12} {sum(hits) / len(hits):6.1%} of {len(hits)}")
    print(f"understanding: median {statistics.median(seconds) * 1000:.2f} ms a question")


def _options() -> argparse.Namespace:
    """Command line, with the half that may be looked at where none is named."""
    parser = common.arguments(__doc__)
    parser.add_argument("--set", choices=sorted(FILES), default="main")
    parser.add_argument("--half", choices=[half for halves in HALVES.values() for half in halves])
    parser.add_argument("--given-language", action="store_true", help="do not recognise it")
    options = parser.parse_args()
    options.half = options.half or HALVES[options.set][0]
    if options.half not in HALVES[options.set]:
        parser.error(f"the set {options.set} has the halves {' and '.join(HALVES[options.set])}")
    return options


if __name__ == "__main__":
    main()
