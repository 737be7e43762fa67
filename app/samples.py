"""The sample documents that ship with Rabbithole, with questions they answer."""

import hashlib
from collections.abc import Mapping
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from agent.engine.engine import Engine
from services.domain import CollectionInfo
from services.domain.formats import SUFFIXES
from services.domain.grids import Form


class Sample(NamedTuple):
    """A set of sample documents: its collection, its files, and a question they answer."""

    collection: str
    documents: tuple[Path, ...]
    question: str

    @property
    def folder(self) -> str:
        """Return the folder of the documents within the samples folder."""
        return str(self.documents[0].parent)


GERMAN: Final = Path("strahlenschutz")
ENGLISH: Final = Path("typing-peps")
SAMPLES: Final = {
    "de": Sample(
        "strahlenschutz",
        (GERMAN / "StrlSchG.pdf",),
        "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren, "
        "und welche Ausnahmen kann die Behörde zulassen?",
    ),
    "en": Sample(
        "typing-peps",
        (ENGLISH / "pep-0589.txt", ENGLISH / "pep-0655.txt", ENGLISH / "pep-0692.txt"),
        "How can a TypedDict say which keys may be missing, and what follows for **kwargs that "
        "are annotated with it?",
    ),
}
"""Samples of recorded research, by language."""
CONTRACTS: Final = Sample(
    "contracts", (Path("contracts"),), "Which of the contracts can be terminated within a month?"
)
"""Contracts in two languages, for quick answers and a grid."""
QUESTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "de": (
        "Welche Sicherheit leistet die Mieterin?",
        "Welche Reparaturkosten trägt die Mieterin?",
        "Auf welchen Betrag ist die Haftung der Lieferantin begrenzt?",
    ),
    "en": (
        "How much insurance must the Carrier keep?",
        "How much does the Carrier credit if a load arrives late?",
        "When must the Provider report a security incident?",
    ),
}
"""Questions about the contracts, each answered by a single quote, by language."""
COLUMNS: Final[Mapping[str, tuple[tuple[str, Form], ...]]] = {
    "de": (
        ("Wie lang ist die Kündigungsfrist?", "number"),
        ("Auf welchen Betrag ist die Haftung begrenzt?", "number"),
        ("Welches Recht gilt für den Vertrag?", "text"),
        ("Wann beginnt der Vertrag?", "date"),
    ),
    "en": (
        ("How long is the notice period?", "number"),
        ("To what amount is liability limited?", "number"),
        ("Which law governs the contract?", "text"),
        ("When does the contract begin?", "date"),
    ),
}
"""Questions for a grid over the contracts, with the type of each value, by language."""

REPLAY: Final[Mapping[str, Any]] = {
    "clarify": False,
    "approve_plan": False,
    "plan_memory": False,
    "k": 10,
}
"""Options for a research run that asks no questions, so that the recorded replies fit."""


@cache
def content(sample: Sample, folder: Path) -> frozenset[str]:
    """Return the ids of the documents of a sample in the samples ``folder``: their SHA-256."""
    paths = [folder / document for document in sample.documents]
    files = [file for path in paths for file in (path.iterdir() if path.is_dir() else [path])]
    readable = [file for file in files if file.suffix in SUFFIXES and file.is_file()]
    return frozenset(hashlib.sha256(file.read_bytes()).hexdigest() for file in readable)


def contains_only(info: CollectionInfo, sample: Sample, engine: Engine, folder: Path) -> bool:
    """Return whether a collection has documents of a sample and no others."""
    ids = content(sample, folder)
    if not 0 < info.documents <= len(ids):
        return False
    documents = engine.library.documents(info.collection_id)
    return {document.document_id for document in documents} <= ids


def own_collection(
    sample: Sample, engine: Engine, folder: Path
) -> tuple[str, CollectionInfo | None]:
    """Return the name of the person's collection of a sample, free if new, and it if complete."""
    user = engine.principal.user
    collections = {info.name: info for info in engine.library.collections() if info.owner == user}
    name = sample.collection
    for number in count(2):
        info = collections.get(name)
        if info is None or contains_only(info, sample, engine, folder):
            break
        name = f"{sample.collection}-{number}"
    complete = info is not None and info.documents == len(content(sample, folder))
    return name, info if complete else None
