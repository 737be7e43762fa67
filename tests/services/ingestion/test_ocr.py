"""Recognised text: right, and at its place in the picture. Skipped without Tesseract."""

from collections.abc import Iterator

import pypdfium2
import pytest
from PIL import Image

from services.ingestion.ocr import Tesseract
from tests.support.pdf_files import Text, make_pdf


@pytest.fixture(scope="module")
def engine() -> Iterator[Tesseract]:
    try:
        found = Tesseract()
    except OSError as error:
        pytest.skip(str(error))
    with found:
        yield found


def test_words_and_their_place(engine: Tesseract) -> None:
    said = "Für Ärzte gelten größere Grenzwerte von 20 Millisievert"
    with pypdfium2.PdfDocument(make_pdf([[Text(65, 700, said)]])) as document:
        height = document[0].get_height()
        image = document[0].render(scale=300 / 72).to_pil()
    (line,) = engine.lines(image, 300)
    assert line.text == said
    assert line.left * 72 / 300 == pytest.approx(65, abs=2)
    assert line.top * 72 / 300 < height - 700 < line.bottom * 72 / 300 + 1


def test_an_empty_picture_has_no_lines(engine: Tesseract) -> None:
    assert engine.lines(Image.new("L", (400, 400), 255), 150) == []


@pytest.mark.xfail(strict=True, reason="Tesseract reads § as a digit")
def test_the_mark_of_a_section(engine: Tesseract) -> None:
    with pypdfium2.PdfDocument(
        make_pdf([[Text(65, 700, "Für § 5 gelten Grenzwerte")]])
    ) as document:
        image = document[0].render(scale=300 / 72).to_pil()
    assert [line.text for line in engine.lines(image, 300)] == ["Für § 5 gelten Grenzwerte"]
