"""The formats of an export; what a format needs is imported when it is made."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from services.export.document import Document
from services.export.references import to_bibtex, to_ris
from services.export.templates import render


@dataclass(frozen=True)
class Format:
    """A format by its file name ending. ``text`` can be printed, ``pictures`` shows pages."""

    name: str
    media_type: str
    text: bool = True
    pictures: bool = False


DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
_ALL = (
    Format("md", "text/markdown"),
    Format("html", "text/html"),
    Format("pdf", "application/pdf", text=False, pictures=True),
    Format("docx", DOCX, text=False, pictures=True),
    Format("json", "application/json"),
    Format("bib", "application/x-bibtex"),
    Format("ris", "application/x-research-info-systems"),
)
FORMATS = {each.name: each for each in _ALL}


def as_json(report: Mapping[str, Any]) -> bytes:
    """The report itself, letter by letter, so that its spans still fit."""
    # What UTF-8 cannot hold becomes an escape that JSON knows.
    text = json.dumps(report, ensure_ascii=False, indent=2) + "\n"
    return text.encode(errors="backslashreplace")


def written(document: Document, format_name: str) -> bytes:
    """A document in any format but JSON."""
    match format_name:
        case "md" | "html":
            text = render(f"report.{format_name}", document=document, words=document.words)
            return f"{text}\n".encode()
        case "pdf":
            from services.export.pdf import to_pdf

            return to_pdf(document)
        case "docx":
            from services.export.docx import to_docx

            return to_docx(document)
        case "bib":
            return to_bibtex(document)
        case "ris":
            return to_ris(document)
    raise KeyError(format_name)
