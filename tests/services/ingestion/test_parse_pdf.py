"""PDF: running headers, paragraphs, hyphens, page offsets, headings and the title."""

from itertools import pairwise
from pathlib import Path

import pytest

from services.domain.errors import UnreadableDocument
from services.ingestion.parsers.extraction import Extraction
from services.ingestion.parsers.headings import build_sections
from services.ingestion.parsers.pdf.parser import parse_pdf
from tests.support.pdf_files import Entry, Text, lines, make_pdf, without_page

FULL = "Eine Zeile, die so weit nach rechts reicht, dass kein Wort mehr auf sie passen kann"
"""Sets the right margin."""


def parsed(
    folder: Path, *pages: list[Text], outline: tuple[Entry, ...] = (), rotate: int = 0
) -> Extraction:
    path = folder / "a.pdf"
    path.write_bytes(make_pdf(pages, outline, rotate=rotate))
    return parse_pdf(path)


def pages_of(extraction: Extraction) -> list[str]:
    borders = [*extraction.pages, len(extraction.text)]
    return [extraction.text[a:b] for a, b in pairwise(borders)]


@pytest.mark.parametrize(
    ("below", "separator"),
    [
        (Text(65, 672, "nach einer Lücke"), "\n\n"),
        (Text(65, 686, "größer gedruckt", size=14), "\n\n"),
        (Text(65, 686, "(2) ein neuer Absatz"), "\n\n"),
        (Text(85, 686, "eingerückt"), "\n\n"),
        (Text(65, 686, "• ein Punkt"), "\n"),
        (Text(65, 686, "auf derselben Höhe"), " "),
    ],
)
def test_signs_of_a_new_paragraph(tmp_path: Path, below: Text, separator: str) -> None:
    usual = lines(600, *[FULL] * 7)
    above = Text(65, 700, FULL[:-5] + "kann.")
    text = parsed(tmp_path, [above, below, *usual]).text
    assert text.startswith(above.text + separator + below.text)


WRAPPED = "und deshalb geht der Satz auf der nächsten Zeile weiter."


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (lines(700, FULL, WRAPPED), f"{FULL} {WRAPPED}"),
        (lines(700, FULL, "Name", "Ort.", "Weiter"), f"{FULL} Name\nOrt.\n\nWeiter"),
        (
            [Text(65, 700, "Fläche in m"), Text(117, 704, "2", size=6), Text(125, 700, "und mehr")],
            "Fläche in m² und mehr",
        ),
    ],
)
def test_lines_are_joined_into_paragraphs(tmp_path: Path, page: list[Text], text: str) -> None:
    assert parsed(tmp_path, page).text == text


def test_the_mark_of_an_item_in_another_size_cuts_no_sentence_and_begins_an_item(
    tmp_path: Path,
) -> None:
    page: list[Text] = []
    for y in (700, 660):
        page += [Text(65, y, ">", size=6), *lines(y, FULL, WRAPPED, x=80)]
    item = f"> {FULL} {WRAPPED}"
    assert parsed(tmp_path, [*page, *lines(600, *[FULL] * 7)]).text.startswith(f"{item}\n\n{item}")


@pytest.mark.parametrize(
    ("font", "code", "shown"), [("Webdings", 0x61, "✔"), ("Wingdings-Regular", 0xA7, "▪")]
)
def test_a_symbol_font_shows_what_its_private_characters_mean(
    tmp_path: Path, font: str, code: int, shown: str
) -> None:
    page = [Text(65, 700, chr(code)), Text(80, 700, FULL, bold=True)]
    pdf = make_pdf([page], mapped={chr(code): chr(0xF000 + code)})
    path = tmp_path / "a.pdf"
    path.write_bytes(
        pdf.replace(b"/BaseFont /Helvetica ", b"/BaseFont /ABCDEF+%b " % font.encode())
    )
    assert parse_pdf(path).text == f"{shown} {FULL}"


def test_running_headers_and_page_numbers_go(tmp_path: Path) -> None:
    pages = [
        [
            Text(65, 800, "Gesetz über Strahlung"),
            *lines(700, f"Inhalt der Seite {number}, die {word} ist."),
            Text(250, 30, f"Gesetz · Seite {number}", size=8),
        ]
        for number, word in enumerate(("erste", "zweite", "dritte", "vierte"), start=1)
    ]
    extraction = parsed(tmp_path, *pages)
    assert "Gesetz" not in extraction.text
    assert [page.strip() for page in pages_of(extraction)] == [page[1].text for page in pages]
    words = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon")
    chapters = [
        [Text(65, 800, f"Kapitel {word} {11 + number}"), *lines(700, f"Der Satz zu {word}.")]
        for number, word in enumerate(words)
    ]
    assert "Kapitel" not in parsed(tmp_path, *chapters).text


def test_the_headings_of_annexes_at_the_top_of_pages_are_no_running_headers(tmp_path: Path) -> None:
    tops = ["Vertrag", "Zweck", "Dauer", "Anlage 1", "Anlage 2", "Anlage 3"]
    pages = [[Text(65, 780, top), *lines(700, f"Satz zu {n}.")] for n, top in enumerate(tops)]
    assert all(top in parsed(tmp_path, *pages).text for top in tops)
    words = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon")
    running = [
        [Text(65, 780, f"§ {n}"), *lines(700, f"§ {n} gilt.", word)] for n, word in enumerate(words)
    ]
    assert "§ 3\n" not in parsed(tmp_path, *running).text


def test_lines_of_the_body_stay_even_if_they_repeat(tmp_path: Path) -> None:
    page = lines(700, "Der gleiche Satz.", *[f"Zeile {word}." for word in "abcdefgh"])
    pages = [[*page, *lines(500, f"Anders: {word}.")] for word in ("eins", "zwei", "drei")]
    middle = [line.text for line in page[4:6]]
    text = parsed(tmp_path, *pages).text
    assert all(text.count(line) == 3 for line in middle)


def test_paragraph_over_a_page_border(tmp_path: Path) -> None:
    first = lines(700, FULL, FULL[:-5] + "grenzüber-")
    second = lines(700, "schreitende Verbringung ist verboten.")
    extraction = parsed(tmp_path, first, second)
    assert "grenzüberschreitende Verbringung" in extraction.text
    assert pages_of(extraction)[1] == second[0].text
    assert extraction.text[extraction.pages[1] - 1] == "r"


def test_empty_page_starts_where_the_next_one_does(tmp_path: Path) -> None:
    extraction = parsed(tmp_path, lines(700, "Eins."), [], lines(700, "Drei."), [])
    assert [page.strip() for page in pages_of(extraction)] == ["Eins.", "", "Drei.", ""]


def test_rotated_page_is_read_as_displayed(tmp_path: Path) -> None:
    turned = [
        Text(100, 40, FULL, upward=True),
        Text(114, 40, "und hier ist der Satz zu Ende.", upward=True),
        Text(150, 40, "Ein neuer Absatz.", upward=True),
    ]
    text = parsed(tmp_path, turned, rotate=90).text
    assert text == f"{FULL} {turned[1].text}\n\n{turned[2].text}"


LONG = "§ 7 Verfahren zur Prüfung der Rechtfertigung einer Tätigkeitsart;"


def law() -> list[Text]:
    return [
        *lines(760, "§ 6 Zweck", bold=True),
        *lines(740, FULL, "§ 7 Verfahren gilt auch für den Umgang nach dem nächsten Satz, denn"),
        *lines(660, LONG, "Verordnungsermächtigung", bold=True),
        *lines(630, "(1) Der Satz dazu."),
    ]


WHOLE = f"{LONG} Verordnungsermächtigung"
TERMS = [*lines(760, "2.1 Terms", bold=True), *lines(740, "First sentence.")]
LARGE = [*lines(760, "1 Terms", size=13, bold=True), *lines(740, FULL, FULL, FULL)]


@pytest.mark.parametrize(
    ("page", "outline", "titles"),
    [
        (law(), [("§ 6 Zweck", 772), (WHOLE, 673)], ["§ 6 Zweck", WHOLE]),
        (law(), [("§ 6 Zweck", 772), (LONG[:40], 673)], ["§ 6 Zweck", WHOLE]),  # cut off
        (TERMS, [("Terms", 772)], ["2.1 Terms"]),  # without numbers
        (LARGE, [("Page 1", 842), ("Scan", 842)], ["1 Terms"]),  # of page labels: not believed
    ],
)
def test_outline_is_matched_by_the_text(
    tmp_path: Path, page: list[Text], outline: list[tuple[str, float]], titles: list[str]
) -> None:
    entries = tuple(Entry(title, 0, top) for title, top in outline)
    headings = parsed(tmp_path, page, outline=entries).headings
    assert [heading.title for heading in headings] == titles


def test_outline_chooses_among_equal_titles_by_height(tmp_path: Path) -> None:
    page = [
        *lines(760, "Zweck", bold=True),
        *lines(740, "Erster Satz."),
        *lines(700, "Zweck", bold=True),
        *lines(680, "Zweiter Satz."),
    ]
    headings = parsed(tmp_path, page, outline=(Entry("Zweck", 0, 712),)).headings
    assert len(headings) == 1
    assert headings[0].start > 20


def test_heading_that_breaks_over_pages(tmp_path: Path) -> None:
    begun, ended = "§ 5 Ein Titel, der am Ende der Seite", "anfängt und erst danach aufhört"
    title = f"{begun} {ended}"
    first = [*lines(700, FULL), Text(65, 60, begun, bold=True)]
    second = [*lines(780, ended, bold=True), *lines(760, "(1) Text.")]
    extraction = parsed(tmp_path, first, second, outline=(Entry(title, 0, 72),))
    heading = extraction.headings[0]
    assert heading.title == title
    assert heading.start < extraction.pages[1] < heading.end


def test_headings_by_type_where_there_is_no_outline(tmp_path: Path) -> None:
    page = [
        *lines(780, "A Study of Rabbits", size=18, bold=True),
        *lines(740, "1 Introduction", size=13, bold=True),
        *lines(720, *[FULL] * 4),
        *lines(640, "1.1 Earlier work", bold=True),
        *lines(620, *[FULL] * 4),
    ]
    extraction = parsed(tmp_path, page)
    assert extraction.title == "A Study of Rabbits"
    sections = build_sections(extraction)
    assert [(section.label, section.level) for section in sections] == [("1", 0), ("1.1", 1)]


def test_a_page_that_cannot_be_loaded_is_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "law.pdf"
    texts = ("Der Grenzwert beträgt", "zwanzig im Jahr.", "neunzig im Jahr.")
    path.write_bytes(without_page(make_pdf([lines(700, text) for text in texts]), 1))
    read = parse_pdf(path)
    assert read.unread_pages == (2,)
    assert read.text == "Der Grenzwert beträgt\n\nneunzig im Jahr."
    assert read.pages == (0, 23, 23)
    path.write_bytes(without_page(make_pdf([lines(700, texts[0])]), 0))
    with pytest.raises(UnreadableDocument, match="the PDF is damaged"):
        parse_pdf(path)


TITLE = ("Gesetz zum Schutz vor der schädlichen Wirkung", "ionisierender Strahlung (X)")


@pytest.mark.parametrize(
    ("first", "size", "title"),
    [(TITLE, 14, " ".join(TITLE)), (("Contents",), 18, None), (("§ 1 Zweck",), 18, None)],
)
def test_large_lines_are_the_title(
    tmp_path: Path, first: tuple[str, ...], size: float, title: str | None
) -> None:
    page = [*lines(780, *first, size=size), *lines(730, *[FULL] * 4)]
    assert parsed(tmp_path, page).title == title
