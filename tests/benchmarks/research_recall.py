"""Do the tasks of a research run find the sections that answer, and does the graph help them?

    python -m tests.benchmarks.research_recall --home HOME --collection NAME --out FILE.json \\
        [--questions dev|one-section|by-rule|by-hand]... [--without-graph]
    python -m tests.benchmarks.research_recall --compare WITHOUT.json WITH.json

Whole runs without clarification, approval and model, one after the other. Of each: the share of
its gold sections in the evidence that was kept, in the quotes of the tasks and in the report's
citations, the facts stated (``dev`` alone), and the seconds of every task. Seconds include the
embedding of new sentences: compare runs whose sentences were all embedded before.
"""

import json
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from agent.engine.engine import Engine, connect_to
from agent.models import RunOptions
from services.build import Services
from services.domain import Principal, Scope
from services.domain.events import TaskFinished
from services.evaluation.answers import (
    Question,
    citations,
    claims,
    gold_share,
    share,
)
from services.evaluation.facts import groups_found
from services.evaluation.statistics import difference_interval
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row
from tests.benchmarks.multi_hop_questions import BY_HAND, BY_RULE

DEV: Final = Path(__file__).parent / "questions_dev.jsonl"
MEASURES: Final = ("evidence", "quotes", "cited", "facts")
SETS: Final = ("dev", "one-section", "by-rule", "by-hand")


class NoGraph:
    """Stands for a scope of which nothing was built."""

    def has_graph(self, scope: Scope) -> bool:
        return False


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--collection")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--questions", choices=SETS, action="append")
    parser.add_argument("--limit", type=int, help="only the first N of each set")
    parser.add_argument("--without-graph", action="store_true")
    parser.add_argument("--compare", type=Path, nargs=2, metavar=("WITHOUT", "WITH"))
    options = parser.parse_args()
    if options.compare:
        compare(*map(common.read_json, options.compare))
        return
    services = Services(Settings(home=options.home, llm="none"))
    if options.without_graph:
        services = services.replaced(graph=NoGraph)
    rows = []
    with connect_to(services, Principal()) as client:
        for name in options.questions or SETS[:3]:
            asked = [
                row(client, name, q, options.collection) for q in of_set(name)[: options.limit]
            ]
            tell(name, asked)
            rows += asked
    if options.out:
        options.out.write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")


def of_set(name: str) -> list[Question]:
    """The questions for tuning of a set; of those by hand, which nothing is tuned on, all."""
    if name == "dev":
        return [each for each in Question.load(DEV) if each.gold]
    files = {"one-section": common.LAW_QUESTIONS, "by-rule": BY_RULE, "by-hand": BY_HAND}
    return [
        Question(
            id=f"{name}-{number}",
            lang="de",
            q=each.text,
            gold=tuple(sorted(" ".join(section) for section in each.gold)),
            must=(),
            type="",
        )
        for number, each in enumerate(common.load_questions(files[name]))
        if each.split in ("dev", "hand")
    ]


def row(client: Engine, name: str, question: Question, collection: str) -> Row:
    """One run: what it found of the gold, and what each task took in seconds."""
    options = RunOptions(clarify=False, approve_plan=False)
    begin = time.monotonic()
    thread = client.threads.start(question.q, collections=[collection], options=options)
    for _ in client.threads.follow(thread):
        pass
    wall = time.monotonic() - begin
    report = client.threads.report(thread)
    if report is None:
        raise SystemExit(f"no report: {client.threads.run(thread).error}")
    events = [each.event for each in client.threads.events(thread)]
    client.threads.delete(thread)
    evidence, stated = report["evidence"], claims(report, question.q)
    return {
        "set": name,
        "id": question.id,
        "evidence": gold_share(question, evidence, report),
        "quotes": gold_share(question, report["quotes"], report),
        "cited": gold_share(question, citations(report, proof_only=False), report),
        "facts": share(groups_found(stated, question.must)),
        "kept": len(evidence),
        "by": {way: sum(e["source_type"] == way for e in evidence) for way in WAYS},
        "characters": len(stated),
        "tasks": [each.seconds for each in events if isinstance(each, TaskFinished)],
        "seconds": round(wall, 3),
    }


WAYS: Final = ("vector_search", "reference", "hitl", "graph")


def tell(name: str, rows: Sequence[Row]) -> None:
    found = {m: [r[m] for r in rows if r[m] is not None] for m in MEASURES}
    means = "  ".join(f"{m} {statistics.mean(v):.3f}" for m, v in found.items() if v)
    by = "  ".join(f"{way} {statistics.mean(r['by'][way] for r in rows):.1f}" for way in WAYS)
    tasks = [seconds for r in rows for seconds in r["tasks"]]
    print(f"{name}: {len(rows)} questions, gold in {means}")
    print(f"  evidence {statistics.mean(r['kept'] for r in rows):.1f} a run: {by}")
    print(
        f"  {len(tasks)} tasks, median {statistics.median(tasks):.2f} s, slowest "
        f"{max(tasks):.2f} s; runs median {statistics.median(r['seconds'] for r in rows):.2f} s",
        flush=True,
    )


def compare(without: list[Row], with_: list[Row]) -> None:
    """Paired differences of two result files, by set of questions."""
    before = {(r["set"], r["id"]): r for r in without}
    pairs = [(before[r["set"], r["id"]], r) for r in with_ if (r["set"], r["id"]) in before]
    for name in dict.fromkeys(r["set"] for r in with_):
        for measure in MEASURES:
            values = [
                (one[measure], other[measure])
                for one, other in pairs
                if other["set"] == name and one[measure] is not None
            ]
            if values:
                first, second = zip(*values, strict=True)
                gain = difference_interval(np.array(second), np.array(first))
                print(
                    f"{name:12} {measure:9} {statistics.mean(first):.3f} -> "
                    f"{statistics.mean(second):.3f}, difference {common.shown(gain)}, "
                    f"n = {len(values)}"
                )


if __name__ == "__main__":
    main()
