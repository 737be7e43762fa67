"""Pages as images: the mark covers the words of the quote, and nothing a file does hurts."""

import hashlib
import io
import os
import random
import re
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pypdf
import pypdfium2
import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from services.domain import ParsedDocument
from services.domain.errors import UnreadableDocument
from services.domain.passages import Box, PageImage
from services.ingestion.worker import WorkerPool
from services.language.text.sentences import sentences
from services.library.pages.draw import DrawnCharacters, draw
from services.library.pages.marks import (
    AROUND,
    ENLARGED,
    RenderRequest,
    letters,
    match_boxes,
    quote_boxes,
    render_request,
)
from services.library.pages.renderer import PageRenderer
from tests.support.bad_files import BAD_FILES
from tests.support.law_pdf import HEADER, law_pdf, law_sentences
from tests.support.parsed_files import parse_file
from tests.support.pdf_files import Text, make_pdf

SECONDS = 60.0
HOSTILE = [bad for bad in BAD_FILES if bad.name.endswith(".pdf")]


@pytest.fixture(scope="module")
def workers() -> Iterator[WorkerPool]:
    """One process that draws for all; no file may spoil it for the next."""
    with closing(WorkerPool()) as made:
        yield made


@pytest.fixture
def renderer(tmp_path: Path, workers: WorkerPool) -> PageRenderer:
    made = PageRenderer(tmp_path / "originals", timeout_s=SECONDS, memory_mb=1024)
    made._workers = workers
    return made


def keep(tmp_path: Path, content: bytes) -> str:
    """Puts a file where the home keeps its originals; its id."""
    name = hashlib.sha256(content).hexdigest()
    folder = tmp_path / "originals"
    folder.mkdir(exist_ok=True)
    (folder / name).write_bytes(content)
    return name


def parsed(tmp_path: Path, content: bytes) -> ParsedDocument:
    path = tmp_path / "law.pdf"
    path.write_bytes(content)
    return parse_file(path, timeout_s=SECONDS, memory_mb=1024)


def words_below(document: pypdfium2.PdfDocument, request: RenderRequest) -> str:
    """What PDFium reads in the middle of the boxes that a request marks."""
    page = document[request.page - 1]
    text_page = page.get_textpage()
    boxes = [Box(**each) for each in boxes_of(DrawnCharacters(page, text_page), request)]
    found = [text_page.get_text_bounded(*_inner(box, page.get_height())) for box in boxes]
    text_page.close()
    return "".join(found)


def boxes_of(characters: DrawnCharacters, request: RenderRequest) -> list[dict[str, float]]:
    names = ("x0", "y0", "x1", "y1")
    return [dict(zip(names, box, strict=True)) for box in quote_boxes(characters, request)]


def _inner(box: Box, height: float) -> tuple[float, float, float, float]:
    margin = 0.35 * (box.y1 - box.y0)
    return box.x0 + 0.3, height - box.y1 + margin, box.x1 - 0.3, height - box.y0 - margin


def test_the_marks_of_100_sentences_cover_their_letters(tmp_path: Path) -> None:
    content = law_pdf(law_sentences(160))
    law = parsed(tmp_path, content)
    assert len(law.pages) > 5 and HEADER not in law.text[law.pages[2] :]
    spans = [span for span in sentences(law.text) if span[1] - span[0] > 40]
    across = 0
    with pypdfium2.PdfDocument(content) as document:
        for span in random.Random(4).sample(spans, 100):
            first = max(n for n, start in enumerate(law.pages, 1) if start <= span[0])
            pages = range(first, (law.page_at(span[1] - 1) or first) + 1)
            across += len(pages) > 1
            requests = [render_request(law.text, law.pages, page, span) for page in pages]
            found = "".join(words_below(document, request) for request in requests)
            assert letters(found).text == letters(law.text[slice(*span)]).text
    assert across, "no sentence crossed a page"


def test_words_that_the_page_does_not_show_are_not_marked(tmp_path: Path) -> None:
    path = tmp_path / "twins.pdf"
    canvas = Canvas(str(path), pagesize=(595, 842))
    for y, grey in ((100, 1), (700, 0)):
        canvas.setFillGray(grey)
        canvas.drawString(72, y, "The pool opens at nine.")
    canvas.save()
    (box,) = draw(path, RenderRequest(1, "The pool opens at nine."))["boxes"]  # type: ignore[misc]
    assert box["y0"] < 200


def test_letters_of_two_units_are_marked_and_are_words(tmp_path: Path) -> None:
    path = tmp_path / "formula.pdf"
    path.write_bytes(make_pdf([[Text(72, 700, "then x holds")]], mapped={"x": "\U0001d465"}))
    drawn = draw(path, RenderRequest(1, "then \U0001d465 holds"))
    (box,), (line,) = drawn["boxes"], drawn["lines"]  # type: ignore[misc]
    assert [word.text for word in line] == ["then", "\U0001d465", "holds"]
    assert box["x0"] == pytest.approx(line[0].x0, abs=0.1)
    assert box["x1"] == pytest.approx(line[2].x1, abs=0.1)


def test_the_colour_lies_on_the_boxes_and_nowhere_else(
    tmp_path: Path, renderer: PageRenderer
) -> None:
    content = law_pdf(law_sentences(12))
    law = parsed(tmp_path, content)
    start = law.text.index("Nummer 4")
    request = render_request(law.text, law.pages, 1, (start, start + 120))
    image = renderer.draw(keep(tmp_path, content), request)
    assert len(image.boxes) >= 2
    picture = Image.open(io.BytesIO(image.png)).convert("RGB")
    scale = picture.width / image.width
    inside = [_is_coloured(picture, box, scale) for box in image.boxes]
    below = [box.model_copy(update={"y0": box.y0 + 200, "y1": box.y1 + 200}) for box in image.boxes]
    assert all(inside) and not any(_is_coloured(picture, box, scale) for box in below)


def _is_coloured(picture: Image.Image, box: Box, scale: float) -> bool:
    """Whether a strip along the upper edge of a box, where no letters are, bears the accent."""
    row = int((box.y0 + 1.2) * scale)
    columns = range(int((box.x0 + 2) * scale), int((box.x1 - 2) * scale), 5)
    pixels = [picture.getpixel((column, row)) for column in columns]
    tinted = [red + 12 < blue for red, _, blue in pixels]  # type: ignore[misc,operator]
    return sum(tinted) > 0.7 * len(tinted)


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
def test_a_turned_and_cropped_page_is_marked_where_it_is_shown(
    tmp_path: Path, renderer: PageRenderer, rotate: int
) -> None:
    content = _cropped(make_pdf([[Text(200, 400, "Genau hier")]], rotate=rotate))
    request = RenderRequest(1, quote="Genau hier")
    image = renderer.draw(keep(tmp_path, content), request)
    (box,) = image.boxes
    picture = Image.open(io.BytesIO(image.png)).convert("L")
    scale = picture.width / image.width
    inked = picture.point(lambda value: 255 * (value < 90)).getbbox()
    assert inked is not None
    left, top, right, bottom = (edge / scale for edge in inked)
    assert box.x0 - 1 <= left and right <= box.x1 + 1
    assert box.y0 - 1 <= top and bottom <= box.y1 + 1
    assert box.x1 - box.x0 < right - left + 12 and box.y1 - box.y0 < bottom - top + 12


def _cropped(content: bytes) -> bytes:
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(content))
    for page in writer.pages:
        page.cropbox = pypdf.generic.RectangleObject((100, 150, 500, 700))
    stream = io.BytesIO()
    writer.write(stream)
    return stream.getvalue()


def require_blank_edges(image: PageImage) -> None:
    """No line is cut through at the upper or lower edge."""
    picture = Image.open(io.BytesIO(image.png)).convert("L")
    for row in (0, picture.height - 1):
        assert min(picture.crop((0, row, picture.width, row + 1)).tobytes()) > 200


def test_an_excerpt_shows_whole_lines_around_the_quote_and_no_others(
    tmp_path: Path, renderer: PageRenderer
) -> None:
    rows = [f"Zeile {n}: Prüfgerät, Höchstwert und Größe gehören gezeigt." for n in range(60)]
    page = [Text(65, 770 - 11.8 * n, row) for n, row in enumerate(rows)]
    content = make_pdf([page], [])
    quote = RenderRequest(1, quote="Zeile 30: Prüfgerät, Höchstwert", around=AROUND)
    image = renderer.draw(keep(tmp_path, content), quote)
    region = image.region
    assert image.boxes and 250 < region.y1 - region.y0 < 500 < image.height
    assert all(region.y0 < box.y0 and box.y1 < region.y1 for box in image.boxes)
    require_blank_edges(image)


def test_the_words_of_a_page_stand_where_they_are_drawn(
    tmp_path: Path, renderer: PageRenderer
) -> None:
    page = [Text(65, 700, "Der Grenzwert beträgt"), Text(65, 680, "20 Millisievert.")]
    image = renderer.draw(keep(tmp_path, make_pdf([page], [])), RenderRequest(1, scale=ENLARGED))
    lines = [[word.text for word in line] for line in image.lines]
    assert lines == [["Der", "Grenzwert", "beträgt"], ["20", "Millisievert."]]
    picture = Image.open(io.BytesIO(image.png)).convert("L")
    assert picture.width == pytest.approx(ENLARGED * image.width, abs=2)
    for word in (word for line in image.lines for word in line):
        box = tuple(round(ENLARGED * edge) for edge in word[1:])
        assert min(picture.crop(box).tobytes()) < 128, word  # type: ignore[arg-type]


def test_matches_are_marked_on_the_page_that_has_them(
    tmp_path: Path, renderer: PageRenderer
) -> None:
    text = "Der Grenzwert gilt. Ein Grenzwert fehlt."
    image = renderer.draw(keep(tmp_path, make_pdf([[Text(65, 700, text)]], [])), RenderRequest(1))
    parsed = ParsedDocument(
        title="", text=text, pages=(0,), sections=(), language="de", parser_version="1"
    )
    spans = [match.span() for match in re.finditer("Grenz", text)]
    (first,), (second,) = match_boxes(image, parsed, spans)
    words = {word.text: word for word in image.lines[0]}
    assert first.x0 == pytest.approx(words["Der"].x1, abs=8) and first.x1 < words["gilt."].x0
    assert first.x1 < words["Grenzwert"].x1 and second.x0 > words["Ein"].x1
    assert match_boxes(image, parsed, [(0, 0)]) == [()]


def test_a_quote_that_is_not_on_the_page_leaves_it_whole_and_unmarked(
    tmp_path: Path, renderer: PageRenderer
) -> None:
    content = law_pdf(law_sentences(6))
    request = RenderRequest(1, quote="Davon steht hier nicht ein einziges Wort", around=AROUND)
    image = renderer.draw(keep(tmp_path, content), request)
    assert image.boxes == ()
    assert (image.region.x1, image.region.y1) == (image.width, image.height)


def test_a_page_is_drawn_once_and_remembered(tmp_path: Path, renderer: PageRenderer) -> None:
    document_id = keep(tmp_path, law_pdf(law_sentences(6)))
    renderer.draw(document_id, RenderRequest(1))
    took = []
    for _ in range(5):
        started = time.perf_counter()
        renderer.draw(document_id, RenderRequest(1))
        took.append(time.perf_counter() - started)
    assert min(took) < 0.01


def test_a_lost_or_changed_original_is_not_opened(tmp_path: Path, renderer: PageRenderer) -> None:
    document_id = keep(tmp_path, law_pdf(law_sentences(6)))
    kept = tmp_path / "originals" / document_id
    kept.write_bytes(law_pdf(law_sentences(6, seed=2)))
    with pytest.raises(UnreadableDocument, match="missing or has changed"):
        renderer.draw(document_id, RenderRequest(1))
    kept.unlink()
    with pytest.raises(UnreadableDocument, match=r"doctor --repair"):
        renderer.draw(document_id, RenderRequest(1))


@pytest.mark.parametrize("bad", HOSTILE, ids=lambda bad: bad.name)
def test_a_hostile_file_ends_in_an_error_or_a_picture_in_time(
    tmp_path: Path, renderer: PageRenderer, bad: object
) -> None:
    content = bad.write(tmp_path).read_bytes()  # type: ignore[attr-defined]
    good = keep(tmp_path, law_pdf(law_sentences(6)))
    started = time.perf_counter()
    try:
        image = renderer.draw(keep(tmp_path, content), RenderRequest(1, quote="x"))
        assert len(image.png) < 30_000_000
    except UnreadableDocument as problem:
        assert "Page 1" in str(problem)
    assert time.perf_counter() - started < SECONDS + 2
    assert renderer.draw(good, RenderRequest(1)).pages == 1


@pytest.mark.skipif(not hasattr(os, "fork") or sys.platform != "linux", reason="limits of Linux")
def test_a_page_of_any_size_is_drawn_within_bounds(tmp_path: Path, renderer: PageRenderer) -> None:
    content = make_pdf([[Text(65, 400, "Klein")]]).replace(b"0 0 595 842", b"0 0 14000 14000")
    image = renderer.draw(keep(tmp_path, content), RenderRequest(1, quote="Klein"))
    picture = Image.open(io.BytesIO(image.png))
    assert image.width == 14000 and picture.width * picture.height < 7_000_000
