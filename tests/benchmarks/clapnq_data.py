"""The questions of CLAPNQ with their passages as one small corpus."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILES = {True: "clapnq_dev_answerable.jsonl", False: "clapnq_dev_unanswerable.jsonl"}
HALVES = ("chosen", "kept")


@dataclass(frozen=True)
class ClapQuestion:
    """``gold`` is the file name of the passage that answers it; None where none does."""

    id: str
    text: str
    gold: str | None
    half: str

    @property
    def answerable(self) -> bool:
        return self.gold is not None


@dataclass(frozen=True)
class ClapData:
    """``passages`` by file name: title and text."""

    questions: Sequence[ClapQuestion]
    passages: dict[str, tuple[str, str]]

    def write_corpus(self, folder: Path) -> None:
        """One text file a passage, with its title as heading."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, (title, text) in self.passages.items():
            (folder / name).write_text(f"{title}\n\n{text}\n", encoding="utf-8")


def half_of(identifier: str) -> str:
    """``chosen``: thresholds are chosen on it; ``kept``: only reported. By hash of the id."""
    return HALVES[hashlib.sha256(identifier.encode()).digest()[0] % 2]


def load(folder: Path) -> ClapData:
    """All 600 questions. A passage that several questions share is one file."""
    questions: list[ClapQuestion] = []
    passages: dict[str, tuple[str, str]] = {}
    for answerable, name in FILES.items():
        for line in (folder / name).read_text(encoding="utf-8").splitlines():
            record: dict[str, Any] = json.loads(line)
            title, text = record["passages"][0]["title"], record["passages"][0]["text"]
            file = f"{hashlib.sha256(f'{title}|{text}'.encode()).hexdigest()[:12]}.txt"
            passages[file] = (title, text)
            questions.append(
                ClapQuestion(
                    id=record["id"],
                    text=record["input"],
                    gold=file if answerable else None,
                    half=half_of(record["id"]),
                )
            )
    return ClapData(questions, passages)
