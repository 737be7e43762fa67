"""The file formats that are read; `services.ingestion.worker` names the parser of each."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Kind = Literal[
    "pdf", "docx", "odt", "rtf", "text", "html", "xlsx", "csv", "pptx", "epub", "eml", "msg"
]


@dataclass(frozen=True, slots=True)
class FileFormat:
    """How a format is called and told from others.

    Args:
        description: as in "the content is …", where the content tells the format.
        suffixes: of file names, each with the media types that stand for it in mails and on
            the web.
        member: the usual name of the file in an archive by which the format is told.
        any_text: whether any text may be of this format, if its suffix says so.
    """

    description: str
    suffixes: Mapping[str, tuple[str, ...]]
    member: str = ""
    any_text: bool = False


_OFFICE: Final = "application/vnd.openxmlformats-officedocument"

FORMATS: Final[Mapping[Kind, FileFormat]] = {
    "pdf": FileFormat("a PDF", {".pdf": ("application/pdf",)}),
    "docx": FileFormat(
        "a Word document",
        {".docx": (f"{_OFFICE}.wordprocessingml.document",)},
        "word/document.xml",
    ),
    "odt": FileFormat(
        "an OpenDocument text", {".odt": ("application/vnd.oasis.opendocument.text",)}
    ),
    "rtf": FileFormat("a rich text file (RTF)", {".rtf": ("application/rtf", "text/rtf")}),
    "text": FileFormat(
        "plain text",
        {".txt": ("text/plain",), ".md": ("text/markdown",), ".rst": ("text/x-rst",)},
    ),
    "html": FileFormat(
        "a web page (HTML)",
        {".html": ("text/html", "application/xhtml+xml"), ".htm": ()},
        any_text=True,
    ),
    "xlsx": FileFormat(
        "an Excel workbook", {".xlsx": (f"{_OFFICE}.spreadsheetml.sheet",)}, "xl/workbook.xml"
    ),
    "csv": FileFormat("", {".csv": ("text/csv",)}, any_text=True),
    "pptx": FileFormat(
        "a PowerPoint presentation",
        {".pptx": (f"{_OFFICE}.presentationml.presentation",)},
        "ppt/presentation.xml",
    ),
    "epub": FileFormat(
        "an EPUB book", {".epub": ("application/epub+zip",)}, "META-INF/container.xml"
    ),
    "eml": FileFormat("", {".eml": ("message/rfc822",)}, any_text=True),
    "msg": FileFormat("an Outlook message", {".msg": ("application/vnd.ms-outlook",)}),
}

SUFFIXES: Final[Mapping[str, Kind]] = {
    suffix: kind for kind, form in FORMATS.items() for suffix in form.suffixes
}
SUFFIX_OF_MEDIA_TYPE: Final[Mapping[str, str]] = {
    media_type: suffix
    for form in FORMATS.values()
    for suffix, media_types in form.suffixes.items()
    for media_type in media_types
}
