"""Asking questions with known answers, one after the other, and scoring what comes."""

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
from services.evaluation.answers import Question
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
    """Ask the questions of a file at a depth and score the answers against what is known.

    Each is asked in a thread of its own, which is deleted afterwards.

    Args:
        engine: of who asks.
        file: question records, one a line.
        depth: ``research``, or one of ``agent.engine.answers.DEPTHS``.
        collections: names or ids; None for all that one may read.
        k: passages to search for; None for what profile or settings say.
        profile: name of one's profile.
        limit: the first so many questions only.
        out: keeps reports and scores, and is gone on with where it exists.
        on_row: told how many of how many are done, and the row.

    Returns:
        What `ResultFile` holds, its rows without the reports.

    Raises:
        InvalidInput: a file is malformed, or ``out`` is of another measurement.
    """
    questions = Question.load(file)[:limit]
    asked: dict[str, Any] = {"collections": collections, "k": k, "profile": profile}
    where = list(collections or ())
    kept = ResultFile(out, file, depth=depth, collections=where, k=k, profile=profile)
    done = kept.answered(depth)
    for number, question in enumerate(questions, start=1):
        if question.id not in done:
            row = {"system": depth, **ask(engine, question, depth, **asked)}
            kept.add(row, questions)
            on_row(number, len(questions), row)
    kept.write(questions)
    result = kept.value(questions)
    rows = [{k: v for k, v in row.items() if k != "report"} for row in result["rows"]]
    return {**result, "rows": rows}


def ask(engine: Engine, question: Question, depth: str, **asked: Any) -> dict[str, Any]:
    """One row: the report with its wall-clock seconds, or the error in its place.

    ``asked`` is as of ``begun``.
    """
    row: dict[str, Any] = {"id": question.id, "question": question.q}
    begin, thread = time.monotonic(), None
    try:
        thread = begun(engine, question.q, depth, **asked)
        for _ in engine.threads.follow(thread):
            pass
        row |= outcome(engine, thread)
    except RabbitholeError as error:
        row["error"] = str(error)
    row["seconds"] = round(time.monotonic() - begin, 2)
    if thread is not None:
        with suppress(RabbitholeError):
            engine.threads.delete(thread)
    return row


def begun(
    engine: Engine,
    question: str,
    depth: str,
    collections: Sequence[str] | None = None,
    **asked: Any,
) -> str:
    """The thread of a question that nobody has to steer; ``asked`` are ``k`` and ``profile``."""
    if depth != RESEARCH:
        return engine.answers.ask(question, depth=depth, collections=collections, **asked).thread_id
    chosen = {name: value for name, value in asked.items() if value is not None}
    options = RunOptions(clarify=False, approve_plan=False, **chosen)
    return engine.threads.start(question, collections=collections, options=options)


def outcome(engine: Engine, thread: str) -> dict[str, Any]:
    """The report of an ended thread, or why there is none."""
    run, report = engine.threads.run(thread), engine.threads.report(thread)
    if run.pending is not None:
        return {"error": "It asked back instead of answering."}
    if run.status != "done" or report is None:
        return {"error": str(run.error or f"It ended as {run.status}.")}
    return {"report": rendered(answers_of(report)[0])}
