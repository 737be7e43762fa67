"""A PDF shows quotes in any script, letter by letter and in the direction of reading."""

import io
import unicodedata

import pytest
from pypdf import PdfReader
from pypdfium2 import PdfDocument

from services.export.glyphs import Typesetter, visual_order
from tests.services.export.test_formats import fonts_of
from tests.support.exported import export_report, squeezed, with_texts

SENTENCE = "An Herrn Иванов, an Frau 田中 in 東京 und an خالد in Kairo: 5 kΩ, ☑."


def text_of(content: bytes) -> str:
    """The text as PDFium reads it, which also draws it."""
    pages = (page.get_textpage().get_text_bounded() for page in PdfDocument(content))
    return squeezed(unicodedata.normalize("NFKC", " ".join(pages)))


@pytest.mark.parametrize(
    "text",
    [
        SENTENCE,
        "賃借人は毎月末日までに賃料を支払う。",
        "承租人应当按照约定的期限支付租金。",
        "임차인은 매월 말일까지 차임을 지급하여야 한다.",
        "Ο μισθωτής καταβάλλει το μίσθωμα.",
        "𠮷 🎉 ☐ ☒ ✓ → ⇒ ∈ ∑ √ ①",
        "المستأجر يدفع الإيجار كل شهر",
    ],
)
def test_a_pdf_is_read_as_it_was_written(text: str) -> None:
    content = export_report(with_texts([text]), "pdf", appendix=False)
    assert unicodedata.normalize("NFKC", text) in text_of(content)
    assert "U+" not in text_of(content)
    assert all(
        ("Roboto" in font) or ("Kurinto" in font)
        for font in fonts_of(PdfReader(io.BytesIO(content)))
    )


def test_what_no_font_has_shows_as_its_code_and_is_listed_once() -> None:
    shown = text_of(export_report(with_texts(["Gruß 😀 und 😀, dazu \ue001"]), "pdf"))
    assert "Gruß [U+1F600] und [U+1F600], dazu [U+E001]" in shown
    assert shown.count("U+1F600 grinning face, U+E001") == 1
    assert "als Code" not in text_of(export_report(with_texts(["Gruß"]), "pdf")).lower()


def test_scripts_whose_letters_would_have_to_be_joined_are_named() -> None:
    hindi = text_of(export_report(with_texts(["किराया ไทย"]), "pdf"))
    assert "nicht verbunden" in hindi and "sind sie es: Devanagari" in hindi
    assert "verbunden" not in text_of(export_report(with_texts(["ไทย 한글"]), "pdf"))


def test_text_from_right_to_left_is_drawn_backwards_but_for_its_numbers() -> None:
    assert visual_order("אב (12) גד") == "דג (12) בא"
    assert visual_order("Kairo (12)") == "Kairo (12)"
    parts = list(Typesetter().pieces("an אב 12 גד und an הו."))
    assert [text for font, text in parts if font == "KurintoSans"] == ["אב 12 גד", "הו"]


def test_arabic_letters_are_joined_and_keep_their_vowels() -> None:
    ((_, joined),) = Typesetter().pieces("كِتَاب")
    assert joined != "كِتَاب" and unicodedata.normalize("NFKC", joined) == "كِتَاب"


def test_lines_of_a_quote_from_right_to_left_stay_in_their_order() -> None:
    words = [f"מילה{number}" for number in range(100, 160)]
    shown = text_of(export_report(with_texts([" ".join(words)]), "pdf", appendix=False))
    positions = [shown.index(str(number)) for number in range(100, 160)]
    first, last = positions[:5], positions[-5:]
    assert max(first) < min(last)
