"""Edits that a plan needs with and without plan memory, on pairs of similar questions.

    RABBITHOLE_LLM=none python -m tests.benchmarks.plan_memory --home HOME --out FILE.json

``data/plan_memory/pairs.json`` has for both questions of a pair the plan that a person approves:
its tasks in their words, ``*`` for sections that are proposed, and nothing where the proposal is
kept. The first questions are researched with their plans, without a model, so that all stand in
one memory; then, with the model of the environment, each second question is planned twice, and so
is each of ``unrelated.json``, whose plans must not change. An edit is a line of
``plan_changes``. Works on a copy of the home, on the pairs whose collection it has.
"""

import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from agent.engine.engine import Engine, connect
from agent.models import RunOptions
from agent.prompts import say
from agent.research.plans import NEW, plan_changes
from services.domain import Principal
from services.domain.events import PlanItem
from services.evaluation.statistics import difference_interval, mean_interval
from services.settings import Settings
from tests.benchmarks.common import DATA, arguments, read_json, shown

ANY_SECTION = "*"
Row = dict[str, Any]


def main() -> None:
    parser = arguments(__doc__, "home", "out")
    parser.add_argument(
        "--limit", type=int, help="pairs at equal distances, and two other questions"
    )
    args = parser.parse_args()
    pairs = read_json(DATA / "plan_memory" / "pairs.json")
    unrelated = read_json(DATA / "plan_memory" / "unrelated.json")
    with connect(Settings(home=args.home), Principal(role="admin")) as engine:
        there = {each.name for each in engine.library.collections()}
    pairs = [pair for pair in pairs if pair["collection"] in there]
    unrelated = {lang: [r for r in rows if r[0] in there] for lang, rows in unrelated.items()}
    if args.limit:
        step = max(1, len(pairs) // args.limit)
        pairs = pairs[::step][: args.limit]
        unrelated = {lang: rows[:1] for lang, rows in unrelated.items()}
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        shutil.copytree(args.home, home, ignore=shutil.ignore_patterns("owner.lock"))
        with connect(Settings(home=home, llm="none"), Principal(role="admin")) as engine:
            for pair in pairs:
                approve(engine, pair["first"], pair["collection"], pair["lang"])
        with connect(Settings(home=home), Principal(role="admin")) as engine:
            result = measure(engine, pairs, unrelated)
    args.out.write_text(json.dumps(result, ensure_ascii=False, indent=1), encoding="utf-8")
    report(result)


def measure(engine: Engine, pairs: list[Row], unrelated: dict[str, list[list[str]]]) -> Row:
    rows = []
    for pair in pairs:
        rows.append(compared(engine, pair))
        print(rows[-1], flush=True)
    changed = []
    for lang, questions in unrelated.items():
        for collection, question in questions:
            without, with_memory = both(engine, question, collection)
            changed.append({"lang": lang, "question": question, "changed": without != with_memory})
    return {"pairs": rows, "unrelated": changed, "cases": len(engine.plans.list())}


def compared(engine: Engine, pair: Row) -> Row:
    question, plan, lang = pair["second"]["question"], pair["second"]["plan"], pair["lang"]
    without, with_memory = both(engine, question, pair["collection"])
    approved = [item.task for item in without] if plan is None else plan
    return {
        "question": question,
        "without": edits(without, approved, lang),
        "with": edits(with_memory, approved, lang),
        "proposed": [item.task for item in without],
        "suggested": [item.task for item in with_memory],
    }


def both(
    engine: Engine, question: str, collection: str
) -> tuple[Sequence[PlanItem], Sequence[PlanItem]]:
    plans = []
    for on in (False, True):
        engine.settings.set_parameter("planMemory", on)
        thread, items = proposed(engine, question, collection)
        engine.threads.delete(thread)
        plans.append(items)
    return plans[0], plans[1]


def proposed(engine: Engine, question: str, collection: str) -> tuple[str, Sequence[PlanItem]]:
    options = RunOptions(clarify=False)
    thread = engine.threads.start(question, collections=(collection,), options=options)
    settled(engine, thread)
    pending = engine.threads.run(thread).pending
    assert pending is not None, engine.threads.run(thread).error
    return thread, pending.items


def settled(engine: Engine, thread: str) -> None:
    for _ in engine.threads.follow(thread):
        pass


def approve(engine: Engine, asked: Row, collection: str, lang: str) -> None:
    """Research with the person's plan, which is then rated good."""
    engine.settings.set_parameter("planMemory", True)
    before = {case.case_id for case in engine.plans.list()}
    thread, items = proposed(engine, asked["question"], collection)
    plan = asked["plan"]
    if plan is not None:
        texts = [text for text in plan if text != ANY_SECTION]
        texts += sections(items, lang) if ANY_SECTION in plan else []
        items = [PlanItem(id=n, task=text) for n, text in enumerate(texts, start=1)]
    pending = engine.threads.run(thread).pending
    assert pending is not None
    engine.threads.approve(thread, pending.interrupt_id, None if plan is None else items)
    settled(engine, thread)
    kept = {case.case_id for case in engine.plans.list()} - before
    print("kept" if kept else "NOT KEPT", asked["question"], flush=True)
    if kept:
        engine.answers.vote(thread, up=True)


def sections(items: Sequence[PlanItem], lang: Any) -> list[str]:
    return [item.task for item in items if item.context == say(lang, "by_search")]


def edits(items: Sequence[PlanItem], plan: Sequence[str], lang: str) -> int:
    texts = [text for text in plan if text != ANY_SECTION]
    texts += sections(items, lang) if ANY_SECTION in plan else []
    after = [PlanItem(id=NEW, task=text) for text in texts]
    return sum(change.kind != "moved" for change in plan_changes(items, after))


def report(result: Row) -> None:
    without, with_memory = (
        np.array([row[name] for row in result["pairs"]], dtype=np.float64)
        for name in ("without", "with")
    )
    print("edits without memory", shown(mean_interval(without)))
    print("edits with memory   ", shown(mean_interval(with_memory)))
    print("difference          ", shown(difference_interval(with_memory, without)))
    worse = sum(b > a for a, b in zip(without, with_memory, strict=True))
    fewer = sum(b < a for a, b in zip(without, with_memory, strict=True))
    print(f"fewer {fewer}, same {len(without) - fewer - worse}, more {worse} of {len(without)}")
    changed = sum(row["changed"] for row in result["unrelated"])
    print(f"unrelated plans changed: {changed} of {len(result['unrelated'])}")


if __name__ == "__main__":
    main()
