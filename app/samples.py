"""The sample documents that ship with Rabbithole, with questions they answer."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

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
    "contracts",
    (Path("contracts"),),
    "Which of the contracts can be terminated within a month?",
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

REPLAY: Final[Mapping[str, bool]] = {"clarify": False, "approve_plan": False, "plan_memory": False}
"""Options for a research run that asks no questions, so that the recorded replies fit."""
