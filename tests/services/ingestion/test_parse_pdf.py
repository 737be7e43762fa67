"""PDF: running headers, paragraphs, hyphens, page offsets, headings and the title."""

from itertools import pairwise
from pathlib import Path

import pytest

from services.domain.errors import UnreadableDocument
from services.ingestion.extraction import Extraction
from services.ingestion.headings import build_sections
from services.ingestion.pdf_layout import Hyphens
from services.ingestion.pdf_parser import parse_pdf
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


def test_wrapped_lines_become_a_paragraph(tmp_path: Path) -> None:
    text = lines(700, FULL, "und deshalb geht der Satz auf der nächsten Zeile weiter.")
    assert parsed(tmp_path, text).text == f"{text[0].text} {text[1].text}"


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


def test_line_that_ends_early_ends_a_line_or_a_paragraph(tmp_path: Path) -> None:
    text = parsed(tmp_path, lines(700, FULL, "Name", "Ort.", "Weiter")).text
    assert text == f"{FULL} Name\nOrt.\n\nWeiter"


def test_raised_letters_stay_in_their_row(tmp_path: Path) -> None:
    row = [Text(65, 700, "Fläche in m"), Text(117, 704, "2", size=6), Text(125, 700, "und mehr")]
    assert parsed(tmp_path, row).text == "Fläche in m2 und mehr"


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


def test_page_numbers_beside_changing_chapters_go(tmp_path: Path) -> None:
    words = ("Alpha", "Beta", "Gamma", "Delta", "Epsilon")
    pages = [
        [Text(65, 800, f"Kapitel {word} {11 + number}"), *lines(700, f"Der Satz zu {word}.")]
        for number, word in enumerate(words)
    ]
    assert "Kapitel" not in parsed(tmp_path, *pages).text


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


@pytest.mark.parametrize(
    ("above", "below", "joined"),
    [
        ("der Strahlen-", "schutz ist", "der Strahlenschutz ist"),
        ("für Umwelt-", "und Naturschutz", "für Umwelt- und Naturschutz"),
        ("die UV-", "strahlung", "die UV-strahlung"),
        ("das Cs-", "137 ist", "das Cs-137 ist"),
        ("der Röntgen-", "Schutz", "der Röntgen-Schutz"),
        ("a well-", "known fact", "a well-known fact"),
        ("a large-", "scale test", "a large-scale test"),
        ("the infor-", "mation", "the information"),
        ("ein Wort –", "noch eins", "ein Wort – noch eins"),
    ],
)
def test_hyphens_at_line_ends(above: str, below: str, joined: str) -> None:
    hyphens = Hyphens(["A well-known name,", "large in scale.", above, below])
    cut, separator = hyphens.join(above, below)
    assert (above[:-1] if cut else above) + separator + below == joined


LONG = "§ 7 Verfahren zur Prüfung der Rechtfertigung einer Tätigkeitsart;"


def law() -> list[Text]:
    return [
        *lines(760, "§ 6 Zweck", bold=True),
        *lines(740, FULL, "§ 7 Verfahren gilt auch für den Umgang nach dem nächsten Satz, denn"),
        *lines(660, LONG, "Verordnungsermächtigung", bold=True),
        *lines(630, "(1) Der Satz dazu."),
    ]


def test_outline_is_matched_by_the_whole_title(tmp_path: Path) -> None:
    outline = (Entry("§ 6 Zweck", 0, 772), Entry(f"{LONG} Verordnungsermächtigung", 0, 673))
    headings = parsed(tmp_path, law(), outline=outline).headings
    assert [heading.title for heading in headings] == [
        "§ 6 Zweck",
        f"{LONG} Verordnungsermächtigung",
    ]


def test_outline_that_cuts_its_titles(tmp_path: Path) -> None:
    outline = (Entry("§ 6 Zweck", 0, 772), Entry(LONG[:40], 0, 673))
    headings = parsed(tmp_path, law(), outline=outline).headings
    assert headings[1].title == f"{LONG} Verordnungsermächtigung"


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


def test_outline_without_numbers_finds_numbered_headings(tmp_path: Path) -> None:
    page = [*lines(760, "2.1 Terms", bold=True), *lines(740, "First sentence.")]
    headings = parsed(tmp_path, page, outline=(Entry("Terms", 0, 772),)).headings
    assert [heading.title for heading in headings] == ["2.1 Terms"]


def test_outline_of_page_labels_is_not_believed(tmp_path: Path) -> None:
    page = [*lines(760, "1 Terms", size=13, bold=True), *lines(740, FULL, FULL, FULL)]
    outline = (Entry("Page 1", 0, 842), Entry("Scan", 0, 842))
    headings = parsed(tmp_path, page, outline=outline).headings
    assert [heading.title for heading in headings] == ["1 Terms"]


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


def test_title_on_two_lines_is_joined(tmp_path: Path) -> None:
    title = ("Gesetz zum Schutz vor der schädlichen Wirkung", "ionisierender Strahlung (X)")
    page = [*lines(780, *title, size=14), *lines(730, *[FULL] * 4)]
    assert parsed(tmp_path, page).title == " ".join(title)


@pytest.mark.parametrize("first", ["Contents", "§ 1 Zweck"])
def test_what_is_no_title(tmp_path: Path, first: str) -> None:
    page = [*lines(780, first, size=18), *lines(740, *[FULL] * 4)]
    assert parsed(tmp_path, page).title is None


def test_a_page_that_cannot_be_loaded_is_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "law.pdf"
    texts = ("Der Grenzwert beträgt", "zwanzig im Jahr.", "neunzig im Jahr.")
    path.write_bytes(without_page(make_pdf([lines(700, text) for text in texts]), 1))
    read = parse_pdf(path)
    assert read.unread_pages == (2,)
    assert read.text == "Der Grenzwert beträgt\n\nneunzig im Jahr."
    assert read.pages == (0, 23, 23)


def test_a_file_of_which_no_page_can_be_loaded_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "law.pdf"
    path.write_bytes(without_page(make_pdf([lines(700, "Der Grenzwert")]), 0))
    with pytest.raises(UnreadableDocument, match="the PDF is damaged"):
        parse_pdf(path)
