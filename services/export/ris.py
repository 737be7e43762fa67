"""The sources of a report as RIS, which Zotero, EndNote and Citavi read."""

import rispy

from services.export.document import Document, Source
from services.export.notes import source_notes

Record = dict[str, str | list[str]]


def to_ris(document: Document) -> bytes:
    """One record a source; each quote is a note of its own."""
    records = [_record(document, source) for source in document.sources]
    text: str = rispy.dumps(records, implementation=_Unnumbered)
    return text.lstrip().encode()


class _Unnumbered(rispy.RisWriter):
    """Without a line of its own before each record, which RIS does not have."""

    def set_header(self, count: int) -> str:
        return ""


def _record(document: Document, source: Source) -> Record:
    record: Record = {
        "type_of_reference": "GEN",
        "title": source.title,
        "name_of_database": source.document,
        "language": document.words.language,
        "notes": [document.description(source), *source_notes(document, source)],
    }
    if source.author:
        record["authors"] = [source.author]
    if source.date:
        record["year"] = source.date[:4]
        record["date"] = source.date.replace("-", "/")
    if source.pages:
        record["start_page"] = str(source.pages[0])
        record["end_page"] = str(source.pages[-1])
    return record
