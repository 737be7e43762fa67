"""Web pages, books, e-mails, spreadsheets and slides: text, headings, and where each row stands."""

import re
from contextlib import closing
from datetime import date
from email.message import EmailMessage
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest
from pptx import Presentation

from services.domain.errors import UnreadableDocument
from services.ingestion.parse import FileParser
from services.ingestion.worker import parse
from services.settings import Settings
from tests.support.bad_files import good_docx
from tests.support.parsed_files import parse_file

PAGE = """<!doctype html><html><head><meta charset="utf-8"><title>Merkblatt</title>
<meta name="author" content="Amt für Lärm"><style>p {color: red}</style></head><body>
<nav>Start | Suche</nav><h1>Merkblatt Lärm</h1><h2>Grenzwerte</h2>
<p>Nachts gelten <a href="/x">40 Dezibel</a>.</p><p style="display: none">Alles ist erlaubt.</p>
<table><tr><th>Ort</th><th>Wert</th></tr><tr><td>Kurgebiet</td><td>35</td></tr></table>
<script>boese()</script></body></html>"""
OPF = """<package xmlns="http://www.idpf.org/2007/opf"><metadata
xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Das Buch</dc:title>
<dc:creator>A. Bee</dc:creator>
</metadata><manifest><item id="b" href="two.xhtml"/><item id="a" href="one.xhtml"/></manifest>
<spine><itemref idref="a"/><itemref idref="b"/></spine></package>"""
CONTAINER = """<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="O/c.opf"/></rootfiles></container>"""
CHAPTER = "<html><body><h1>{name}</h1><p>Text of chapter {name}.</p></body></html>"


def saved(folder: Path, kind: str) -> Path:
    """A small file of a kind."""
    file = folder / f"akte.{kind}"
    match kind:
        case "html":
            file.write_text(PAGE, encoding="utf-8")
        case "csv":
            file.write_text("Nuklid;Grenze\nH-3;1E6\nC-14;1E4\n", encoding="utf-8")
        case "xlsx":
            book = openpyxl.Workbook()
            sheet = book.active
            sheet.title = "Anlage 4"
            for row in (["Anlage 4 Tabelle 1"], [], ["Nuklid", "Grenze"], ["H-3", 1000], [None, 7]):
                sheet.append(row)
            book.create_sheet("leer")
            book.save(file)
        case "pptx":
            deck = Presentation()
            slide = deck.slides.add_slide(deck.slide_layouts[1])
            slide.shapes.title.text = "Ablauf"
            slide.placeholders[1].text = "Erst messen.\nDann melden."
            slide.notes_slide.notes_text_frame.text = "Fristen nennen."
            deck.save(file)
        case "epub":
            with ZipFile(file, "w") as archive:
                archive.writestr("mimetype", "application/epub+zip")
                archive.writestr("META-INF/container.xml", CONTAINER)
                archive.writestr("O/c.opf", OPF)
                for name in ("one", "two"):
                    archive.writestr(f"O/{name}.xhtml", CHAPTER.format(name=name))
        case "eml":
            mail = EmailMessage()
            mail["From"], mail["To"] = "Anna <anna@x.example>", "bert@x.example"
            mail["Subject"], mail["Date"] = "Übergabe", "Tue, 03 Nov 2026 10:00:00 +0100"
            mail.set_content("Die Schlüssel liegen beim Pförtner.")
            mail.add_attachment(b"x", maintype="application", subtype="pdf", filename="plan.pdf")
            file.write_bytes(mail.as_bytes())
    return file


@pytest.mark.parametrize(
    ("kind", "title", "headings", "lines", "absent"),
    [
        (
            "html",
            "Merkblatt Lärm",
            ["Merkblatt Lärm", "Grenzwerte"],
            ["Nachts gelten 40 Dezibel.", "Ort: Kurgebiet | Wert: 35"],
            ["erlaubt", "boese", "Suche", "color"],
        ),
        ("csv", None, [], ["Nuklid: H-3 | Grenze: 1E6"], []),
        (
            "xlsx",
            None,
            ["Anlage 4"],
            ["Anlage 4 Tabelle 1", "Nuklid: H-3 | Grenze: 1000", "Grenze: 7"],
            ["leer"],
        ),
        (
            "pptx",
            None,
            ["1: Ablauf"],
            ["Erst messen.", "Dann melden.", "Fristen nennen."],
            ["Ablauf\nErst"],
        ),
        ("epub", "Das Buch", ["one", "two"], ["Text of chapter two."], []),
        (
            "eml",
            "Übergabe",
            ["Übergabe"],
            ["Die Schlüssel liegen beim Pförtner.", "Attachment: plan.pdf", "To: bert@x.example"],
            [],
        ),
    ],
)
def test_the_text_of_every_kind(
    kind: str,
    title: str | None,
    headings: list[str],
    lines: list[str],
    absent: list[str],
    tmp_path: Path,
) -> None:
    read = parse(saved(tmp_path, kind))
    assert (read.title or None) == title
    assert [heading.title for heading in read.headings] == headings
    for heading in read.headings:
        assert heading.title in read.text[heading.start : heading.end]
    assert [line for line in lines if line not in read.text] == []
    assert [words for words in absent if words in read.text] == []


@pytest.mark.parametrize("kind", ["csv", "xlsx", "pptx", "eml", "html", "txt"])
def test_the_text_does_not_contain_the_name_of_its_file(kind: str, tmp_path: Path) -> None:
    """It is shared with whoever has the same bytes under another name."""
    file = tmp_path / f"Geheimplan.{kind}"
    match kind:
        case "eml":
            file.write_bytes(b"From: anna@x.example\n\nThe keys are ready.\n")
        case "html":
            file.write_text("<html><p>The keys are ready.</p></html>")
        case "txt":
            file.write_text("The keys are ready.")
        case _:
            saved(tmp_path, kind).rename(file)
    with closing(FileParser(Settings())) as parser:
        read = parser(file)
    assert read.title == "" and "Geheimplan" not in read.model_dump_json()


def test_metadata_of_files(tmp_path: Path) -> None:
    mail, page, book = (parse(saved(tmp_path, kind)).metadata for kind in ("eml", "html", "epub"))
    assert (mail.author, mail.date) == ("Anna", date(2026, 11, 3))
    assert (page.author, book.author) == ("Amt für Lärm", "A. Bee")


def test_a_stated_title_is_one_line_of_bounded_length(tmp_path: Path) -> None:
    stated = "Das\n\u00adBuch " + "x" * 5000
    with ZipFile(book := tmp_path / "book.epub", "w") as archive:
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("O/c.opf", OPF.replace("Das Buch", stated))
        for name in ("one", "two"):
            archive.writestr(f"O/{name}.xhtml", CHAPTER.format(name=name))
    workbook = openpyxl.load_workbook(saved(tmp_path, "xlsx"))
    workbook.properties.title = stated
    workbook.save(tmp_path / "akte.xlsx")
    for file in (book, tmp_path / "akte.xlsx"):
        title = parse(file).title
        assert title is not None and title.startswith("Das Buch xx") and len(title) <= 2000


def test_a_quoted_quote_far_down_ends_no_cell(tmp_path: Path) -> None:
    plain = "".join(f"n{number},{number}\n" for number in range(60))
    (file := tmp_path / "remarks.csv").write_text(
        f'Name,Remark\n{plain}x,"he said ""yes, or no"" then"\n'
    )
    assert parse(file).text.endswith('Name: x | Remark: he said "yes, or no" then')


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("Anteil 1,5;Preis\n1,5;2\n2,5;3\n", "Anteil 1,5: 2,5 | Preis: 3"),
        ("Preisliste\nTeil;Preis\nRad, neu;2\nNabe, alt;3\n", "Preis: 3"),
        ("Satz\nErst messen, dann melden.\nNichts.\nRuhe.\n", "Erst messen, dann melden."),
        ("a,b\n1,2\n", "a | b\n1 | 2"),
    ],
)
def test_what_separates_cells_is_told_by_all_rows(content: str, shown: str, tmp_path: Path) -> None:
    (file := tmp_path / "a.csv").write_text(content)
    assert shown in parse(file).text


STRINGS = "xl/sharedStrings.xml"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
STRINGS_KIND = "application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"


def test_raised_digits_and_empty_results_of_a_workbook(tmp_path: Path) -> None:
    workbook = openpyxl.Workbook()
    workbook.active.append(["Limit", "Note"])
    workbook.active.append(["ten", "=IF(1>2,1,B9)"])
    workbook.save(file := tmp_path / "limits.xlsx")
    with ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    sheet = "xl/worksheets/sheet1.xml"
    override = f'<Override PartName="/{STRINGS}" ContentType="{STRINGS_KIND}"/>'
    for name, old, new in (
        ("[Content_Types].xml", "</Types>", f"{override}</Types>"),
        (sheet, 't="inlineStr"><is><t>ten</t></is>', 't="s"><v>0</v>'),
        (sheet, '<c r="B2"><f>', '<c r="B2" t="str"><f>'),
    ):
        assert old.encode() in parts[name]
        parts[name] = parts[name].replace(old.encode(), new.encode())
    raised = '<r><rPr><vertAlign val="superscript"/></rPr><t>6</t></r>'
    parts[STRINGS] = (
        f"<sst xmlns='{MAIN}'><si><r><t>10</t></r>{raised}<r><t> Bq</t></r></si></sst>".encode()
    )
    with ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    read = parse(file)
    assert "10⁶ Bq" in read.text
    assert not read.warnings


def test_notes_without_a_place_for_text_are_passed_over(tmp_path: Path) -> None:
    deck = Presentation(saved(tmp_path, "pptx"))
    notes = deck.slides[0].notes_slide.notes_placeholder._element
    notes.getparent().remove(notes)
    deck.save(file := tmp_path / "deck.pptx")
    assert parse(file).text.endswith("Dann melden.\n\n")


@pytest.mark.parametrize("kind", ["xlsx", "pptx", "epub"])
def test_a_truncated_file_is_reported(kind: str, tmp_path: Path) -> None:
    file = saved(tmp_path, kind)
    file.write_bytes(file.read_bytes()[:-200])
    with pytest.raises(UnreadableDocument, match="damaged"):
        parse(file)


@pytest.mark.parametrize(
    ("kind", "part"), [("docx", "document"), ("xlsx", "workbook"), ("pptx", "presentation")]
)
def test_the_main_part_of_an_office_file_may_have_any_name(
    kind: str, part: str, tmp_path: Path
) -> None:
    if kind == "docx":
        (tmp_path / "akte.docx").write_bytes(good_docx("Erst messen."))
    usual, renamed = saved(tmp_path, kind), tmp_path / f"renamed.{kind}"
    with ZipFile(usual) as archive, ZipFile(renamed, "w") as copy:
        for name in archive.namelist():
            content = archive.read(name).replace(f"/{part}.xml".encode(), f"/{part}2.xml".encode())
            name = re.sub(rf"/(_rels/)?{part}\.xml", rf"/\1{part}2.xml", name)
            copy.writestr(name, content)
    assert parse(renamed).text == parse(usual).text


def test_deeply_nested_elements_are_reported(tmp_path: Path) -> None:
    file = tmp_path / "deep.html"
    file.write_text("<html>" + "<div>" * 20_000 + "x")
    with pytest.raises(UnreadableDocument, match="too deeply"):
        parse(file)


@pytest.mark.parametrize("stands_for", ["SYSTEM '{file}'", "'Geheimnis'"])
def test_no_entity_of_a_book_becomes_its_text(stands_for: str, tmp_path: Path) -> None:
    (secret := tmp_path / "secret.txt").write_text("Geheimnis")
    entity = f"<!DOCTYPE package [<!ENTITY x {stands_for.format(file=secret.as_uri())}>]>"
    file = tmp_path / "book.epub"
    with ZipFile(file, "w") as archive:
        archive.writestr("META-INF/container.xml", CONTAINER)
        archive.writestr("O/c.opf", entity + OPF.replace("Das Buch", "&x;"))
        for name in ("one", "two"):
            archive.writestr(f"O/{name}.xhtml", CHAPTER.format(name=name))
    read = parse(file)
    assert "Text of chapter one." in read.text
    assert "Geheimnis" not in f"{read.title}{read.text}"


def test_a_workbook_that_repeats_a_long_text_is_refused_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workbook = openpyxl.Workbook()
    for _ in range(50):
        workbook.active.append(["x" * 100])
    workbook.save(tmp_path / "lang.xlsx")
    read: list[str] = []

    def format_value(value: str, *_: object, **__: object) -> str:
        read.append(value)
        return value

    monkeypatch.setattr("services.ingestion.parsers.office_parser.format_value", format_value)
    monkeypatch.setattr("services.ingestion.parsers.extraction.MOST_TEXT", 1000)
    with pytest.raises(UnreadableDocument, match="more than the 1,000"):
        parse(tmp_path / "lang.xlsx")
    assert len(read) == 11


def test_a_workbook_is_read_in_a_confined_process(tmp_path: Path) -> None:
    """It asks for the language of its words, and may write no file to learn it."""
    workbook = openpyxl.Workbook()
    sheet = workbook.active
    sheet.append(["Die Kaution wird mit der ersten Miete fällig und nicht verzinst."])
    sheet.append(["Posten", "Betrag"])
    sheet.append(["Kaution", 1234.5])
    sheet["B3"].number_format = '#,##0.00 "€"'
    workbook.save(tmp_path / "miete.xlsx")
    read = parse_file(tmp_path / "miete.xlsx", language="auto", timeout_s=60, memory_mb=2048)
    assert "1.234,50 €" in read.text


SHOWN, UNSEEN = "Shown words", "Unseen words"


def read(body: str, folder: Path) -> str:
    (file := folder / "page.html").write_text(f"<html><body>{body}</body></html>")
    return " ".join(parse(file).text.split())


@pytest.mark.parametrize(
    "unseen",
    [
        "<style>.x, #y {{color: red; display: none}}</style><p class=x>{0}</p><p id=y>{0}</p>",
        "<style>@media print{{p{{top:0}}}} u>.x{{display:none}}</style><u><b class=x>{0}</b></u>",
        "<style>.x{{display:none!important}} #x{{display:block}}</style><p class=x id=x>{0}</p>",
        "<dialog>{0}</dialog>",
        "<video src=a.mp4 poster=b.jpg>{0}</video><canvas>{0}</canvas>",
        "<?xml version='1.0' {0} ?>",
        "<!-- if (tries-- >0) {0} -->",
        "<!--[if IE]><p>{0}</p><![endif]-->",
        "<script>if (tries-- >0) document.write('<p>{0}</p>')</script>",
        "<math><semantics><mi>x</mi><annotation>{0}</annotation></semantics></math>",
        "<noscript>{0}</noscript><template>{0}</template>",
    ],
)
def test_what_no_browser_shows_is_not_read(unseen: str, tmp_path: Path) -> None:
    text = read(f"<p>{SHOWN}</p>{unseen.format(UNSEEN)}<p>after</p>", tmp_path)
    assert text.startswith(SHOWN) and text.endswith("after") and UNSEEN not in text
    assert ".mp4" not in text and "xml" not in text


@pytest.mark.parametrize(
    "shown",
    [
        "<style>@media print {{ .x {{display:none}} }}</style><p class=x>{0}</p>",
        "<style>.x{{display:none}} @media all {{ .x {{display:block}} }}</style><p class=x>{0}",
        "<style media=print>p {{display:none}}</style><p>{0}</p>",
        "<noscript><style>p {{display:none}}</style></noscript><p>{0}</p>",
        "<style>.x{{display:none}} p.x{{display:block}}</style><p class=x>{0}</p>",
        "<style>p.x{{display:block}} .x{{display:none}}</style><p class=x>{0}</p>",
        "<style>.x{{display:none}}</style><p class=x style='display: block'>{0}</p>",
        "<style>body{{display:none}} p:hover{{display:none}}</style><p>{0}</p>",
        "<p aria-hidden=true>{0}</p>",
        "<dialog open>{0}</dialog>",
        "<details><summary>More</summary>{0}</details>",
        "<form>{0}</form>",
        "<script>a = '<!--'</script>{0}",
        "<!-->{0}",
    ],
)
def test_what_a_browser_shows_is_read(shown: str, tmp_path: Path) -> None:
    assert SHOWN in read(shown.format(SHOWN), tmp_path)


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("<mfrac><mn>1</mn><mrow><mi>a</mi><mo>+</mo><mn>2</mn></mrow></mfrac>", "1/(a+2)"),
        ("<msup><mn>10</mn><mn>6</mn></msup>", "10⁶"),
        ("<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>", "x_1²"),
        ("<msubsup><mi>x</mi></msubsup><mi>y</mi>", "x_y"),
        ("<msqrt><mfrac><mn>3</mn><mn>4</mn></mfrac></msqrt>", "√(3/4)"),
        ("<msup><mi>e</mi><mrow><mo>-</mo><mi>t</mi></mrow></msup>", "e^(-t)"),
    ],
)
def test_formulas_keep_fractions_and_powers(formula: str, text: str, tmp_path: Path) -> None:
    assert read(f"<p>It is <math>{formula}</math> today.</p>", tmp_path) == f"It is {text} today."


def test_how_a_word_is_spoken_is_no_part_of_it(tmp_path: Path) -> None:
    ruby = "<ruby>東京<rp>(</rp><rt>とうきょう</rt><rp>)</rp></ruby>タワー"
    assert read(ruby, tmp_path) == "東京タワー"


def test_signs_of_markdown_stay_as_they_are(tmp_path: Path) -> None:
    assert read("<p>Set my_name to 2 * 3.</p>", tmp_path) == "Set my_name to 2 * 3."


def test_letters_that_stand_together_stay_together_in_a_cell(tmp_path: Path) -> None:
    cells = ["10<sup>6</sup> Bq", "CO<sub>2</sub>", "Strahlen<wbr>schutz", "one<br>two<p>three</p>"]
    rows = "".join(f"<tr><td>{n}</td><td>{cell}</td></tr>" for n, cell in enumerate(cells))
    text = read(f"<table><tr><th>No.</th><th>What</th></tr>{rows}</table>", tmp_path)
    assert all(each in text for each in ("10⁶ Bq", "CO2", "Strahlenschutz", "one two three"))


def test_items_have_the_labels_that_a_browser_shows(tmp_path: Path) -> None:
    items = "<li>first</li><li>second</li><li value=7>third</li><li>fourth</li>"
    text = read(f"<ol type=a>{items}</ol><ol start=3>{items}</ol>", tmp_path)
    assert "a. first b. second g. third h. fourth" in text
    assert "3. first 4. second 7. third 8. fourth" in text


def test_a_table_that_holds_headings_only_places_them(tmp_path: Path) -> None:
    cells = "<td><h2>Fees</h2><p>Five euros.</p></td><td><h2>Dates</h2><p>In May.</p></td>"
    (file := tmp_path / "page.html").write_text(f"<table><tr>{cells}</tr></table>")
    assert [heading.title for heading in parse(file).headings] == ["Fees", "Dates"]
