"""The sets: what is asked, of which documents, and what a right answer is."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from services.domain import Language
from services.domain.grids import Form
from tests.benchmarks import common
from tests.benchmarks.common import Row

FOLDER: Final = common.DATA / "grids"
SETS: Final = ("grid", "sweep", "contradictions")
LANGUAGES: Final[dict[str, Language]] = {
    "vertraege": "de",
    "strahlenschutz": "de",
    "geraete": "en",
}
"""The languages of the grids' questions."""


@dataclass(frozen=True)
class Unit:
    """What one run reads: a matter of the grid, a question of the sweep, a group of pairs.

    ``rows`` are the lines of the set, each with ``locked``: of such a line only totals are shown.
    """

    name: str
    rows: tuple[Row, ...]

    @property
    def documents(self) -> Path:
        """Return the folder of the documents."""
        first = self.rows[0]
        return FOLDER / str(first.get("matter") or first.get("scope"))

    @property
    def language(self) -> Language:
        return LANGUAGES[self.name]

    @property
    def columns(self) -> list[tuple[str, Form]]:
        """Return the questions of a matter with their forms."""
        matters = common.read_json(FOLDER / "grid_matters.json")
        return [(question, form) for question, form in matters[self.name]]


def units(set_: str, only: Sequence[str] = ()) -> list[Unit]:
    """Return the units of a set, those named in ``only`` if there are any."""
    key = {"grid": "matter", "sweep": "id", "contradictions": "group"}[set_]
    rows: dict[str, list[Row]] = {}
    for suffix in ("", "_locked"):
        for row in common.read_lines(FOLDER / f"{set_}{suffix}.jsonl"):
            rows.setdefault(str(row[key]), []).append({**row, "locked": bool(suffix)})
    if unknown := set(only) - set(rows):
        raise SystemExit(f"{', '.join(sorted(unknown))}: there are {', '.join(rows)}")
    return [Unit(name, tuple(of_unit)) for name, of_unit in rows.items() if name in (only or rows)]


def plain(text: str) -> str:
    """Return text in small letters with single spaces and one kind of dash."""
    return " ".join(text.casefold().replace("−", "-").replace("–", "-").split())


def states(text: str, words: Sequence[str | Sequence[str]]) -> bool:
    """Return whether a text has all words; one spelling of each is enough."""
    inside = plain(text)
    groups = ([group] if isinstance(group, str) else group for group in words)
    return all(any(plain(word) in inside for word in group) for group in groups)
