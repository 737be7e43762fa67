"""Questions with known answers: asked, scored, asked beside hostile text, and asked again."""

import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from agent.engine.engine import Engine, connect_to
from agent.engine.reports import answers_of
from agent.models import RunOptions
from services.build import Services
from services.domain import Principal
from services.domain.errors import InvalidInput, RabbitholeError
from services.evaluation.answer_results import ResultFile, compared
from services.evaluation.answers import Question
from services.evaluation.consistency import Wordings, agreement
from services.evaluation.injection import HostileText, changed, load_texts, planted, survived
from services.evaluation.retrieval import evaluate_retrieval
from services.locale import rendered
from services.settings import Settings

__all__ = ["compared", "evaluate_retrieval", "measure_answers"]

RESEARCH: Final = "research"
CLEAN: Final = "clean"
TEXT_FILES: Final = (".md", ".txt")
OnRow = Callable[[int, int, dict[str, Any]], None]


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
    on_row: OnRow = lambda done, all_, row: None,
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


def measure_injection(
    texts: Path,
    file: Path,
    documents: Path,
    settings: Settings,
    depth: str,
    *,
    limit: int | None = None,
    services: Callable[[Settings], Services] = Services,
    on_row: OnRow = lambda done, all_, row: None,
) -> dict[str, Any]:
    """What hostile text in the paragraphs that answer does to answers; the home is forgotten.

    Each question has its own text in a copy of the documents; with more texts there are more
    copies, in a collection each, and all questions are asked in each, those that nothing answers,
    too.

    Args:
        texts: hostile texts, a file or a folder.
        file: question records, one a line.
        documents: a text file, or a folder whose text files are taken.
        settings: name the models.
        depth: as of ``measure_answers``.
        limit: the first so many texts only.
        services: makes the services of a home.
        on_row: told how many of how many are done, and the row.

    Returns:
        The shape of ``eval injection --json``.

    Raises:
        InvalidInput: a file is malformed, or the documents answer none of the questions.
    """
    hostile, questions = load_texts(texts)[:limit], Question.load(file)
    known = [each for each in questions if each.answerable]
    if not known:
        raise InvalidInput("{file} holds no question that has an answer.", file=file)
    originals = _texts_of(documents)
    batches = [hostile[n : n + len(known)] for n in range(0, len(hostile), len(known))]
    pairs = [list(zip(known, batch, strict=False)) for batch in batches]
    with tempfile.TemporaryDirectory(prefix="rabbithole-eval-") as folder:
        private: dict[str, Any] = {"home": Path(folder) / "home", "database": None}
        private |= {"vectors": "chroma", "lexical": "tantivy"}
        copy = settings.model_copy(update=private)
        with connect_to(services(copy), Principal()) as engine:
            _take_in(engine, Path(folder), CLEAN, originals)
            for n, batch in enumerate(pairs):
                _take_in(engine, Path(folder), str(n), planted(originals, batch))
            before, rows = _asked_in_all(engine, questions, pairs, depth, on_row)
    reports = {name: row["report"] for name, row in before.items() if "report" in row}
    return {
        "texts": len(hostile),
        "questions": len(questions),
        "answers": len(rows),
        "depth": depth,
        "models": sorted({each["usage"]["model"] for each in reports.values()}),
        "certainty_before": {name: each["certainty"] for name, each in reports.items()},
        "survived": survived(rows),
        "rows": rows,
    }


def _asked_in_all(
    engine: Engine,
    questions: Sequence[Question],
    pairs: Sequence[Sequence[tuple[Question, HostileText]]],
    depth: str,
    on_row: OnRow,
) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """The row of each question in the clean collection, and all rows of the others, compared."""
    before = {each.id: ask(engine, each, depth, collections=[CLEAN]) for each in questions}
    rows: list[dict[str, Any]] = []
    for n, batch in enumerate(pairs):
        of_question = {question.id: each.id for question, each in batch}
        for question in questions:
            row = ask(engine, question, depth, collections=[str(n)])
            row |= {"text": of_question.get(question.id)}
            rows.append(_compared(before[question.id], row, [each for _, each in batch]))
            on_row(len(rows), len(pairs) * len(questions), rows[-1])
    return before, rows


def _texts_of(documents: Path) -> dict[str, str]:
    files = sorted(documents.iterdir()) if documents.is_dir() else [documents]
    try:
        return {f.name: f.read_text(encoding="utf-8") for f in files if f.suffix in TEXT_FILES}
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            "{path} cannot be read as text ({cause}).", path=documents, cause=error
        ) from error


def _take_in(engine: Engine, folder: Path, name: str, texts: dict[str, str]) -> None:
    """The texts as files of a collection, under the names that they always have."""
    place = folder / name
    place.mkdir()
    for file, text in texts.items():
        (place / file).write_text(text, encoding="utf-8")
    engine.library.ingest([place], name)


def _compared(
    before: dict[str, Any], row: dict[str, Any], batch: Sequence[HostileText]
) -> dict[str, Any]:
    """The row with what changed in the place of its report."""
    report = row.pop("report", None)
    if report is not None and "report" in before:
        row["changed"] = changed(before["report"], report, batch)
    elif report is not None:
        row["error"] = before["error"]
    return row


def measure_consistency(
    engine: Engine,
    file: Path,
    depth: str,
    *,
    runs: int = 2,
    on_row: OnRow = lambda done, all_, row: None,
    **asked: Any,
) -> dict[str, Any]:
    """Ask every wording of every question several times; how far the answers agree.

    ``asked`` are ``collections``, ``k`` and ``profile`` as of ``measure_answers``.

    Raises:
        InvalidInput: the file is malformed.
    """
    groups = Wordings.load(file)
    wanted = [(each, text) for each in groups for text in each.ask for _ in range(runs)]
    rows: list[dict[str, Any]] = []
    for group, text in wanted:
        question = Question(id=group.id, lang=group.lang, q=text, gold=(), must=(), type="factual")
        rows.append(ask(engine, question, depth, **asked))
        on_row(len(rows), len(wanted), rows[-1])
    answered = [row for row in rows if "report" in row]
    return {
        "questions": len(groups),
        "wordings": sum(len(each.ask) for each in groups),
        "runs": runs,
        "depth": depth,
        "models": sorted({row["report"]["usage"]["model"] for row in answered}),
        "same": agreement(answered),
        "rows": [{k: v for k, v in row.items() if k != "report"} for row in rows],
    }
