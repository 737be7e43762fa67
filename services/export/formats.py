"""The formats of an export; what a format needs is imported when it is made."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from services.export.pictures.neighbourhood import Neighbourhood
    from services.metadata import DocumentMetadata

Report = Mapping[str, Any]


@dataclass(frozen=True)
class Format:
    """A format by its file name ending. ``text`` can be printed on a terminal."""

    name: str
    media_type: str
    text: bool = True


FORMATS = {
    each.name: each
    for each in (
        Format("md", "text/markdown"),
        Format("html", "text/html"),
        Format("pdf", "application/pdf", text=False),
        Format(
            "docx",
            "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            text=False,
        ),
        Format("json", "application/json"),
        Format("bib", "application/x-bibtex"),
        Format("ris", "application/x-research-info-systems"),
    )
}


def export_report(
    report: Report,
    format_name: str,
    *,
    date: str = "",
    metadata: "Mapping[str, DocumentMetadata] | None" = None,
    around: "Neighbourhood | None" = None,
) -> bytes:
    """A report or a conversation in a format; arguments as of what makes a ``Document`` of it.

    JSON is the report itself, letter by letter, so that its spans still fit; the other formats
    are made of the same ``Document``.
    """
    if format_name == "json":
        # What UTF-8 cannot hold becomes an escape that JSON knows.
        text = json.dumps(report, ensure_ascii=False, indent=2) + "\n"
        return text.encode(errors="backslashreplace")
    from services.export.conversation import make_conversation
    from services.export.document import Document, make_document

    write: Callable[[Document], bytes] = _writer(format_name)
    if "turns" in report:
        return write(make_conversation(report, date=date, metadata=metadata, around=around))
    return write(make_document(report, date=date, metadata=metadata))


def _writer(format_name: str) -> Any:
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
            from services.export.bibtex import to_bibtex as write
        case "ris":
            from services.export.ris import to_ris as write
        case _:
            raise KeyError(format_name)
    return write
