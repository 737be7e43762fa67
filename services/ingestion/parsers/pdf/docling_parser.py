"""PDF files through Docling (MIT, https://github.com/docling-project/docling), an option.

It takes about a second a page and gigabytes of memory.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from services.domain import Recognised
from services.domain.errors import UnreadableDocument
from services.ingestion.parsers.extraction import Extraction, Heading, clean, plain_title
from services.ingestion.parsers.headings import label_of
from services.ingestion.parsers.pdf.parser import parse_pdf as parse_without_docling
from services.ingestion.parsers.tables import ParsedCell, grid_lines, heads_of

if TYPE_CHECKING:
    from docling_core.types.doc.document import DoclingDocument

_BETWEEN: Final = "\n\n"


def parse_pdf(path: Path, recognised: Recognised | None = None) -> Extraction:
    """Read a ``.pdf`` file with the text and structure that Docling finds.

    The usual parser gives the metadata, and the whole text if pages are pictures, or hold text
    that they do not show: Docling would take that for theirs. Raises UnreadableDocument.
    """
    plain = parse_without_docling(path, recognised)
    if plain.pictures or plain.unseen:
        return plain
    try:
        document = _converted(path)
    except MemoryError:
        raise
    except Exception as error:
        raise UnreadableDocument(
            "Docling cannot read the file ({error}); install Docling with {install}, fetch "
            "its models with `docling-tools models download`, or unset RABBITHOLE_PDF_READER",
            error=f"{type(error).__name__}: {error}"[:200],
            install='pip install "rabbithole[docling]"',
        ) from error
    structured = extraction_of(document)
    return replace(
        plain,
        title=structured.title or plain.title,
        text=structured.text,
        headings=structured.headings,
        pages=structured.pages,
    )


def _converted(path: Path) -> "DoclingDocument":
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.pipeline_options import PdfPipelineOptions
    from docling.document_converter import DocumentConverter, PdfFormatOption

    options = PdfFormatOption(pipeline_options=PdfPipelineOptions(do_ocr=False))
    converter = DocumentConverter(format_options={InputFormat.PDF: options})
    document: DoclingDocument = converter.convert(path).document
    return document


def extraction_of(document: "DoclingDocument") -> Extraction:
    texts: list[str] = []
    headings: list[Heading] = []
    starts: dict[int, int] = {}
    title: str | None = None
    length = 0
    # What has a place on a page, without headers and footers.
    nodes: Iterator[Any] = (node for node, _ in document.iterate_items())
    items = [node for node in nodes if getattr(node, "prov", None)]
    for item in sorted(items, key=lambda item: item.prov[0].page_no):
        text = _text(item)
        if not text:
            continue
        if item.label == "title":
            title = title or plain_title(text)
        elif item.label == "section_header":
            headings.append(Heading(length, length + len(text), plain_title(text), _level(item)))
        for provenance in item.prov:
            starts.setdefault(provenance.page_no, length + min(provenance.charspan[0], len(text)))
        texts.append(text)
        length += len(text) + len(_BETWEEN)
    return Extraction(
        title, _BETWEEN.join(texts), tuple(headings), pages=tuple(_pages(document, starts, length))
    )


def _text(item: Any) -> str:
    if item.label in ("table", "document_index"):
        return "\n".join(filter(None, _rows(item)))
    text = clean(getattr(item, "text", "") or getattr(item, "orig", "")).strip()
    marker = getattr(item, "marker", "")
    return f"{marker} {text}".strip() if text else ""


def _rows(table: Any) -> list[str]:
    cells = {
        id(cell): ParsedCell(" ".join(clean(cell.text).split())) for cell in table.data.table_cells
    }
    empty = ParsedCell("")
    grid = [[cells.get(id(cell), empty) for cell in row] for row in table.data.grid]
    if not grid:
        return []
    marked = sum(any(cell.column_header for cell in row) for row in table.data.grid)
    above, heads = heads_of(grid, marked)
    return grid_lines(grid, heads, above)


def _level(heading: Any) -> int:
    label = label_of(heading.text)
    depth = label.text.count(".") if label is not None and label.kind == "number" else 0
    return heading.level + depth


def _pages(document: "DoclingDocument", starts: dict[int, int], length: int) -> Iterator[int]:
    following = length
    offsets = []
    for number in range(max(document.pages, default=0), 0, -1):
        following = min(starts.get(number, following), following)
        offsets.append(following)
    return reversed(offsets)
