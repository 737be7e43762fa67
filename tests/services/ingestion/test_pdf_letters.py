"""Letters of a PDF page that look unlike the characters to which the file maps them."""

import re
from collections.abc import Mapping
from pathlib import Path
from string import ascii_lowercase

import pytest
from font_roboto import font_files
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from services.ingestion.parsers.pdf.parser import parse_pdf
from services.ingestion.worker import parse
from tests.support.pdf_files import Text, lines, make_pdf

WRITTEN = [
    "The tenant pays a deposit of two monthly rents before the keys are handed over.",
    "Repairs up to eighty euros are paid by the tenant, larger ones by the landlord.",
]
GREEK = "αβγδεζηθικλμνξοπρστυφχψω"


def shifted(letters: str, by: int) -> Mapping[str, str]:
    return dict(zip(letters, letters[by:] + letters[:by], strict=True))


def wrong_pages(tmp_path: Path, pages: list[list[Text]], mapped: Mapping[str, str]) -> object:
    path = tmp_path / "mapped.pdf"
    path.write_bytes(make_pdf(pages, mapped=mapped))
    extraction = parse(path)  # which refuses a file without text, unless it can be recognised
    assert bool(extraction.pictures) != ("enant" in extraction.text or "ager" in extraction.text)
    return extraction.pictures


@pytest.mark.parametrize("shift", [0, 3, 11])
@pytest.mark.parametrize("written", [WRITTEN, ["Lager geschlossen"]])
def test_a_page_whose_letters_are_mapped_to_others_is_offered_to_recognition(
    tmp_path: Path, written: list[str], shift: int
) -> None:
    pages = [lines(700, *written)]
    wrong = wrong_pages(tmp_path, pages, shifted(ascii_lowercase, shift))
    assert wrong == ((1,) if shift else ())


def test_each_page_of_a_document_is_looked_at(tmp_path: Path) -> None:
    pages = [lines(700, "12 34 56"), *([lines(700, *WRITTEN)] * 5)]
    assert wrong_pages(tmp_path, pages, shifted(ascii_lowercase, 3)) == (2, 3, 4, 5, 6)
    extraction = parse_pdf(tmp_path / "mapped.pdf")
    assert extraction.text == "12 34 56"
    assert str(extraction.warnings[0]) == "garbled text is left out (pages: 2, 3, 4, 5, 6)"


def test_few_words_with_a_wrong_map_are_left_out_with_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "mixed.pdf"
    page = [*lines(700, *(WRITTEN * 3), bold=True), *lines(400, "Lager geschlossen")]
    path.write_bytes(make_pdf([page], mapped=shifted(ascii_lowercase, 3)))
    extraction = parse_pdf(path)
    assert extraction.text.split() == " ".join(WRITTEN * 3).split() and not extraction.pictures
    (warning,) = extraction.warnings
    assert "words with wrongly encoded letters are left out" in str(warning)


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_turned_letters_are_looked_at_upright(tmp_path: Path, turned: int) -> None:
    path = tmp_path / "turned.pdf"
    path.write_bytes(make_pdf([lines(700, *WRITTEN)], rotate=turned))
    assert parse_pdf(path).pictures == ()


def test_letters_that_no_language_has_are_text_if_the_page_shows_them(tmp_path: Path) -> None:
    path = tmp_path / "shown.pdf"
    path.write_bytes(make_pdf([lines(700, "Wkh whqdqw sdbv d ghsrvlw ri wzr prqwkob uhqwv")]))
    assert parse_pdf(path).pictures == ()


@pytest.mark.parametrize("shift", [0, 5])
def test_other_scripts_are_compared_too(tmp_path: Path, shift: int) -> None:
    pdfmetrics.registerFont(TTFont("Roboto", font_files["Roboto"]))
    path = tmp_path / "greek.pdf"
    canvas = Canvas(str(path), pageCompression=0)
    canvas.setFont("Roboto", 12)
    canvas.drawString(72, 700, GREEK)
    canvas.save()
    codes = {f"{ord(one):04X}": f"{ord(two):04X}" for one, two in shifted(GREEK, shift).items()}
    data, count = re.subn(
        rb"(?m)^(<[0-9A-F]{2}> <)([0-9A-F]{4})>$",
        lambda match: match[1] + codes.get(match[2].decode(), match[2].decode()).encode() + b">",
        path.read_bytes(),
    )
    path.write_bytes(data)
    assert count >= len(GREEK) and parse_pdf(path).pictures == ((1,) if shift else ())
