"""Quick answers on CLAPNQ: what is found, what is refused, what is cited.

    python -m tests.benchmarks.clapnq --data DIR --out FILE [--home DIR] [--questions N]

Ingests the passages into a home of its own and asks all 600 questions without a model: is the
gold passage found, and is the question answered or refused? With ``--questions N`` it then asks
N questions of the half that no threshold was chosen on (as many that can be answered as not) with
the model of ``RABBITHOLE_LLM``, and the same ones plain RAG: top 5 passages, one prompt of the same
length, same model, citations by the model. Figures have paired bootstrap intervals.
"""

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from services.evaluation.statistics import Interval, difference_interval, mean_interval
from services.settings import Settings
from tests.benchmarks.clapnq_data import ClapData, ClapQuestion, load

COLLECTION = "clapnq"
Row = dict[str, Any]


def ask_all(home: Path, questions: Sequence[ClapQuestion], llm: str) -> list[Row]:
    """Each question in a conversation of its own; what came of it."""
    from agent.engine.engine import connect

    rows: list[Row] = []
    with connect(Settings(home=home, llm=llm)) as client:
        for number, question in enumerate(questions, start=1):
            begin = time.monotonic()
            asked = client.answers.ask(question.text, collections=[COLLECTION])
            ranked: list[str] = []
            for record in client.threads.follow(asked.thread_id, asked.after):
                if record.event.kind == "knowledge_retrieval_complete":
                    ranked = [source.document for source in record.event.sources]
            turn = client.answers.turns(asked.thread_id)[-1]
            seconds = time.monotonic() - begin
            client.threads.delete(asked.thread_id)
            rows.append(row_of(question, turn, ranked, seconds))
            if number % 50 == 0:
                print(f"{number} of {len(questions)}", file=sys.stderr)
    return rows


def row_of(question: ClapQuestion, turn: Row, ranked: Sequence[str], seconds: float) -> Row:
    """What the figures need of a turn."""
    order = list(dict.fromkeys(ranked))
    cited = list(dict.fromkeys(each["document"] for each in turn["citations"]))
    return {
        "id": question.id,
        "half": question.half,
        "answerable": question.answerable,
        "refused": turn["refused"],
        "rank": order.index(question.gold) + 1 if question.gold in order else None,
        "cited_gold": cited.count(question.gold or "") / len(cited) if cited else None,
        "answer": turn["answer"],
        "found": turn["found"],
        "calls": turn["usage"]["model_calls"],
        "seconds": round(seconds, 2),
    }


def table(rows: Sequence[Row]) -> dict[str, Any]:
    """Figures of one system over rows of one kind; intervals are 95 %."""
    answerable = [row for row in rows if row["answerable"]]
    others = [row for row in rows if not row["answerable"]]
    cited = [row["cited_gold"] for row in answerable if row["cited_gold"] is not None]
    return {
        "questions": len(rows),
        "gold first": _share([row["rank"] == 1 for row in answerable]),
        "gold in 10": _share([(row["rank"] or 99) <= 10 for row in answerable]),
        "answerable refused": _share([row["refused"] for row in answerable]),
        "unanswerable answered": _share([not row["refused"] for row in others]),
        "citation precision": _share(cited),
        "median seconds": float(np.median([row["seconds"] for row in rows])),
    }


def _share(values: Sequence[float | bool]) -> dict[str, float] | None:
    return _as_json(mean_interval(np.array(values, dtype=float))) if values else None


def _as_json(interval: Interval) -> dict[str, float]:
    return {
        "mean": round(interval.mean, 4),
        "low": round(interval.low, 4),
        "high": round(interval.high, 4),
    }


def compared(ours: Sequence[Row], plain: Sequence[Row]) -> dict[str, Any]:
    """Ours minus plain RAG on the same questions; below 0 is better but for precision."""
    pairs = list(zip(ours, plain, strict=True))
    answerable = [(a, b) for a, b in pairs if a["answerable"]]
    others = [(a, b) for a, b in pairs if not a["answerable"]]
    both = [(a, b) for a, b in answerable if None not in (a["cited_gold"], b["cited_gold"])]
    return {
        "answerable refused": _difference(answerable, lambda row: row["refused"]),
        "unanswerable answered": _difference(others, lambda row: not row["refused"]),
        "citation precision, where both cite": _difference(both, lambda row: row["cited_gold"]),
    }


def _difference(pairs: Sequence[tuple[Row, Row]], value: Any) -> dict[str, float] | None:
    if not pairs:
        return None
    ours, plain = (np.array([value(pair[n]) for pair in pairs], dtype=float) for n in (0, 1))
    return _as_json(difference_interval(ours, plain))


def ingest(home: Path, data: ClapData) -> None:
    """The passages as a collection; what is there already is not done again."""
    from agent.engine.engine import connect

    folder = home / "passages"
    data.write_corpus(folder)
    with connect(Settings(home=home, llm="none")) as client:
        client.library.ingest([folder], COLLECTION, language="en")


def some(questions: Sequence[ClapQuestion], number: int) -> list[ClapQuestion]:
    """As many that can be answered as not, of the half kept for reporting, by id."""
    kept = sorted((q for q in questions if q.half == "kept"), key=lambda q: q.id)
    halves = [[q for q in kept if q.answerable is wanted] for wanted in (True, False)]
    return [question for half in halves for question in half[: number // 2]]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with the two files")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--home", type=Path, help="default: beside the result")
    parser.add_argument("--questions", type=int, default=0, help="how many with the model")
    options = parser.parse_args()
    home = options.home or options.out.with_suffix(".home")
    data = load(options.data)
    ingest(home, data)
    result = json.loads(options.out.read_text()) if options.out.exists() else {}
    if "rows" not in result:
        result["rows"] = ask_all(home, data.questions, "none")
        options.out.write_text(json.dumps(result, ensure_ascii=False), encoding="utf-8")
    rows = result["rows"]
    for half in ("chosen", "kept"):
        result[half] = table([row for row in rows if row["half"] == half])
    if options.questions:
        result["model"] = with_model(home, some(data.questions, options.questions))
    options.out.write_text(json.dumps(result, ensure_ascii=False, indent=1), encoding="utf-8")
    print(json.dumps({k: v for k, v in result.items() if k != "rows"}, indent=1))
    return 0


def with_model(home: Path, questions: Sequence[ClapQuestion]) -> dict[str, Any]:
    """Ours and plain RAG, one after the other, with the model that the settings name."""
    from tests.benchmarks.clapnq_plain import answer_all

    settings = Settings(home=home)
    ours = ask_all(home, questions, settings.llm or "embedded")
    plain = asyncio.run(answer_all(settings, COLLECTION, questions))
    return {
        "ours": table(ours),
        "plain": table(plain),
        "ours minus plain": compared(ours, plain),
        "rows": {"ours": ours, "plain": plain},
    }


if __name__ == "__main__":
    sys.exit(main())
