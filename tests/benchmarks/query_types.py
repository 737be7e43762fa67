"""Share of the labelled questions whose type is told right, by language and by type.

Usage: python -m tests.benchmarks.query_types [--half dev|held] [--given-language]

The half ``held`` is for the figure that is quoted: no question of it is printed, whatever happens.
"""

import argparse
import json
import statistics
import time
from collections import defaultdict
from pathlib import Path

from services.query.classify import classify
from services.query.complexity import complexity
from services.query.language import detect_language

QUESTIONS = Path(__file__).parents[1] / "data" / "query_types" / "questions.jsonl"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=["dev", "held"], default="dev")
    parser.add_argument("--given-language", action="store_true", help="do not recognise it")
    options = parser.parse_args()
    records = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    marks: dict[str, list[bool]] = defaultdict(list)
    seconds = []
    for record in (record for record in records if record["half"] == options.half):
        question = record["question"]
        language = record["language"] if options.given_language else detect_language(question)
        started = time.perf_counter()
        found = classify(question, language)
        complexity(question, found, language=language)
        seconds.append(time.perf_counter() - started)
        right = found.type == record["type"].lower()
        for group in ("all", record["language"], record["type"].lower()):
            marks[group].append(right)
        if options.half == "dev" and not right:
            print(f"{record['type']:12} taken for {found.type:12} {question}")
    for group, hits in sorted(marks.items()):
        print(f"{group:12} {sum(hits) / len(hits):6.1%} of {len(hits)}")
    print(f"type and complexity: median {statistics.median(seconds) * 1000:.2f} ms a question")


if __name__ == "__main__":
    main()
