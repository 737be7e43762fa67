"""Read presentations: titles, texts, tables, diagrams of text and notes, slide by slide."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

from lxml import etree

from services.ingestion.parsers.archive import as_transitional, checked_archive, parsed_xml
from services.ingestion.parsers.extraction import Extraction, in_sections, to_superscript
from services.ingestion.parsers.file_metadata import file_metadata
from services.ingestion.parsers.formulas import M, formula
from services.ingestion.parsers.tables import grid_of, sheet_lines
from services.ingestion.parsers.text_body import loss_notices

_MC: Final = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_A: Final = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_P: Final = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_DIAGRAM: Final = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_DATA: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_COMMENTS: Final = frozenset({"cm", "reply"})


def parse_slides(path: Path) -> Extraction:
    """Read a ``.pptx`` file. What its slides show and the text lacks is counted in warnings."""
    from pptx import Presentation
    from pptx.exc import PythonPptxError

    losses = Counter[str]()
    with checked_archive(path, PythonPptxError):
        deck = Presentation(as_transitional(path))
        sections = []
        for number, slide in enumerate(deck.slides, 1):
            _choose_alternatives(slide)
            title, lines = _title(slide), list(_slide_lines(slide, losses))
            losses["comments"] += _count_comments(slide)
            if title or any(lines):
                sections.append((f"{number}: {title}" if title else str(number), lines))
        properties = deck.core_properties
    metadata = file_metadata(
        tags=properties.keywords, author=properties.author, day=properties.modified
    )
    warnings = tuple(loss_notices(losses))
    return in_sections(properties.title, sections, metadata, warnings)


def _choose_alternatives(slide: Any) -> None:
    """Put what new programs show, such as a formula, in place of its choices."""
    for alternative in list(slide.element.iter(f"{_MC}AlternateContent")):
        choice = alternative.find(f"{_MC}Choice")
        for child in list(choice if choice is not None else ()):
            if child.tag != f"{_P}contentPart":  # ink
                alternative.addprevious(child)
        alternative.getparent().remove(alternative)


def _title(slide: Any) -> str:
    shape = slide.shapes.title
    if shape is None or not shape.has_text_frame:
        return ""
    return " ".join(" ".join(_paragraphs(shape.text_frame)).split())


def _slide_lines(slide: Any, losses: Counter[str]) -> Iterator[str]:
    title = slide.shapes.title
    for shape in _shapes(slide.shapes, losses):
        if shape.has_text_frame and shape != title:
            yield from _paragraphs(shape.text_frame)
        elif shape.has_table:
            rows = ([_cell_text(cell) for cell in row.cells] for row in shape.table.rows)
            yield from sheet_lines(grid_of(rows))
        elif (relations := shape.element.find(f".//{_DIAGRAM}relIds")) is not None:
            yield from _diagram_lines(slide, relations.get(_DATA))
        elif uri := getattr(shape.element, "graphicData_uri", ""):
            losses["objects" if uri.endswith("/ole") else "drawings"] += 1
    if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame):
        yield from _paragraphs(notes)


def _shapes(shapes: Iterable[Any], losses: Counter[str]) -> Iterator[Any]:
    for shape in shapes:
        if next(shape.element.iter("{*}cNvPr")).get("hidden") in ("1", "true"):
            losses["hidden"] += any(shape.element.itertext(f"{_A}t"))
        elif hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes, losses)
        else:
            yield shape


def _cell_text(cell: Any) -> str:
    return "\n".join(_paragraphs(cell.text_frame))


def _paragraphs(frame: Any) -> Iterator[str]:
    return (_text(paragraph._p) for paragraph in frame.paragraphs)


def _text(element: Any) -> str:
    if element.tag in (f"{_A}t", f"{M}t"):
        return element.text or ""
    if element.tag == f"{_A}br":
        return "\n"
    if element.tag.startswith(M) and (math := formula(element, _text)) is not None:
        return math
    text = "".join(_text(child) for child in element if isinstance(child.tag, str))
    raised = element.find(f"{_A}rPr[@baseline]")
    is_raised = raised is not None and not raised.get("baseline").startswith(("-", "0"))
    return to_superscript(text) if is_raised else text


def _diagram_lines(slide: Any, relation: str) -> Iterator[str]:
    for point in parsed_xml(slide.part.related_part(relation).blob).iter(f"{_DIAGRAM}pt"):
        yield from filter(None, (_text(paragraph) for paragraph in point.iter(f"{_A}p")))


def _count_comments(slide: Any) -> int:
    relations = [rel for rel in slide.part.rels.values() if rel.reltype.endswith("/comments")]
    elements = (
        element for rel in relations for element in parsed_xml(rel.target_part.blob).iter("{*}*")
    )
    return sum(etree.QName(element).localname in _COMMENTS for element in elements)
