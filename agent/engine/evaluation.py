"""Ask questions with known answers, one after the other, and score the results."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from agent.engine.engine import Engine
from agent.engine.reports import answers_of
from agent.models import RunOptions
from services.domain.errors import RabbitholeError
from services.evaluation.answer_results import ResultFile, compared
from services.evaluation.answers import QuestionRecord
from services.evaluation.retrieval import evaluate_retrieval
from services.locale import rendered

__all__ = ["compared", "evaluate_retrieval", "measure_answers"]

RESEARCH: Final = "research"


def measure_answers(
    engine: Engine,
    file: Path,
    depth: str,
    *,
    collections: Sequence[str] | None = None,
    k: int | None = None,
    profile: str | None = None,
    limit: int | None = None,
    out: Path | None = None,
    on_row: Callable[[int, int, dict[str, Any]], None] = lambda done, all_, row: None,
) -> dict[str, Any]:
    """Ask the questions of a file at a depth, each in a thread that is deleted afterwards; score
    them.

    ``depth`` is ``research`` or one of ``agent.engine.answers.DEPTHS``; ``collections``, ``k`` and
    ``profile`` are those of a question; ``limit`` is the number of questions to ask, from the
    first. An ``out`` file, for reports and scores, is continued if it exists. ``on_row`` is called
    with the number of questions done, the number of all, and the row.

    Returns the value of the `ResultFile`, its rows without the reports. Raises InvalidInput if a
    file is malformed, or ``out`` is of another measurement.
    """
    questions = QuestionRecord.load(file)[:limit]
    options: dict[str, Any] = {"collections": collections, "k": k, "profile": profile}
    names = list(collections or ())
    settings = {"depth": depth, "collections": names, "k": k, "profile": profile}
    results = ResultFile(out, file, questions, **settings)
    for number, question in results.unanswered():
        row = ask(engine, question, depth, **options)
        results.add(row)
        on_row(number, len(questions), row)
    results.write()
    result = results.value()
    rows = [{k: v for k, v in row.items() if k != "report"} for row in result["rows"]]
    return {**result, "rows": rows}


def ask(engine: Engine, question: QuestionRecord, depth: str, **options: Any) -> dict[str, Any]:
    """Return a row: the report with its wall-clock seconds, or the error; ``options`` as in
    ``begin``.
    """
    row: dict[str, Any] = {"id": question.id, "question": question.q}
    started, thread = time.monotonic(), None
    try:
        thread = begin(engine, question.q, depth, **options)
        for _ in engine.threads.follow(thread):
            pass
        row |= outcome(engine, thread)
    except RabbitholeError as error:
        row["error"] = str(error)
    row["seconds"] = round(time.monotonic() - started, 2)
    if thread is not None:
        with suppress(RabbitholeError):
            engine.threads.delete(thread)
    return row


def begin(
    engine: Engine,
    question: str,
    depth: str,
    collections: Sequence[str] | None = None,
    **options: Any,
) -> str:
    """Start a thread that needs no person; return its id. ``options`` are ``k`` and ``profile``."""
    if depth != RESEARCH:
        turn = engine.answers.ask(question, depth=depth, collections=collections, **options)
        return turn.thread_id
    values = {name: value for name, value in options.items() if value is not None}
    run_options = RunOptions(clarify=False, approve_plan=False, **values)
    return engine.threads.start(question, collections=collections, options=run_options)


def outcome(engine: Engine, thread: str) -> dict[str, Any]:
    """Return the report of an ended thread, or why there is none."""
    run, report = engine.threads.run(thread), engine.threads.report(thread)
    if run.pending is not None:
        return {"error": "It asked back instead of answering."}
    if run.status != "done" or report is None:
        return {"error": str(run.error or f"It ended as {run.status}.")}
    return {"report": rendered(answers_of(report)[0])}
