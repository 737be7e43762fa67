"""The matrix of coverage in words: a table for pages, files and the picture alike."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from services.export.pictures.coverage import BESIDE, Cell, Matrix, Row


@dataclass(frozen=True)
class CoverageWords:
    """What the matrix says; ``{}`` is filled in."""

    title: str
    item: str
    status: str
    statuses: Mapping[str, str]
    others: str
    beside: str
    tier: str
    quote: str
    quotes: str


GERMAN: Final = CoverageWords(
    title="Abdeckung",
    item="Teil der Frage",
    status="Stand",
    statuses={"covered": "gefunden", "partial": "teilweise", "missing": "fehlt"},
    others="{} weitere",
    beside="Zu keiner Aufgabe",
    tier="Stufe\u00a0{}:\u00a0{}",
    quote="1\u00a0Zitat",
    quotes="{}\u00a0Zitate",
)
ENGLISH: Final = CoverageWords(
    title="Coverage",
    item="Part of the question",
    status="Status",
    statuses={"covered": "found", "partial": "in part", "missing": "missing"},
    others="{} others",
    beside="For no task",
    tier="tier\u00a0{}:\u00a0{}",
    quote="1\u00a0quote",
    quotes="{}\u00a0quotes",
)


@dataclass(frozen=True)
class CoverageTable:
    """Plain texts; every row has as many cells as the header, "–" where there is nothing.

    What a document says has a line for its sections, one for tiers and one for quotes.
    ``statuses`` are those of the rows as programs call them, ``quoted`` tells of each document
    whether a row has quotes of it.
    """

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    statuses: tuple[str, ...]
    quoted: tuple[tuple[bool, ...], ...]


def words_of(language: str) -> CoverageWords:
    """German for ``de``, else English."""
    return GERMAN if language == "de" else ENGLISH


def coverage_table(found: Matrix, language: str) -> CoverageTable:
    """The matrix as a table in a language."""
    words = words_of(language)
    rows = (
        (
            item_of(row, words),
            words.statuses.get(row.status, "–"),
            *("\n".join(cell_lines(cell, words)) or "–" for cell in row.cells),
        )
        for row in found.rows
    )
    header = (words.item, words.status, *columns(found, words))
    return CoverageTable(
        title=words.title,
        header=header,
        rows=tuple(rows),
        statuses=tuple(row.status for row in found.rows),
        quoted=tuple(tuple(cell.quotes > 0 for cell in row.cells) for row in found.rows),
    )


def item_of(row: Row, words: CoverageWords) -> str:
    """What a row is about."""
    return words.beside if row.status == BESIDE else row.item


def columns(found: Matrix, words: CoverageWords) -> tuple[str, ...]:
    """The heads of the documents' columns."""
    own = found.documents[:-1] if found.others else found.documents
    return (*own, *([words.others.format(found.others)] if found.others else []))


def cell_lines(cell: Cell, words: CoverageWords) -> list[str]:
    """``§ 78, § 77``, ``Stufe 1: 2, Stufe 3: 1``, ``2 Zitate``; none where there is nothing."""
    tiers = ", ".join(words.tier.format(tier, count) for tier, count in cell.tiers)
    quotes = words.quote if cell.quotes == 1 else words.quotes.format(cell.quotes)
    return [line for line in (cell.places, tiers, quotes if cell.quotes else "") if line]
