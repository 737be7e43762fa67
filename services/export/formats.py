"""The formats of an export; the libraries of a format are imported when it is written."""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from services.export.document import CitedDocument, Document
from services.export.grids import GridListing, as_document, to_text
from services.export.texts import Labels

_SPECIAL: dict[str, str | int | None] = {
    "\\": r"\textbackslash{}",
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    **{char: f"\\{char}" for char in "#$%&_"},
}


def to_bibtex(document: Document) -> bytes:
    keys = _keys(document.sources)
    entries = zip(keys, document.sources, strict=True)
    return "\n".join(_entry(key, source, document.labels) for key, source in entries).encode()


def to_ris(document: Document) -> bytes:
    import rispy

    class Unnumbered(rispy.RisWriter):
        """Writes no line with the number of a record, which RIS does not have."""

        def set_header(self, count: int) -> str:
            return ""

    records = [_record(source, document.labels) for source in document.sources]
    text: str = rispy.dumps(records, implementation=Unnumbered)
    return text.lstrip().encode()


def latex(text: str) -> str:
    """Return text that LaTeX prints letter by letter; its braces are always balanced."""
    return text.translate(str.maketrans(_SPECIAL))


def _keys(sources: Iterable[CitedDocument]) -> list[str]:
    """Return keys such as ``StrlSchG``, made of the file names; unique without regard to case."""
    keys: dict[str, str] = {}
    for source in sources:
        stem = re.sub(r"[^A-Za-z0-9]", "", PurePath(source.document).stem) or "source"
        key = f"{stem}-{source.number}" if stem.lower() in keys else stem
        keys[key.lower()] = key
    return list(keys.values())


def _entry(key: str, source: CitedDocument, labels: Labels) -> str:
    fields = {
        "title": f"{{{latex(source.title)}}}",
        # Braces keep a name whole: an author may be an office, not a person.
        "author": f"{{{latex(source.author)}}}" if source.author else "",
        "year": source.date[:4],
        "date": source.date,
        "pages": latex(", ".join(source.pages)),
        "howpublished": latex(source.document),
        "note": latex(source.with_checksum(labels)),
        "annote": latex(" ".join(source.notes)),
    }
    lines = [f"  {name} = {{{value}}},\n" for name, value in fields.items() if value]
    return f"@misc{{{key},\n{''.join(lines)}}}\n"


def _record(source: CitedDocument, labels: Labels) -> dict[str, str | list[str]]:
    fields: dict[str, str | list[str]] = {
        "type_of_reference": "GEN",
        "title": source.title,
        "name_of_database": source.document,
        "language": labels.language,
        "notes": [source.with_checksum(labels), *source.notes],
        "authors": [source.author] if source.author else [],
        "year": source.date[:4],
        "date": source.date.replace("-", "/"),
        "start_page": source.pages[0] if source.pages else "",
        "end_page": source.pages[-1] if source.pages else "",
    }
    return {name: value for name, value in fields.items() if value}


@dataclass(frozen=True)
class Format:
    """A format by its file name ending: whether it can be printed, and shows images of pages."""

    name: str
    media_type: str
    text: bool = True
    pictures: bool = False


DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
FORMATS: Final = {
    format_.name: format_
    for format_ in (
        Format("md", "text/markdown"),
        Format("html", "text/html"),
        Format("pdf", "application/pdf", text=False, pictures=True),
        Format("docx", DOCX, text=False, pictures=True),
        Format("json", "application/json"),
        Format("bib", "application/x-bibtex"),
        Format("ris", "application/x-research-info-systems"),
    )
}
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
GRID_FORMATS: Final = {
    format_.name: format_
    for format_ in (
        Format("xlsx", XLSX, text=False),
        Format("csv", "text/csv"),
        Format("docx", DOCX, text=False),
        Format("json", "application/json"),
        Format("txt", "text/plain"),
    )
}


def as_json(report: Mapping[str, Any]) -> bytes:
    """Return the report letter by letter, so that its spans still fit."""
    # What UTF-8 cannot hold becomes an escape that JSON knows.
    text = json.dumps(report, ensure_ascii=False, indent=2) + "\n"
    return text.encode(errors="backslashreplace")


def render_listing(listing: GridListing, format_name: str) -> bytes:
    """Return a grid or a sweep in one of ``GRID_FORMATS`` but JSON."""
    if format_name == "docx":
        from services.export.docx import to_docx

        return to_docx(as_document(listing), landscape=True)
    if format_name == "txt":
        return to_text(listing).encode(errors="backslashreplace")
    from services.export.spreadsheets import to_csv, to_xlsx

    return to_csv(listing) if format_name == "csv" else to_xlsx(listing)


def render(document: Document, format_name: str) -> bytes:
    match format_name:
        case "md":
            from services.export.markup import to_markdown as write
        case "html":
            from services.export.markup import to_html as write
        case "pdf":
            from services.export.pdf import to_pdf as write
        case "docx":
            from services.export.docx import to_docx as write
        case "bib":
            write = to_bibtex
        case "ris":
            write = to_ris
        case _:
            raise KeyError(format_name)
    return write(document)
