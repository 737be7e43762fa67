"""The result file of a measurement: every report as received, scored again on each write."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from services.domain.errors import InvalidInput
from services.evaluation.answers import MEASURES, Question, Score, paired_difference, score, summary


class ResultFile:
    """Rows of a measurement, written as a file after every answer if there is a path.

    ``settings`` must be the same when a measurement is continued, such as the collections.
    """

    def __init__(self, path: Path | None, questions: Path, **settings: Any) -> None:
        digest = hashlib.sha256(questions.read_bytes()).hexdigest()
        self.path = path
        self._head = {"questions": questions.name, "sha256": digest, **settings}
        self.rows: list[dict[str, Any]] = []
        if path is not None and path.exists():
            stored = stored_results(path)
            for key, value in self._head.items():
                if stored.get(key) != value:
                    raise InvalidInput(
                        f"{path} holds a measurement of other {key} ({stored.get(key)}). Name "
                        "another file."
                    )
            self.rows = stored["rows"]

    def answered(self, system: str) -> set[str]:
        return {row["id"] for row in self.rows if row["system"] == system and "report" in row}

    def add(self, row: dict[str, Any], questions: Sequence[Question]) -> None:
        """Store a row, replacing an earlier one of the same question."""
        same = (row["system"], row["id"])
        self.rows = [old for old in self.rows if (old["system"], old["id"]) != same] + [row]
        self.write(questions)

    def scores(self, questions: Sequence[Question]) -> dict[str, list[Score]]:
        """Return the scores by system, in the order of the questions."""
        reports = {(row["system"], row["id"]): row for row in self.rows if "report" in row}
        scored = {
            system: [
                score(question, row["report"], row["seconds"])
                for question in questions
                if (row := reports.get((system, question.id)))
            ]
            for system in dict.fromkeys(row["system"] for row in self.rows)
        }
        return {system: scores for system, scores in scored.items() if scores}

    def value(self, questions: Sequence[Question]) -> dict[str, Any]:
        scores = self.scores(questions)
        return {
            **self._head,
            "models": sorted({r["report"]["usage"]["model"] for r in self.rows if "report" in r}),
            "rows": self.rows,
            "scores": {system: [asdict(s) for s in rows] for system, rows in scores.items()},
            "summary": {system: summary(rows) for system, rows in scores.items()},
        }

    def write(self, questions: Sequence[Question]) -> None:
        if self.path is None:
            return
        partial = self.path.with_suffix(".partial")
        text = json.dumps(self.value(questions), ensure_ascii=False, indent=1)
        partial.write_text(text, encoding="utf-8")
        partial.replace(self.path)


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
