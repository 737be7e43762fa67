"""Recognised text: right, and at its place in the picture. Skipped without Tesseract."""

from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest
from PIL import Image

from services.ingestion.ocr import Tesseract, recognise
from tests.support.parsed_files import parse_file
from tests.support.pdf_files import PAGE_HEIGHT, Text, lines, make_pdf
from tests.support.scanned import scanned_text

SAID = "Für Ärzte gelten größere Grenzwerte von 20 Millisievert"


@pytest.fixture(scope="module")
def engine() -> Iterator[Tesseract]:
    try:
        found = Tesseract()
    except OSError as error:
        pytest.skip(str(error))
    with found:
        yield found


@pytest.mark.parametrize("dpi", [150, 300])
def test_words_and_their_place(engine: Tesseract, dpi: int) -> None:
    with pypdfium2.PdfDocument(make_pdf([[Text(65, 700, SAID)]])) as document:
        image = document[0].render(scale=dpi / 72).to_pil()
    (line,) = engine.lines(image, dpi)
    assert " ".join(word.text for word in line.words) == SAID
    assert line.words[0].x0 == pytest.approx(65, abs=2)
    assert line.baseline == pytest.approx(PAGE_HEIGHT - 700, abs=1)
    assert all(word.y0 < line.baseline < word.y1 + 1 for word in line.words)


def test_an_empty_picture_has_no_lines(engine: Tesseract) -> None:
    assert engine.lines(Image.new("L", (400, 400), 255), 150) == []


def test_a_page_is_drawn_as_it_is_shown(engine: Tesseract, tmp_path: Path) -> None:
    path = tmp_path / "turned.pdf"
    path.write_bytes(make_pdf([[Text(300, 65, SAID, upward=True)]], rotate=90))
    (line,) = recognise(path, 1)
    assert " ".join(word.text for word in line.words) == SAID


@pytest.mark.usefixtures("engine")
def test_a_scan_is_read_by_a_confined_worker(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(
        scanned_text(
            [*lines(760, "1 Grenzwerte", size=14), *lines(720, f"{SAID} und Jahr.")],
            lines(760, "2 Messung", size=14) + lines(720, "Der Betrieb misst den Lärm jährlich."),
        )
    )
    read = parse_file(path)
    assert f"{SAID} und Jahr." in read.text and "misst den Lärm jährlich" in read.text
    assert (len(read.pages), read.unread_pages, read.warnings) == (2, (), ())
    assert [section.label for section in read.sections] == ["1", "2"]
    assert read.is_recognised(0, 5)


@pytest.mark.xfail(strict=True, reason="Tesseract reads § as a digit")
def test_the_mark_of_a_section(engine: Tesseract) -> None:
    with pypdfium2.PdfDocument(
        make_pdf([[Text(65, 700, "Für § 5 gelten Grenzwerte")]])
    ) as document:
        image = document[0].render(scale=300 / 72).to_pil()
    (line,) = engine.lines(image, 300)
    assert " ".join(word.text for word in line.words) == "Für § 5 gelten Grenzwerte"
