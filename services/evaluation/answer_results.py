"""The result file of a measurement: every report as received, scored again on each write."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from services.domain.errors import InvalidInput
from services.evaluation.answers import (
    MEASURES,
    QuestionRecord,
    Score,
    paired_difference,
    score,
    summary,
)


class ResultFile:
    """The answers at one depth, written as a file after each of them if there is a path.

    ``settings`` must be the same when a measurement is continued, such as the collections.
    """

    def __init__(
        self, path: Path | None, file: Path, questions: Sequence[QuestionRecord], **settings: Any
    ) -> None:
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        self._path, self._questions = path, questions
        self._head = {"questions": file.name, "sha256": digest, **settings}
        self._rows: list[dict[str, Any]] = []
        if path is not None and path.exists():
            stored = stored_results(path)
            for key, value in self._head.items():
                if stored.get(key) != value:
                    raise InvalidInput(
                        f"{path} holds a measurement of other {key} ({stored.get(key)}). Name "
                        "another file."
                    )
            self._rows = stored["rows"]

    @property
    def _answers(self) -> dict[str, dict[str, Any]]:
        return {row["id"]: row for row in self._rows if "report" in row}

    def unanswered(self) -> list[tuple[int, QuestionRecord]]:
        """Return the questions without an answer, numbered from 1 among all."""
        numbered, answers = enumerate(self._questions, start=1), self._answers
        return [(number, question) for number, question in numbered if question.id not in answers]

    def add(self, row: dict[str, Any]) -> None:
        """Store a row, replacing an earlier one of the same question."""
        row = {"system": self._head["depth"], **row}
        self._rows = [old for old in self._rows if old["id"] != row["id"]] + [row]
        self.write()

    def value(self) -> dict[str, Any]:
        """Return the content of the file: head, models, rows, scores and their summaries."""
        answers, depth = self._answers, self._head["depth"]
        scores = [
            score(question, row["report"], row["seconds"])
            for question in self._questions
            if (row := answers.get(question.id))
        ]
        return {
            **self._head,
            "models": sorted({row["report"]["usage"]["model"] for row in answers.values()}),
            "rows": self._rows,
            "scores": {depth: list(map(asdict, scores))} if scores else {},
            "summary": {depth: summary(scores)} if scores else {},
        }

    def write(self) -> None:
        if self._path is None:
            return
        partial = self._path.with_suffix(".partial")
        text = json.dumps(self.value(), ensure_ascii=False, indent=1)
        partial.write_text(text, encoding="utf-8")
        partial.replace(self._path)


def stored_results(path: Path) -> dict[str, Any]:
    """Return the content of a result file; raise InvalidInput if it is none."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        _ = stored["rows"], stored["scores"], stored["sha256"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidInput(
            f"{path} is no result of a measurement ({error}). Name one that `rabbithole eval "
            "answers --out` has written."
        ) from error
    return dict(stored)


def compared(first: Path, second: Path) -> dict[str, Any]:
    """Compare two measurements of the same questions, question by question.

    Returns ``a`` and ``b`` (file, system, summary) and ``differences``: for each measure the mean
    of a - b over the questions that both answered, with its 95 % interval. Raise InvalidInput if a
    file is no result, has several systems, or other questions.
    """
    (name, ours), (other, theirs) = _only_system(first), _only_system(second)
    if stored_results(first)["sha256"] != stored_results(second)["sha256"]:
        raise InvalidInput(
            f"{first} and {second} measure other questions. Measure the same file twice."
        )
    differences = {
        measure: difference
        for measure in MEASURES
        if (difference := paired_difference(ours, theirs, measure)) is not None
    }
    return {
        "a": {"file": str(first), "system": name, "summary": summary(ours)},
        "b": {"file": str(second), "system": other, "summary": summary(theirs)},
        "differences": differences,
    }


def _only_system(path: Path) -> tuple[str, list[Score]]:
    scores: dict[str, list[dict[str, Any]]] = stored_results(path)["scores"]
    if len(scores) != 1:
        raise InvalidInput(
            f"{path} holds {len(scores)} measured systems, and one is compared with one. Measure "
            "each into a file of its own."
        )
    ((system, rows),) = scores.items()
    try:
        return system, [Score(**{**row, "found": tuple(row["found"])}) for row in rows]
    except (KeyError, TypeError) as error:
        raise InvalidInput(
            f"{path} was scored by another version ({error}). Run its `rabbithole eval answers` "
            "again with the same --out: nothing is asked again that has an answer."
        ) from error
