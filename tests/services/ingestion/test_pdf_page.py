"""The text of a PDF is what its pages show, in the order in which a person reads it."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from string import ascii_lowercase

import pytest
from font_roboto import font_files
from PIL import Image
from reportlab.lib.colors import black, white
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from services.ingestion.parsers.extraction import Extraction
from services.ingestion.parsers.pdf.parser import parse_pdf
from services.ingestion.worker import parse
from tests.support.pdf_files import Text, lines, make_pdf, pdf_file

SHOWN = "The pool opens at nine."
HIDDEN = "The pool opens at six."


def drawn(tmp_path: Path, draw: Callable[[Canvas], object]) -> Extraction:
    path = tmp_path / "drawn.pdf"
    canvas = Canvas(str(path), pagesize=(595, 842))
    canvas.drawString(72, 760, SHOWN)
    draw(canvas)
    canvas.save()
    return parse_pdf(path)


def covered(canvas: Canvas) -> None:
    canvas.drawString(72, 700, HIDDEN)
    canvas.setFillColor(black)
    canvas.rect(60, 690, 300, 30, fill=1)


def white_on_white(canvas: Canvas) -> None:
    canvas.setFillColor(white)
    canvas.drawString(72, 700, HIDDEN)


def beyond_the_crop_box(canvas: Canvas) -> None:
    canvas.setCropBox((0, 400, 595, 842))
    canvas.drawString(72, 100, HIDDEN)


def clipped(canvas: Canvas) -> None:
    path = canvas.beginPath()
    path.rect(0, 0, 10, 10)
    canvas.clipPath(path, stroke=0)
    canvas.drawString(72, 700, HIDDEN)


def without_ink(canvas: Canvas) -> None:
    text = canvas.beginText(72, 700)
    text.setTextRenderMode(3)
    text.textOut(HIDDEN)
    canvas.drawText(text)


def in_a_form(canvas: Canvas) -> None:
    canvas.beginForm("inner")
    canvas.setFillColor(white)
    canvas.drawString(0, 0, HIDDEN)
    canvas.endForm()
    canvas.translate(72, 600)
    canvas.doForm("inner")


@pytest.mark.parametrize(
    "hide", [covered, white_on_white, beyond_the_crop_box, clipped, without_ink, in_a_form]
)
def test_text_that_the_page_does_not_show_is_left_out(
    tmp_path: Path, hide: Callable[[Canvas], None]
) -> None:
    extraction = drawn(tmp_path, hide)
    assert extraction.text == SHOWN and "left out (pages: 1)" in str(extraction.warnings[0])


def written_over(canvas: Canvas) -> None:
    canvas.drawString(72, 700, "The rent is 900 euros.")
    canvas.setFillColor(white)
    canvas.rect(60, 690, 300, 30, fill=1, stroke=0)
    canvas.setFillColor(black)
    canvas.drawString(72, 700, "The rent is 650 euros.")


def blacked_out(canvas: Canvas) -> None:
    canvas.drawString(72, 700, "The rent is 650 euros. Surname: Ravensbourne")
    canvas.rect(canvas.stringWidth("The rent is 650 euros. Surname: ") + 71, 695, 200, 20, fill=1)


def cut_off(canvas: Canvas) -> None:
    path = canvas.beginPath()
    path.rect(0, 0, canvas.stringWidth("The rent is 650 euros. ") + 72, 842)
    canvas.clipPath(path, stroke=0)
    canvas.drawString(72, 700, "The rent is 650 euros. Ravensbourne")


def written_twice(canvas: Canvas) -> None:
    canvas.drawString(72, 700, "The rent is 650")
    canvas.drawString(72.3, 700, "The rent is 650 euros.")


@pytest.mark.parametrize("draw", [written_over, blacked_out, cut_off, written_twice])
def test_of_a_line_only_the_words_that_are_shown_are_text(
    tmp_path: Path, draw: Callable[[Canvas], None]
) -> None:
    extraction = drawn(tmp_path, draw)
    words = extraction.text.removeprefix(SHOWN).split()
    assert words[:5] == ["The", "rent", "is", "650", "euros."] and words[5:] in ([], ["Surname:"])
    assert bool(extraction.warnings) == (draw is not written_twice)


@pytest.mark.parametrize(("state", "text"), [("ON", "Six Nine"), ("OFF", "Nine")])
def test_a_layer_that_is_switched_off_is_no_text(tmp_path: Path, state: str, text: str) -> None:
    """Its text stands where other text stands, so ink alone tells nothing."""
    stream = (
        b"BT /F1 20 Tf /OC /L0 BDC 1 0 0 1 72 700 Tm (Six) Tj EMC 1 0 0 1 74 702 Tm (Nine) Tj ET"
    )
    path = tmp_path / "layers.pdf"
    path.write_bytes(
        pdf_file(
            [
                b"<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [6 0 R] "
                b"/D << /%b [6 0 R] >> >> >>" % state.encode(),
                b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources "
                b"<< /Font << /F1 4 0 R >> /Properties << /L0 6 0 R >> >> >>",
                b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
                b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
                b"<< /Type /OCG /Name (Draft) >>",
            ]
        )
    )
    assert " ".join(parse_pdf(path).text.split()) == text


def test_white_text_on_a_dark_ground_is_shown(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.rect(60, 690, 300, 30, fill=1)
        white_on_white(canvas)

    assert HIDDEN in drawn(tmp_path, draw).text


LEFT = [
    "Membership begins with the",
    "written consent of the board.",
    "It ends by notice, death or",
    "exclusion from the club.",
]
RIGHT = [
    "The fee is sixty euros a year.",
    "It is due in January. Who pays",
    "late owes five euros more. The",
    "board may waive the fee.",
]


def read(tmp_path: Path, texts: list[Text], **options: int) -> Extraction:
    path = tmp_path / "page.pdf"
    path.write_bytes(make_pdf([texts], **options))
    return parse_pdf(path)


def row_by_row(left: list[str], right: list[str]) -> list[Text]:
    pairs = zip(lines(760, *left, x=72), lines(760, *right, x=320), strict=True)
    return [text for pair in pairs for text in pair]


def test_columns_that_are_written_row_by_row_are_read_one_by_one(tmp_path: Path) -> None:
    assert read(tmp_path, row_by_row(LEFT, RIGHT)).text == " ".join([*LEFT, *RIGHT])


def test_the_cells_of_a_row_stay_beside_one_another(tmp_path: Path) -> None:
    names, prices = ["Ladder", "Cable drum", "Steel rope"], ["120 euros", "49 euros", "7 euros"]
    text = read(tmp_path, row_by_row(names, prices)).text
    assert text.split("\n") == [" | ".join(row) for row in zip(names, prices, strict=True)]


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_a_turned_page_is_read_from_its_first_line(tmp_path: Path, turned: int) -> None:
    sentences = ["First the keys.", "Second the deposit.", "Third the snow.", "Fourth the stairs."]
    texts = [Text(72, 760 - 40 * number, text) for number, text in enumerate(sentences)]
    assert read(tmp_path, texts, rotate=turned).text.split("\n\n") == sentences


def test_the_values_of_a_form_are_next_to_their_labels(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "Name of the tenant:")
        canvas.drawString(72, 670, "Pets allowed:")
        canvas.drawString(72, 640, "Parking:")
        form = canvas.acroForm
        form.textfield(name="n", value="Cleo Example", x=220, y=694, width=200, height=20)
        form.checkbox(name="p", checked=True, x=220, y=664)
        form.checkbox(name="c", checked=False, x=220, y=634)

    text = drawn(tmp_path, draw).text
    assert "Name of the tenant: Cleo Example" in text
    assert "Pets allowed: ☒" in text and "Parking: ☐" in text


def test_a_form_beside_columns_of_text_leaves_their_sentences_whole(tmp_path: Path) -> None:
    left = ["The tenant pays the rent on the", "first day of each month to the", "owner's account."]
    right = ["The owner repairs the roof and", "the walls of the house within a", "week of a call."]

    def draw(canvas: Canvas) -> None:
        for number, pair in enumerate(zip(left, right, strict=True)):
            for x, text in zip((72, 320), pair, strict=True):
                canvas.drawString(x, 700 - 14 * number, text)
        canvas.drawString(100, 600, "I agree")
        canvas.acroForm.checkbox(name="a", checked=True, x=72, y=596)

    text = " ".join(drawn(tmp_path, draw).text.split())
    assert " ".join(left) in text and " ".join(right) in text
    assert "☒ I agree" in text


def test_a_page_that_shows_an_image_and_its_number_is_a_picture(tmp_path: Path) -> None:
    path = tmp_path / "merged.pdf"
    canvas = Canvas(str(path))
    for number in range(1, 7):
        if number < 4:
            canvas.drawString(72, 700, f"Page of text, {['one', 'two', 'three'][number - 1]}.")
        else:
            canvas.drawInlineImage(Image.new("L", (40, 40), 128), 72, 300, 400, 400)
        canvas.drawString(250, 30, f"Page {number} of 6")
        canvas.showPage()
    canvas.save()
    read = parse_pdf(path)
    assert read.pictures == (4, 5, 6)
    assert "of 6" not in read.text


def test_the_value_of_a_field_that_shows_no_letters_is_no_text(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        form = canvas.acroForm
        form.textfield(name="n", value="Cleo", x=220, y=694)
        form.textfield(name="p", value="Swordfish", fieldFlags="password", x=220, y=594)
        form.textfield(name="h", value="Herring", annotationFlags="hidden", x=220, y=494)

    text = drawn(tmp_path, draw).text
    assert "Cleo" in text and "Swordfish" not in text and "Herring" not in text


NOTE = "<< /Type /Annot /Subtype /{} /Rect [72 {} 200 {}] {} >>"


def annotated(tmp_path: Path, *notes: str) -> list[str]:
    """The warnings of a file with a page that has notes of a kind, each with more keys."""
    texts = [note.split(" ", 1) for note in notes]
    numbers = range(7, 7 + len(notes))
    stream = b"BT /F1 20 Tf 1 0 0 1 72 700 Tm (Nine) Tj ET"
    kids = " ".join(f"{number} 0 R" for number in numbers).encode()
    path = tmp_path / "annotated.pdf"
    path.write_bytes(
        pdf_file(
            [
                b"<< /Type /Catalog /Pages 2 0 R >>",
                b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
                b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 5 0 R /Resources "
                b"<< /Font << /F1 4 0 R >> >> /Annots [%b] >>" % kids,
                b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
                b"<< /Length %d >>\nstream\n%b\nendstream" % (len(stream), stream),
                b"<< /Type /Filespec /F (plan.txt) /UF (plan.txt) >>",
                *(
                    NOTE.format(kind, 20 * number, 20 * number + 15, keys).encode()
                    for number, (kind, keys) in zip(numbers, texts, strict=True)
                ),
            ]
        )
    )
    return [str(warning) for warning in parse_pdf(path).warnings]


def test_comments_of_all_kinds_are_named_with_who_wrote_them_and_when(tmp_path: Path) -> None:
    by_ann = "/Contents (Really at nine?) /T (Ann)"
    (warning,) = annotated(
        tmp_path,
        f"Text {by_ann} /M (D:20260302120000Z)",
        "Popup /Contents (Really at nine?) /Parent 7 0 R",
        "Stamp /Contents (Void) /T (Ben)",
        "Ink /Contents (Look)",
        "FreeText /RC (<body>Six</body>)",
        "Link /Contents (a page)",
        "Highlight /T (Cleo)",
    )
    assert warning == (
        "comments on its pages are not read: 4; pages: 1 (Ann, 2026-03-02), 1 (Ben), 1"
    )


def test_a_file_that_is_attached_to_a_page_is_named(tmp_path: Path) -> None:
    (warning,) = annotated(tmp_path, "FileAttachment /FS 6 0 R /Contents (The plan)")
    assert warning == "files attached to it are not read: plan.txt; save them and ingest them too"


def test_a_step_that_fails_costs_the_tables_and_not_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: object) -> None:
        raise IndexError("list index out of range")

    monkeypatch.setattr("services.ingestion.parsers.pdf.parser.with_tables", fails)
    found = read(tmp_path, lines(760, SHOWN))
    assert found.text == SHOWN
    assert [str(warning).split(" (")[0] for warning in found.warnings] == [
        "its tables, headings or page numbers may be incomplete"
    ]


def labelled(tmp_path: Path, *labels: tuple[int, str, int, str]) -> tuple[str, ...]:
    def draw(canvas: Canvas) -> None:
        for label in labels:
            canvas.addPageLabel(*label)
        canvas.showPage()
        canvas.showPage()
        canvas.drawString(72, 760, SHOWN)

    return drawn(tmp_path, draw).page_labels


def test_pages_have_the_labels_that_the_file_prints_on_them(tmp_path: Path) -> None:
    labels = (0, "ROMAN_LOWER", 4, ""), (2, "ARABIC", 1, "A-\x07")
    assert labelled(tmp_path, *labels) == ("iv", "v", "A-1")


def test_labels_that_count_from_one_are_no_labels(tmp_path: Path) -> None:
    assert labelled(tmp_path, (0, "ARABIC", 1, "")) == ()


def test_text_in_a_font_that_is_nowhere_at_hand_is_text(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        pdfmetrics.registerFont(UnicodeCIDFont("STSong-Light"))
        canvas.setFont("STSong-Light", 12)
        canvas.drawString(72, 700, "游泳池九点开放")

    assert "游泳池九点开放" in drawn(tmp_path, draw).text


def test_coloured_text_on_a_colour_as_dark_is_shown(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFillColorRGB(0, 0, 1)
        canvas.rect(60, 690, 300, 30, fill=1, stroke=0)
        canvas.setFillColorRGB(0.38, 0, 0)
        canvas.drawString(72, 700, HIDDEN)

    assert HIDDEN in drawn(tmp_path, draw).text


def test_a_huge_page_is_looked_at_too(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setPageSize((3300, 2400))
        white_on_white(canvas)

    assert drawn(tmp_path, draw).text == SHOWN


def test_recognised_words_beside_their_picture_count(tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        scan = Image.new("L", (10, 10), 128)
        canvas.drawImage(ImageReader(scan), 60, 640, 300, 100)
        for y, text in ((700, "one"), (680, "two"), (600, "three")):
            line = canvas.beginText(72, y)
            line.setTextRenderMode(3)
            line.textOut(text)
            canvas.drawText(line)

    assert drawn(tmp_path, draw).text.split()[-3:] == ["one", "two", "three"]


def test_the_words_beside_a_hole_in_a_text_are_no_column(tmp_path: Path) -> None:
    left = [
        "the tenant pays the rent by",
        "the third day of a month and",
        "the owner sends a receipt of",
    ]
    right = ["then at the latest in", "keeps the receipt as", "all that has been paid"]
    texts = [
        Text(x, 760 - 14 * number, line)
        for number, pair in enumerate(zip(left, right, strict=True))
        for x, line in zip((72, 330 - 7 * number), pair, strict=True)
    ]
    pairs = [" ".join(pair) for pair in zip(left, right, strict=True)]
    assert read(tmp_path, texts).text.split() == " ".join(pairs).split()


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
