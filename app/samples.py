"""The sample documents that ship with Rabbithole, with a question for each set."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple


class Sample(NamedTuple):
    """A set of sample documents: its collection, its files, and a question they answer."""

    collection: str
    documents: tuple[Path, ...]
    question: str

    @property
    def folder(self) -> str:
        """Their folder among the samples."""
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
CONTRACTS: Final = Sample(
    "contracts",
    (Path("contracts"),),
    "Which of the contracts can be ended within a month?",
)
"""Contracts of two languages, for a grid."""
COLUMNS: Final = (
    ("How long is the notice period?", "number"),
    ("To what amount is liability limited?", "number"),
    ("Which law governs the contract?", "text"),
    ("When does the contract begin?", "date"),
)
"""Questions to the contracts, with the forms of their values."""

REPLAY: Final[Mapping[str, bool]] = {"clarify": False, "approve_plan": False, "plan_memory": False}
"""Options of a research that asks nothing, so that the recorded replies fit."""
