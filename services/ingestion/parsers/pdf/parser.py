"""PDF files through PDFium: text as a reader would select it, page offsets and headings."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import accumulate, chain, islice
from pathlib import Path
from typing import Final, TypeVar

from pypdfium2 import PdfDocument, PdfiumError

from services.domain import DocumentMetadata, Recognised, RecognisedLine
from services.domain.errors import UnreadableDocument
from services.domain.notices import Notice
from services.ingestion.parsers.extraction import Extraction, Heading, clean
from services.ingestion.parsers.file_metadata import file_metadata, pdf_day
from services.ingestion.parsers.headings import with_paragraph_signs
from services.ingestion.parsers.pdf.aligned import with_aligned_rows
from services.ingestion.parsers.pdf.columns import in_reading_order
from services.ingestion.parsers.pdf.headings import (
    LineHeading,
    is_title,
    outline_headings,
    title_lines,
    typographic_headings,
)
from services.ingestion.parsers.pdf.layout import Flow, join_lines, without_furniture
from services.ingestion.parsers.pdf.lines import Line, OutlineEntry, Page, read_outline, read_pages
from services.ingestion.parsers.pdf.notes import attached_names
from services.ingestion.parsers.pdf.tables import with_tables, with_written_tables

_PASSWORD: Final = 4  # FPDF_ERR_PASSWORD of fpdfview.h

_LONGEST_FIRST_LINE: Final = 125
_LONGEST_LABEL: Final = 20
_MOST_NAMED: Final = 10  # pages in a warning

T = TypeVar("T")


def parse_pdf(path: Path, recognised: Recognised | None = None) -> Extraction:
    """Read a ``.pdf`` file, with what was recognised of its pages. Raises UnreadableDocument."""
    warnings: list[Notice] = []
    pages, outline, metadata, labels = _read(path, warnings)
    pictures = _pictures(pages, warnings)
    pages = with_recognised(pages, recognised or {})
    unread = tuple(page.number + 1 for page in pages if not page.readable)
    for step in (with_tables, with_aligned_rows, without_furniture):
        pages = _attempt(partial(step, pages), pages, warnings)
    extraction = extract(pages, outline)
    extraction = _attempt(partial(with_written_tables, extraction), extraction, warnings)
    extraction = replace(
        extraction,
        metadata=metadata,
        page_labels=labels,
        unread_pages=unread,
        pictures=pictures,
        unseen=tuple(page.number + 1 for page in pages if page.hidden),
        warnings=tuple(dict.fromkeys(warnings)),
    )
    if not (pictures or warnings or any(map(str.isalnum, extraction.text))):
        raise UnreadableDocument(
            "the PDF has no text layer, or only page numbers in it; if its pages show more, run "
            "text recognition first, for example with ocrmypdf"
        )
    return extraction


def _pictures(pages: Sequence[Page], warnings: list[Notice]) -> tuple[int, ...]:
    """Return the numbers, from 1, of pages that show images and no text but a page number."""
    without_stamps = _attempt(partial(without_furniture, pages), pages, warnings)
    return tuple(
        page.number + 1
        for page in without_stamps
        if (page.has_images and not page.lines) or not page.legible
    )


def _attempt(step: Callable[[], T], fallback: T, warnings: list[Notice]) -> T:
    """Return the result of a step that improves the text, or warn and return the fallback."""
    try:
        return step()
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - a fault of this step must not cost the text
        warnings.append(_incomplete(f"{type(error).__name__}: {error}"))
        return fallback


def _incomplete(fault: str) -> Notice:
    return Notice.of(
        "its tables, headings or page numbers may be incomplete ({error}), but its text is "
        "complete; please report this",
        error=fault,
    )


def _read(
    path: Path, warnings: list[Notice]
) -> tuple[list[Page], list[OutlineEntry], DocumentMetadata, tuple[str, ...]]:
    try:
        with PdfDocument(path) as document:
            document.init_forms()
            pages = [
                replace(page, lines=in_reading_order(page.lines, page.fields))
                for page in read_pages(document)
            ]
            warnings += _omitted(document, pages)
            outline: list[OutlineEntry] = _attempt(
                lambda: list(read_outline(document)), [], warnings
            )
            labels: tuple[str, ...] = _attempt(lambda: _page_labels(document), (), warnings)
            return pages, outline, _metadata(document), labels
    except PdfiumError as error:
        if error.err_code == _PASSWORD:
            raise UnreadableDocument(
                "the PDF is encrypted; save a copy without a password and ingest that"
            ) from error
        reason = str(error).replace(" (PDFium: Success)", "").rstrip(".")
        raise UnreadableDocument(
            "the PDF is damaged ({error}); export or download it again", error=reason
        ) from error


def _omitted(document: PdfDocument, pages: Sequence[Page]) -> Iterator[Notice]:
    if fault := next((page.fault for page in pages if page.fault), ""):
        yield _incomplete(fault)
    if numbers := [str(page.number + 1) for page in pages if page.hidden]:
        yield Notice.of("invisible text is left out (pages: {pages})", pages=_some(numbers))
    if numbers := [str(page.number + 1) for page in pages if not page.legible]:
        yield Notice.of("garbled text is left out (pages: {pages})", pages=_some(numbers))
    if numbers := [str(page.number + 1) for page in pages if page.misread and page.legible]:
        yield Notice.of(
            "words with wrongly encoded letters are left out (pages: {pages})", pages=_some(numbers)
        )
    if comments := [(page.number + 1, by) for page in pages for by in page.notes.comments]:
        yield Notice.of(
            "comments on its pages are not read: {count}; pages: {pages}",
            count=len(comments),
            pages=_some(dict.fromkeys(f"{n} ({by})" if by else str(n) for n, by in comments)),
        )
    files = chain(attached_names(document), *(page.notes.files for page in pages))
    if names := ", ".join(dict.fromkeys(files)):
        yield Notice.of(
            "files attached to it are not read: {names}; save them and ingest them too", names=names
        )


def _some(names: Collection[str]) -> str:
    return ", ".join(islice(names, _MOST_NAMED)) + ", …" * (len(names) > _MOST_NAMED)


def _page_labels(document: PdfDocument) -> tuple[str, ...]:
    numbers = range(1, len(document) + 1)
    labels = [_one_line(clean(document.get_page_label(number - 1))) for number in numbers]
    names = [label[:_LONGEST_LABEL] or str(n) for n, label in zip(numbers, labels, strict=True)]
    return () if names == [*map(str, numbers)] else tuple(names)


def _metadata(document: PdfDocument) -> DocumentMetadata:
    """Return the metadata; the day is that of the creation, since tools change the other."""

    def value(name: str) -> str:
        try:
            return str(document.get_metadata_value(name))
        except UnicodeError:  # half a character; the rest of the file is no worse for it
            return ""

    day = pdf_day(value("CreationDate")) or pdf_day(value("ModDate"))
    return file_metadata(tags=value("Keywords"), author=value("Author"), day=day)


def extract(pages: Sequence[Page], outline: Sequence[OutlineEntry]) -> Extraction:
    """Compose the text of a PDF from its lines and find its headings."""
    lines = [line for page in pages for line in page.lines]
    firsts = list(accumulate((len(page.lines) for page in pages), initial=0))
    title = title_lines(lines) if lines else range(0)
    headings = outline_headings(lines, outline) or [
        heading for heading in typographic_headings(lines) if heading.lines.start not in title
    ]
    # No sentence goes on over a page that is missing.
    unread = [
        range(first, first)
        for page, first in zip(pages, firsts, strict=False)
        if not page.readable or ((page.has_images or not page.legible) and not page.lines)
    ]
    ranges = [heading.lines for heading in headings] + unread
    flow = join_lines(lines, [title, *ranges] if title else ranges)
    starts = [*(start for start, _ in flow.spans), len(flow.text)]
    in_text = [_heading(heading, flow) for heading in headings]
    names = with_paragraph_signs([heading.title for heading in in_text])
    return Extraction(
        title=_title(flow, title),
        text=flow.text,
        headings=tuple(
            replace(heading, title=name) for heading, name in zip(in_text, names, strict=True)
        ),
        pages=tuple(starts[first] for first in firsts[: len(pages)]),
    )


def _heading(heading: LineHeading, flow: Flow) -> Heading:
    start = flow.spans[heading.lines.start][0]
    if not heading.lines:
        return Heading(start, start, heading.title, heading.level)
    end = flow.spans[heading.lines[-1]][1]
    return Heading(start, end, _one_line(flow.text[start:end]), heading.level)


def _title(flow: Flow, title: range) -> str | None:
    if title:
        return _one_line(flow.text[flow.spans[title.start][0] : flow.spans[title.stop - 1][1]])
    text = _one_line(flow.text.split("\n", 1)[0])
    ended = text.endswith((".", ",", ";", ":"))
    return text if is_title(text) and len(text) <= _LONGEST_FIRST_LINE and not ended else None


def _one_line(text: str) -> str:
    return " ".join(text.split())


_SAME_TYPE: Final = 0.1  # by how much the measured heights of one type differ


def with_recognised(pages: Sequence[Page], recognised: Recognised) -> list[Page]:
    """Return the pages with the recognised lines of scanned ones."""
    types = _types(line.height for lines in recognised.values() for line in lines)
    recognised_lines = (recognised.get(page.number + 1, ()) for page in pages)
    return [
        replace(page, lines=tuple(_line(line, page, types) for line in lines))
        if lines or not page.legible
        else page
        for page, lines in zip(pages, recognised_lines, strict=True)
    ]


def _types(heights: Iterable[float]) -> dict[float, float]:
    """Map each measured height to the most frequent one near it."""
    types: dict[float, float] = {}
    for height, _ in Counter(heights).most_common():
        near = (usual for usual in types.values() if abs(height - usual) <= _SAME_TYPE * usual)
        types[height] = next(near, height)
    return types


def _line(line: RecognisedLine, page: Page, types: Mapping[float, float]) -> Line:
    text = clean(" ".join(word.text for word in line.words))
    return Line(
        text=text,
        page=page.number,
        x0=min(word.x0 for word in line.words),
        x1=max(word.x1 for word in line.words),
        baseline=page.height - line.baseline,
        height=types[line.height],
        bold=False,
        hyphen=text.endswith("-"),
    )
