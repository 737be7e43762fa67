"""The documents that come with Rabbithole, and a question to each kind of them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple


class Sample(NamedTuple):
    """Documents of the samples, the collection that they go to, and a question to them."""

    collection: str
    documents: tuple[Path, ...]
    question: str

    @property
    def folder(self) -> str:
        """That of its documents among the samples."""
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

REPLAY: Final[Mapping[str, bool]] = {"clarify": False, "approve_plan": False, "plan_memory": False}
"""The options of a research that asks nobody, so that recorded replies fit."""
