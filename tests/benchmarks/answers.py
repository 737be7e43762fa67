"""Runs questions through the product and through plain RAG, and prints what they are worth.

    python -m tests.benchmarks.answers --questions FILE.jsonl --home DIR --collection NAME \\
        --out RESULT.json [--system research] [--system plain] [--ingest DIR] [--only ID]

``research`` calls the command ``rabbithole research … --yes --no-clarify --json`` as a user
would; ``plain`` is the baseline of ``plain_rag.py``. Each answer is stored with its whole
report as soon as it is there; a second call with the same result file goes on where the first
stopped (questions that failed are tried again) and scores everything anew. Progress of the
commands goes to RESULT.log.
"""

import argparse
import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Protocol

from services.domain.errors import RabbitholeError
from services.evaluation.answer_results import ResultFile
from services.evaluation.answers import Question, Report, load_questions
from services.settings import Settings
from tests.benchmarks.plain_rag import open_plain_rag
from tests.benchmarks.product import AnswerFailed, Product, executable
from tests.benchmarks.table import render_tables

SYSTEMS = ("research", "plain")


class System(Protocol):
    """Anything that turns a question into a report."""

    async def answer(self, question: Question) -> Report: ...


@asynccontextmanager
async def open_system(
    name: str, product: Product, options: argparse.Namespace
) -> AsyncIterator[System]:
    if name == "research":
        yield product
    else:
        settings = Settings(home=options.home)
        if options.llm:
            settings = settings.model_copy(update={"llm": options.llm})
        opened = open_plain_rag(settings, options.collection, deadline_s=options.timeout)
        async with opened as rag:
            yield rag


async def ask(system: System, name: str, question: Question) -> dict[str, Any]:
    """One row: the report with its wall-clock seconds, or the error in its place."""
    row: dict[str, Any] = {"system": name, "id": question.id, "question": question.q}
    begin = time.monotonic()
    try:
        row["report"] = await system.answer(question)
    except (AnswerFailed, RabbitholeError) as error:
        row["error"] = f"{type(error).__name__}: {error}"
    row["seconds"] = round(time.monotonic() - begin, 2)
    return row


def _files(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.iterdir() if path.is_file())


async def measure(options: argparse.Namespace) -> ResultFile:
    """Asks every open question of every chosen system, one after the other."""
    questions = load_questions(options.questions)
    results = ResultFile(options.out, options.questions, collection=options.collection)
    environment = {**os.environ, "RABBITHOLE_HOME": str(options.home)}
    if options.llm:
        environment["RABBITHOLE_LLM"] = options.llm
    product = Product(
        [executable()],
        options.collection,
        environment,
        options.out.with_suffix(".log"),
        timeout_s=options.timeout,
    )
    if options.ingest:
        await product.run("ingest", *_files(options.ingest))
    for name in options.system or SYSTEMS:
        done = results.answered(name)
        chosen = [q for q in questions if q.id in options.only or not options.only]
        todo = [q for q in chosen[: options.limit] if q.id not in done]
        if not todo:
            continue
        async with open_system(name, product, options) as system:
            for question in todo:
                row = await ask(system, name, question)
                results.add(row, questions)
                state = row.get("error", "answered")
                print(f"{name} {question.id}: {state} in {row['seconds']} s", file=sys.stderr)
    results.write(questions)
    return results


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--questions", type=Path, required=True)
    parser.add_argument("--home", type=Path, required=True, help="RABBITHOLE_HOME to measure in")
    parser.add_argument("--collection", required=True)
    parser.add_argument("--out", type=Path, required=True, help="result file (JSON)")
    parser.add_argument("--system", choices=SYSTEMS, action="append", help="default: both")
    parser.add_argument("--ingest", type=Path, help="first ingest the files of this folder")
    parser.add_argument("--llm", help="RABBITHOLE_LLM to measure with")
    parser.add_argument("--limit", type=int, help="only the first N questions")
    parser.add_argument("--only", action="append", default=[], metavar="ID", help="only this one")
    parser.add_argument("--timeout", type=float, default=1800.0, help="seconds for one answer")
    options = parser.parse_args(arguments)
    try:
        results = asyncio.run(measure(options))
    except (AnswerFailed, RabbitholeError, ValueError, OSError) as error:
        print(f"answers: {error}", file=sys.stderr)
        return 1
    print(render_tables(results.scores(load_questions(options.questions))))
    failed = [row for row in results.rows if "error" in row]
    for row in failed:
        print(f"{row['system']} {row['id']}: {row['error']}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
