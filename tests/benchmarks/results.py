"""The result file of a measurement: every report as it came, scored anew on every write."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.benchmarks.product import AnswerFailed
from tests.benchmarks.scoring import Question, Score, score, summary

SYSTEMS = ("research", "plain")


class ResultFile:
    """Rows of a measurement, written whole after every answer."""

    def __init__(self, path: Path, questions: Path, collection: str) -> None:
        digest = hashlib.sha256(questions.read_bytes()).hexdigest()
        self.path = path
        self._head = {"questions": questions.name, "sha256": digest, "collection": collection}
        self.rows: list[dict[str, Any]] = []
        if path.exists():
            self._read()

    def _read(self) -> None:
        stored = json.loads(self.path.read_text(encoding="utf-8"))
        for key, value in self._head.items():
            if stored.get(key) != value:
                raise AnswerFailed(
                    f"{self.path} holds a measurement of other {key} ({stored.get(key)}); "
                    "name another result file."
                )
        self.rows = stored["rows"]

    def answered(self, system: str) -> set[str]:
        """Ids of the questions that need not be asked again."""
        return {row["id"] for row in self.rows if row["system"] == system and "report" in row}

    def add(self, row: dict[str, Any], questions: Sequence[Question]) -> None:
        """Stores a row in place of an earlier one of the same system and question."""
        same = (row["system"], row["id"])
        self.rows = [old for old in self.rows if (old["system"], old["id"]) != same] + [row]
        self.write(questions)

    def scores(self, questions: Sequence[Question]) -> dict[str, list[Score]]:
        """Scores by system, in the order of the questions."""
        reports = {(row["system"], row["id"]): row for row in self.rows if "report" in row}
        scored = {
            system: [
                score(question, row["report"], row["seconds"])
                for question in questions
                if (row := reports.get((system, question.id)))
            ]
            for system in SYSTEMS
        }
        return {system: scores for system, scores in scored.items() if scores}

    def write(self, questions: Sequence[Question]) -> None:
        scores = self.scores(questions)
        value = {
            **self._head,
            "models": sorted({r["report"]["usage"]["model"] for r in self.rows if "report" in r}),
            "rows": self.rows,
            "scores": {system: [asdict(s) for s in rows] for system, rows in scores.items()},
            "summary": {system: summary(rows) for system, rows in scores.items()},
        }
        partial = self.path.with_suffix(".partial")
        partial.write_text(json.dumps(value, ensure_ascii=False, indent=1), encoding="utf-8")
        partial.replace(self.path)
