"""The formats of an export; what a format needs is imported when it is made."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from services.domain.metadata import DocumentMetadata
from services.export.document import Cut, Document, make_document, no_cut
from services.export.neighbourhood import Neighbourhood
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


def export_report(
    report: Mapping[str, Any],
    format_name: str,
    *,
    date: str = "",
    metadata: Mapping[str, DocumentMetadata] | None = None,
    around: Neighbourhood | None = None,
    cut: Cut = no_cut,
    appendix: bool = True,
) -> bytes:
    """A report or a conversation in a format; arguments as of what makes a ``Document`` of it.

    JSON is the report itself, letter by letter, so that its spans still fit; the other formats
    are made of the same ``Document``, whose ``appendix`` may be left out.
    """
    if format_name == "json":
        # What UTF-8 cannot hold becomes an escape that JSON knows.
        text = json.dumps(report, ensure_ascii=False, indent=2) + "\n"
        return text.encode(errors="backslashreplace")
    document = make_document(report, date=date, metadata=metadata, around=around, cut=cut)
    return _written(document if appendix else replace(document, appendix=()), format_name)


def _written(document: Document, format_name: str) -> bytes:
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
