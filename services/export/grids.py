"""A grid or a sweep as one listing with its proofs, which every format writes down."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from services.domain import Citation
from services.domain.grids import (
    Cell,
    CellReading,
    CellReview,
    Column,
    Contradiction,
    Finding,
    GridTable,
    SweepResult,
)
from services.domain.value import Language
from services.export.document import Document
from services.export.texts import (
    Block,
    Labels,
    Paragraph,
    Run,
    Table,
    bullet_list,
    heading,
    labels_for,
)
from services.language.forms import normalise
from services.language.text.normal import one_line
from services.locale import sentence

Mark = Literal["", "verified", "to_check", "absent", "closest", "unread", "corrected"]
"""How a cell is coloured; its state says the same in words."""
Readings = Mapping[tuple[str, int], CellReading]
"""By row and column."""


@dataclass(frozen=True)
class Entry:
    """A cell: its text, its state in words, and the numbers of its proofs.

    ``amount`` is the number or the date that the text names, None for other text.
    """

    text: str
    state: str = ""
    mark: Mark = ""
    amount: float | date | None = None
    proofs: tuple[int, ...] = ()


@dataclass(frozen=True)
class Proof:
    """A quote behind a value of a row; ``review`` is what a person decided of the value."""

    row: str
    question: str
    value: str
    claim: str
    citation: Citation
    state: str
    review: str = ""


@dataclass
class GridListing:
    """Columns and rows; proofs, counted from 1; and what was read.

    The first ``plain`` columns have no states. ``sections`` has for each row how many sections were
    read of it, and how many it has.
    """

    title: str
    labels: Labels
    columns: tuple[str, ...]
    plain: int = 1
    rows: list[tuple[Entry, ...]] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)
    pairs: tuple[Contradiction, ...] = ()
    facts: list[str] = field(default_factory=list)
    sections: list[tuple[str, int, int]] = field(default_factory=list)

    @property
    def words(self) -> Labels:
        """Return the labels of grids."""
        labels: Labels = self.labels.grid
        return labels

    def prove(
        self, row: str, question: str, findings: Iterable[Finding], review: str = ""
    ) -> tuple[int, ...]:
        """Add a proof for each quote of some findings; return their numbers."""
        first = len(self.proofs) + 1
        for finding in findings:
            state = _state_of(finding, self.words)
            self.proofs += [
                Proof(row, question, finding.value, finding.claim, citation, state, review)
                for citation in finding.citations
            ]
        return tuple(range(first, len(self.proofs) + 1))

    def location(self, citation: Citation) -> tuple[str, str, str]:
        """Return document, section and page."""
        page = citation.page_name(self.labels.page, self.labels.labelled_page)
        return citation.document, citation.section_title, page

    def table(self) -> tuple[list[str], list[list[Entry]]]:
        """Return header and rows, with a column of states after each column that is not plain."""
        header, rows = [*self.columns[: self.plain]], [[*row[: self.plain]] for row in self.rows]
        for column in self.columns[self.plain :]:
            header += [column, self.words.state_of.format(column)]
        for cells, row in zip(rows, self.rows, strict=True):
            for entry in row[self.plain :]:
                cells += [entry, Entry(entry.state, mark=entry.mark)]
        return header, rows


def listing_of_grid(table: GridTable, readings: Readings, language: Language) -> GridListing:
    labels = labels_for(language)
    first = labels.grid.rows[table.rows_are]
    listing = GridListing(table.name, labels, (first, *(c.question for c in table.columns)))
    cells = {(cell.row, cell.column): cell for cell in table.cells}
    for row in table.rows:
        entries = [Entry(row.name)]
        of_row = [readings.get((row.id, column.id)) for column in table.columns]
        for column, reading in zip(table.columns, of_row, strict=True):
            cell = cells.get((row.id, column.id), Cell(row=row.id, column=column.id))
            entries.append(_entry(cell, reading, row.name, column, listing))
        listing.rows.append(tuple(entries))
        read = ((r.sections_read, r.sections) for r in of_row if r is not None)
        listing.sections.append((row.name, *max(read, default=(0, 0))))
    by_model = sum(bool(reading.model) for reading in readings.values())
    listing.facts.append(labels.grid.cells_read.format(by_model, len(table.cells)))
    return _with_notices(listing, table)


def listing_of_sweep(
    result: SweepResult, sections: Sequence[tuple[str, bool]], language: Language
) -> GridListing:
    """Return a sweep as it is exported: its groups, each with its places.

    ``sections`` are the names of all sections, and whether they have been read.
    """
    labels = labels_for(language)
    words = labels.grid
    listing = GridListing(
        result.question, labels, (words.value, words.places, words.claim), plain=2
    )
    for group in result.groups:
        best = next((f for f in group.findings if not f.doubt), group.findings[0])
        proofs = listing.prove(group.value, result.question, group.findings)
        citations = (c for finding in group.findings for c in finding.citations)
        texts = dict.fromkeys(", ".join(filter(None, listing.location(c))) for c in citations)
        mark: Mark = "to_check" if best.doubt else "verified" if best.claim else "closest"
        claim = Entry(group.text, _state_of(best, words), mark, proofs=proofs)
        listing.rows.append((Entry(group.value), Entry("; ".join(texts)), claim))
    listing.pairs = result.contradictions
    listing.sections = [(name, int(is_read), 1) for name, is_read in sections]
    counts = result.sections_read, result.sections
    if not result.reads:
        listing.facts.append(words.states.closest)
    elif result.nowhere:
        listing.facts.append(words.nowhere.format(*counts))
    listing.facts.append(words.sections_read.format(*counts))
    listing.facts += [labels.calls.format(result.calls)] if result.calls else []
    return _with_notices(listing, result)


def _with_notices(listing: GridListing, result: GridTable | SweepResult) -> GridListing:
    notices = [*([result.stopped] if result.stopped else []), *result.warnings]
    listing.facts += [sentence(notice, listing.labels.language) for notice in notices]
    return listing


def _entry(
    cell: Cell, reading: CellReading | None, row: str, column: Column, listing: GridListing
) -> Entry:
    """Return a cell with what a person decided of it, and add its proofs to the listing."""
    state, mark = _state(reading, listing.words)
    decided = _decision(cell.review, cell.value, state, listing.words)
    findings = reading.findings if reading else ()
    value, amount = cell.value, cell.amount
    if cell.review is not None and cell.review.corrected:
        value, mark, state = cell.review.value, "corrected", decided
        amounts = {normalise(value, column.form, language).amount for language in ("de", "en")}
        amount = amounts.pop() if len(amounts) == 1 else None  # 2.450 is two numbers
    elif decided:
        state = f"{state}; {decided}"
    is_amount = column.form in ("number", "date") and len(findings) < 2 and mark != "closest"
    return Entry(
        text=value,
        state=state,
        mark=mark,
        amount=_as_amount(amount, column) if is_amount else None,
        proofs=listing.prove(row, column.question, findings, decided),
    )


def _as_amount(amount: float | None, column: Column) -> float | date | None:
    """Return a number, or the day that is sorted as YYYYMMDD; None for a month or a year."""
    if amount is None or column.form == "number":
        return amount
    try:
        return date.fromisoformat(f"{amount:08.0f}")
    except ValueError:
        return None


def _state_of(finding: Finding, words: Labels) -> str:
    if not finding.claim:  # no model has read
        return str(words.states.closest)
    if finding.doubt in ("", "?"):
        return str(words.states.to_check if finding.doubt else words.states.verified)
    return str(words.states.unproven.format(finding.doubt))


def _state(reading: CellReading | None, words: Labels) -> tuple[str, Mark]:
    if reading is None:
        return words.states.unread, "unread"
    if reading.findings:
        states = dict.fromkeys(_state_of(finding, words) for finding in reading.findings)
        if len(states) > 1:
            states.pop(words.states.verified, None)
        return "; ".join(states), reading.state
    if not reading.sections:
        return words.states.nothing_close, "closest"
    complete = reading.sections_read >= reading.sections
    text = words.states.absent if complete else words.states.not_found
    return text.format(reading.sections_read, reading.sections), reading.state


def _decision(review: CellReview | None, read: str, state: str, words: Labels) -> str:
    if review is None:
        return ""
    text = words.states.corrected if review.corrected else words.states.accepted
    return str(text.format(review.by, review.at[:10], ", ".join(filter(None, (read, state)))))


def as_document(listing: GridListing) -> Document:
    """Return a table whose entries link to the proofs, which are numbered notes below it."""
    words = listing.words
    rows = tuple(tuple(_runs(entry) for entry in row) for row in listing.rows)
    blocks: list[Block] = [
        Paragraph("title", (Run(one_line(listing.title)),)),
        *(Paragraph("soft", (Run(fact),)) for fact in listing.facts),
        Table(tuple(map(one_line, listing.columns)), rows),
        *bullet_list(words.contradictions, _contradictions(listing)),
        *([heading(words.proofs)] if listing.proofs else []),
        *(_note(number, proof, listing) for number, proof in enumerate(listing.proofs, start=1)),
    ]
    return Document(one_line(listing.title), listing.labels, tuple(blocks))


def _runs(entry: Entry) -> tuple[Run, ...]:
    state = entry.state if entry.mark != "verified" or not entry.text else ""
    links = (Run(str(number), "raised", f"p{number}") for number in entry.proofs)
    texts = (Run(one_line(entry.text)), *links, Run(f"({state})" if state else "", "soft"))
    return tuple(run for run in texts if run.text)


def _note(number: int, proof: Proof, listing: GridListing) -> Paragraph:
    location = " · ".join(filter(None, listing.location(proof.citation)))
    state = "; ".join(filter(None, (proof.state, proof.review)))
    about = f"{proof.row}: {proof.claim or proof.question}"
    return Paragraph(
        "entry",
        (
            Run(one_line(about)),
            Run(one_line(location), "place"),
            Run(f"“{one_line(proof.citation.full_quote)}”", "quoted"),
            Run(f"({one_line(state)})", "soft"),
        ),
        number=number,
        anchor=f"p{number}",
    )


def to_text(listing: GridListing) -> str:
    """Return the rows one below the other, those of a sweep with their quotes."""
    lines = []
    for name, *entries in listing.rows:
        lines.append(one_line(name.text))
        for column, entry in zip(listing.columns[1:], entries, strict=True):
            text = " ".join(run.text for run in _runs(entry) if run.style != "raised")
            lines.append(f"  {one_line(column)}  {text}")
            quotes = (listing.proofs[number - 1].citation.full_quote for number in entry.proofs)
            lines += [f"    “{one_line(quote)}”" for quote in quotes if listing.plain > 1]
    lines += [f"! {text}" for text in _contradictions(listing)]
    return "\n".join([*lines, *listing.facts]) + "\n"


def _contradictions(listing: GridListing) -> Iterator[str]:
    for pair in listing.pairs:
        yield f"{pair.first.claim} ↔ {pair.second.claim}: {pair.why}"
