"""The formats of an export; the libraries of a format are imported when it is written."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from services.export.document import Document
from services.export.grids import Listing, as_document, to_text


@dataclass(frozen=True)
class Format:
    """A format by its file name ending.

    ``text`` tells whether it can be printed, ``pictures`` whether it shows images of pages.
    """

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
"""The formats of grids and sweeps."""


def as_json(report: Mapping[str, Any]) -> bytes:
    """Return the report letter by letter, so that its spans still fit."""
    # What UTF-8 cannot hold becomes an escape that JSON knows.
    text = json.dumps(report, ensure_ascii=False, indent=2) + "\n"
    return text.encode(errors="backslashreplace")


def render_listing(listing: Listing, format_name: str) -> bytes:
    """Return a grid or a sweep in one of ``GRID_FORMATS`` but JSON."""
    if format_name == "docx":
        from services.export.docx import to_docx

        return to_docx(as_document(listing), landscape=True)
    if format_name == "txt":
        return to_text(listing).encode(errors="backslashreplace")
    from services.export.spreadsheets import to_csv, to_xlsx

    return to_csv(listing) if format_name == "csv" else to_xlsx(listing)


def render(document: Document, format_name: str) -> bytes:
    """Return a document in any format but JSON."""
    match format_name:
        case "md":
            from services.export.markdown import to_markdown as write
        case "html":
            from services.export.html import to_html as write
        case "pdf":
            from services.export.pdf import to_pdf as write
        case "docx":
            from services.export.docx import to_docx as write
        case "bib":
            from services.export.references import to_bibtex as write
        case "ris":
            from services.export.references import to_ris as write
        case _:
            raise KeyError(format_name)
    return write(document)
