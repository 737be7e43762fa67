"""Writing an extracted text with its parts: once, in short transactions, safely repeatable."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from sqlalchemy import delete, select, update

from services.catalog import ids
from services.catalog.database import Database, batches, insert_missing
from services.catalog.models import Base, ReferenceRow, SectionRow, TextRow
from services.types import DetectedReference, ParsedDocument

Rows = Iterator[Mapping[str, object]]


@dataclass(frozen=True)
class TextParts:
    """A text and what was found in it."""

    parsed: ParsedDocument
    references: Sequence[DetectedReference]

    @cached_property
    def text_id(self) -> str:
        return ids.text_id(self.parsed.text, self.parsed.parser_version)


def store_text(database: Database, parts: TextParts) -> str:
    """Store the text and its parts unless they are there; returns the text id.

    The text counts as stored when its ``complete`` flag is set, which is the last step; an
    incomplete one is begun anew.
    """
    if begin(database, parts):
        for model, rows in part_rows(parts):
            for batch in batches(rows):
                with database.write() as session:
                    insert_missing(session, model, batch)
        with database.write() as session:
            done = update(TextRow).where(TextRow.text_id == parts.text_id)
            session.execute(done.values(complete=True))
    return parts.text_id


def begin(database: Database, parts: TextParts) -> bool:
    """Write the text row, clear leftovers; False when the text is complete already."""
    with database.write() as session:
        insert_missing(session, TextRow, [text_row(parts)])
        if session.scalar(select(TextRow.complete).where(TextRow.text_id == parts.text_id)):
            return False
        for model in (SectionRow, ReferenceRow):
            session.execute(delete(model).where(model.text_id == parts.text_id))
    return True


def part_rows(parts: TextParts) -> Iterator[tuple[type[Base], Rows]]:
    yield SectionRow, section_rows(parts)
    yield ReferenceRow, reference_rows(parts)


def text_row(parts: TextParts) -> Mapping[str, object]:
    parsed = parts.parsed
    return {
        "text_id": parts.text_id,
        "parser_version": parsed.parser_version,
        "title": parsed.title,
        "language": parsed.language,
        "text": parsed.text,
        "pages": list(parsed.pages),
        "sections": len(parsed.sections),
        "complete": False,
        "created_at": ids.now(),
    }


def section_rows(parts: TextParts) -> Rows:
    for n, section in enumerate(parts.parsed.sections):
        yield {"text_id": parts.text_id, "n": n} | section.model_dump()


def reference_rows(parts: TextParts) -> Rows:
    for n, reference in enumerate(parts.references):
        yield {"text_id": parts.text_id, "n": n} | reference.model_dump()
