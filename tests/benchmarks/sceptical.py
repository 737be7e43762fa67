"""Asks the sceptical questions, each in its collection at its depth, and keeps the answers.

    python -m tests.benchmarks.sceptical --home HOME --out ANSWERS.jsonl [--set second] [--depth D]
        [--first N]

HOME holds the collections that ``data/sceptical/README.md`` names. What is kept is to be read by a
person: ``text`` is the answer as the command line prints it, every quote with its place. Scores by
gold sections and facts are printed beside, for comparing two versions.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from agent.engine.engine import Engine, connect
from agent.engine.evaluation import RESEARCH, ask
from agent.engine.reports import read_answer
from app.cli.answer_text import answer_text, run_text
from app.cli.evaluate import scores_table
from services.evaluation.answer_results import ResultFile
from services.evaluation.answers import Question
from services.settings import Settings
from tests.benchmarks import common

QUESTIONS = common.DATA / "sceptical"
DEPTHS = ("fast", "enhanced", "structured", "agent", RESEARCH)


def main() -> None:
    parser = common.arguments(__doc__, "home", "out")
    parser.add_argument("--set", choices=("second",), help="the later questions")
    parser.add_argument("--depth", action="append", choices=DEPTHS)
    parser.add_argument("--first", type=int, help="questions of each depth")
    options = parser.parse_args()
    with connect(Settings(home=options.home)) as engine, options.out.open("w") as out:
        for depth in options.depth or DEPTHS:
            for row in asked(engine, depth, QUESTIONS / (options.set or ""), options.first):
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
                out.flush()


def asked(engine: Engine, depth: str, folder: Path, first: int | None) -> list[dict[str, Any]]:
    """The answers of a depth with what is known of the questions; prints the scores."""
    file = folder / f"{depth}.jsonl"
    questions, scored = Question.load(file)[:first], ResultFile(None, file, depth=depth)
    rows = []
    for question, known in zip(questions, common.read_lines(file), strict=False):
        answered = ask(engine, question, depth, collections=[known["collection"]])
        row = {"system": depth, **answered}
        scored.add(row, questions)
        rows.append({**known, "depth": depth, **row, "text": shown(row.get("report"))})
        print(f"{known['id']} {row['seconds']:.1f} s", file=sys.stderr)
    print(scores_table(scored.value(questions)))
    print(Counter((row.get("report") or {}).get("certainty", "none") for row in rows))
    return rows


def shown(report: dict[str, Any] | None) -> str:
    if report is None:
        return ""
    if "depth" in report:
        return answer_text(read_answer(report), report["thread_id"])
    return run_text(report)


if __name__ == "__main__":
    main()
