"""Recognised text: right, and at its place in the picture. Skipped without Tesseract."""

from pathlib import Path

import pytest
from PIL import Image

from tests.support.parsed_files import parse_file
from tests.support.pdf_files import PAGE_HEIGHT, Text, lines, make_pdf
from tests.support.scanned import of_images, read_first, scanned, scanned_text

SAID = "Nach § 5 gelten für Ärzte größere Grenzwerte von 20 Millisievert"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "scan.pdf"


@pytest.mark.parametrize("dpi", [150, 300])
def test_words_and_their_positions(path: Path, dpi: int) -> None:
    path.write_bytes(scanned(make_pdf([[Text(65, 700, SAID)]]), dpi=dpi))
    (line,) = read_first(path)
    assert " ".join(word.text for word in line.words) == SAID
    assert line.words[0].x0 == pytest.approx(65, abs=2)
    assert line.baseline == pytest.approx(PAGE_HEIGHT - 700, abs=1)
    assert all(word.y0 < line.baseline < word.y1 + 1 for word in line.words)


def test_an_empty_picture_has_no_lines(path: Path) -> None:
    path.write_bytes(of_images([Image.new("L", (400, 400), 255)]))
    assert read_first(path) == []


def test_a_page_is_read_as_it_is_shown(path: Path) -> None:
    path.write_bytes(make_pdf([[Text(300, 65, SAID, upward=True)]], rotate=90))
    (line,) = read_first(path)
    assert " ".join(word.text for word in line.words) == SAID


def test_a_scan_is_a_document(path: Path) -> None:
    path.write_bytes(
        scanned_text(
            [*lines(760, "1 Grenzwerte", size=14), *lines(720, f"{SAID} und Jahr.")],
            lines(760, "2 Messung", size=14) + lines(720, "Der Betrieb misst den Lärm jährlich."),
        )
    )
    assert read_first(path)
    read = parse_file(path)
    assert f"{SAID} und Jahr." in read.text and "misst den Lärm jährlich" in read.text
    assert (len(read.pages), read.unread_pages) == (2, ())
    assert "recognised in images (pages: 1-2)" in str(read.warnings[0])
    levels = [(section.title, section.level) for section in read.sections]
    assert levels == [("1 Grenzwerte", 0), ("2 Messung", 0)]
    assert read.is_recognised(0, 5)
