"""What docs/documents.md says that a format loses: of each loss a file, and the text around it."""

import re
from collections.abc import Callable
from email.message import EmailMessage
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import openpyxl
import pytest
from docx import Document
from docx.oxml import parse_xml
from openpyxl.chart import BarChart
from openpyxl.comments import Comment
from PIL import Image, ImageDraw
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.opc.package import Part
from pptx.opc.packuri import PackURI
from pptx.oxml import parse_xml as parse_slide_xml
from pptx.slide import Slide
from pptx.util import Inches
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate

from services.ingestion.worker import parse
from tests.services.ingestion.test_odt_rtf import write_odt, write_rtf
from tests.services.ingestion.test_other_formats import CONTAINER, OPF

ROOT = Path(__file__).parents[3]
W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
LOST, KEPT = "Unread words", "Words that are read"
Write = Callable[[Path], None]


def picture() -> BytesIO:
    image = Image.new("RGB", (200, 40), "white")
    ImageDraw.Draw(image).text((5, 10), LOST, fill="black")
    image.save(data := BytesIO(), "PNG")
    data.seek(0)
    return data


def pdf(draw: Callable[[Canvas], object]) -> Write:
    def write(path: Path) -> None:
        canvas = Canvas(str(path))
        canvas.drawString(100, 700, KEPT)
        draw(canvas)
        canvas.save()

    return write


def unseen(canvas: Canvas) -> None:
    canvas.setFillColorRGB(1, 1, 1)
    canvas.drawString(100, 600, LOST)


def commented(canvas: Canvas) -> None:
    canvas.textAnnotation(LOST, Rect=[100, 600, 120, 620])


def pictured(canvas: Canvas) -> None:
    canvas.drawImage(ImageReader(picture()), 100, 500)


def unruled(canvas: Canvas) -> None:
    for y, row in enumerate((("Unread", "Value"), ("words", "7"))):
        for x, cell in enumerate(row):
            canvas.drawString(100 + 200 * x, 600 - 20 * y, cell)


def docx(change: Callable[..., object]) -> Write:
    def write(path: Path) -> None:
        document = Document()
        document.add_paragraph(KEPT)
        change(document)
        document.save(str(path))

    return write


def embedded(document: Document) -> None:
    chunk = f'<w:altChunk {W} xmlns:r="{RELATIONSHIPS}" r:id="rId77"/>'
    document.element.body.insert(0, parse_xml(chunk))


def unwanted(document: Document) -> None:
    for style in ("strike", "hidden"):
        setattr(document.paragraphs[0].add_run(LOST).font, style, True)


def xlsx(change: Callable[..., object]) -> Write:
    def write(path: Path) -> None:
        book = openpyxl.Workbook()
        book.active.append([KEPT, "Unread"])
        change(book.active)
        book.save(path)

    return write


def charted(sheet: openpyxl.worksheet.worksheet.Worksheet) -> None:
    chart = BarChart()
    chart.title = LOST
    sheet.add_chart(chart, "D4")


def concealed(sheet: openpyxl.worksheet.worksheet.Worksheet) -> None:
    sheet.append([LOST])
    sheet.row_dimensions[sheet.max_row].hidden = True
    sheet["C1"] = LOST
    sheet.column_dimensions["C"].hidden = True
    other = sheet.parent.create_sheet()
    other["A1"], other.sheet_state = LOST, "hidden"


def pptx(change: Callable[..., object]) -> Write:
    def write(path: Path) -> None:
        deck = Presentation()
        slide = deck.slides.add_slide(deck.slide_layouts[5])
        slide.shapes.title.text = "Title"
        group = slide.shapes.add_group_shape()
        group.shapes.add_textbox(0, 0, 99, 99).text_frame.text = KEPT
        change(slide)
        deck.save(str(path))

    return write


def slide_chart(slide: object) -> None:
    data = CategoryChartData()
    data.categories = [LOST]
    data.add_series(LOST, [1])
    box = [Inches(n) for n in (1, 1, 4, 4)]
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, *box, data)  # type: ignore[attr-defined]


def slide_comment(slide: object) -> None:
    words = f'<p:cmLst xmlns:p="urn:p"><p:cm><p:text>{LOST}</p:text></p:cm></p:cmLst>'
    relate(slide, "comments", words)


def relate(slide: object, name: str, content: str) -> str:
    """Add a part to a slide, and return the id of the relation."""
    uri, package = PackURI(f"/ppt/{name}/one.xml"), slide.part.package  # type: ignore[attr-defined]
    part = Part(uri, "application/xml", package, content.encode())
    return str(slide.part.relate_to(part, f"{RELATIONSHIPS}/{name}"))  # type: ignore[attr-defined]


def hidden_shape(slide: object) -> None:
    shape = slide.shapes.add_textbox(0, 0, 99, 99)  # type: ignore[attr-defined]
    shape.text_frame.text = LOST
    shape._element.nvSpPr.cNvPr.set("hidden", "1")


def on_the_master(slide: object) -> None:
    master = slide.slide_layout.slide_master  # type: ignore[attr-defined]
    slide.shapes.add_textbox(0, 0, 99, 99).text_frame.text = LOST  # type: ignore[attr-defined]
    master.shapes._spTree.append(slide.shapes[-1]._element)  # type: ignore[attr-defined]


def html(body: str) -> Write:
    return lambda path: (path.write_text(f"<html><p>{KEPT}</p>{body}</html>"), None)[1]


def epub(chapter: str, *others: str) -> Write:
    def write(path: Path) -> None:
        with ZipFile(path, "w") as archive:
            archive.writestr("META-INF/container.xml", CONTAINER)
            archive.writestr("O/c.opf", OPF)
            for name in ("one", "two"):
                archive.writestr(f"O/{name}.xhtml", f"<html><p>{KEPT}</p>{chapter}</html>")
            for other in others:
                archive.writestr("O/other.xhtml", f"<html><p>{other}</p></html>")

    return write


def eml(path: Path) -> None:
    mail = EmailMessage()
    mail.set_content(KEPT)
    mail.add_attachment(LOST.encode(), maintype="image", subtype="png", filename="barn.png")
    path.write_bytes(mail.as_bytes())


def text(content: str) -> Write:
    return lambda path: (path.write_text(content.format(KEPT, LOST)), None)[1]


PICTURE = '<img src="a.png" alt="Unread words">'


def odt(body: str, **parts: str) -> Write:
    return lambda path: (write_odt(path, f"<text:p>{KEPT}</text:p>{body}", **parts), None)[1]


def rtf(body: str) -> Write:
    return lambda path: (write_rtf(path, rf"{KEPT}\par {body}"), None)[1]


LOSSES: dict[str, dict[str, Write]] = {
    "PDF": {
        "comments": pdf(commented),
        "pictures beside text": pdf(pictured),
        "text that the page does not show": pdf(unseen),
        "columns of tables without rules or clear headings": pdf(unruled),
    },
    "DOCX": {
        "pictures": docx(lambda document: document.add_picture(picture())),
        "charts and embedded files": docx(embedded),
        "comments": docx(lambda made: made.add_comment(made.paragraphs[0].runs, text=LOST)),
        "struck-out and hidden text": docx(unwanted),
    },
    "ODT": {
        "pictures": odt(
            f"<text:p><draw:frame><draw:image>{LOST}</draw:image></draw:frame></text:p>"
        ),
        "charts and embedded files": odt(f"<text:p><draw:object>{LOST}</draw:object></text:p>"),
        "comments": odt(f"<text:p><office:annotation>{LOST}</office:annotation></text:p>"),
        "struck-out and hidden text": odt(
            "".join(
                f'<text:p><text:span text:style-name="{style}">{LOST}</text:span></text:p>'
                for style in "SV"
            )
        ),
    },
    "RTF": {
        "headers and footers": rtf(rf"{{\header {LOST}}}{{\footer {LOST}}}"),
        "pictures": rtf(rf"{{\pict {LOST}}}"),
        "charts and embedded files": rtf(rf"{{\object{{\*\objdata {LOST}}}{{\result {LOST}}}}}"),
        "comments": rtf(rf"{{\*\annotation {LOST}}}"),
        "struck-out and hidden text": rtf(rf"{{\strike {LOST}}}{{\v {LOST}}}"),
    },
    "XLSX": {
        "formulas": xlsx(lambda sheet: sheet.append([1, f'=CONCAT("{LOST}")'])),
        "comments and text boxes": xlsx(
            lambda sheet: setattr(sheet["A1"], "comment", Comment(LOST, "Anna"))
        ),
        "charts": xlsx(charted),
        "hidden sheets, rows and columns": xlsx(concealed),
    },
    "CSV": {},
    "PPTX": {
        "pictures": pptx(lambda slide: slide.shapes.add_picture(picture(), 0, 0)),
        "charts and embedded files": pptx(slide_chart),
        "comments": pptx(slide_comment),
        "hidden shapes": pptx(hidden_shape),
        "text of the slide master": pptx(on_the_master),
    },
    "HTML": {
        "pictures": html(PICTURE),
        "addresses of links": html('<p><a href="http://x.example/Unread words">here</a></p>'),
        "navigation": html(f"<nav>{LOST}</nav>"),
        "fields of forms": html(f"<form><textarea>{LOST}</textarea></form>"),
        "frames": html(f"<iframe>{LOST}</iframe>"),
        "hidden text": html(f"<p hidden>{LOST}</p><p style='display:none'>{LOST}</p>"),
    },
    "EPUB": {
        "pictures": epub(PICTURE),
        "addresses of links": epub('<p><a href="http://x.example/Unread words">here</a></p>'),
        "chapters that its order leaves out": epub("", LOST),
    },
    "EML": {"attachments in other formats; the reading report names them": eml},
    "TXT": {},
    "MD": {
        "front matter": text("---\nnote: {1}\n---\n{0}\n"),
        "comments": text("{0} <!-- {1} -->\n"),
        "template tags": text("{0} {{{{ {1} }}}}\n"),
    },
}
CASES = [(kind, loss) for kind, losses in LOSSES.items() for loss in losses]


@pytest.mark.parametrize(("kind", "loss"), CASES)
def test_this_is_lost_and_no_more(kind: str, loss: str, tmp_path: Path) -> None:
    file = tmp_path / f"file.{kind.lower()}"
    LOSSES[kind][loss](file)
    read = re.sub(r"\W+", " ", parse(file).text)
    assert KEPT in read and LOST not in read


def test_the_page_names_these_losses() -> None:
    rows = re.findall(
        r"^\| (\w+)(?:, \w+)? \|.*\| (.*?) \|$", (ROOT / "docs/documents.md").read_text(), re.M
    )
    told = {kind: lost for kind, lost in rows if kind in LOSSES}
    assert told == {kind: "; ".join(losses) or "nothing" for kind, losses in LOSSES.items()}


@pytest.mark.parametrize(
    ("kind", "write", "named"),
    [
        ("pptx", pptx(slide_chart), "charts and diagrams are not read: 1"),
        ("pptx", pptx(slide_comment), "comments are not read: 1"),
        ("pptx", pptx(hidden_shape), "hidden passages are left out: 1"),
        ("xlsx", xlsx(charted), "charts and diagrams are not read: 1"),
    ],
)
def test_what_is_lost_of_slides_and_workbooks_is_named(
    kind: str, write: Write, named: str, tmp_path: Path
) -> None:
    write(file := tmp_path / f"file.{kind}")
    assert [str(warning) for warning in parse(file).warnings] == [named]


def test_blocks_of_a_page_do_not_run_into_one_another(tmp_path: Path) -> None:
    html("<aside>One</aside><footer>two</footer><details><summary>three</summary>four</details>")(
        file := tmp_path / "file.html"
    )
    assert parse(file).text.split() == [*KEPT.split(), "One", "two", "three", "four"]


def test_lines_within_a_cell_of_a_csv_file_stay_apart(tmp_path: Path) -> None:
    file = tmp_path / "file.csv"
    file.write_text('Room;Area\n"Hall\nEast";40\nAttic;12\n')
    assert "Room: Hall East | Area: 40\nRoom: Attic" in parse(file).text


def in_html(path: Path) -> None:
    html("<p>Above 10<sup>6</sup> Bq.</p>")(path)


def in_word(path: Path) -> None:
    document = Document()
    paragraph = document.add_paragraph("Above 10")
    paragraph.add_run("6").font.superscript = True
    paragraph.add_run(" Bq.")
    document.save(str(path))


def in_pdf(path: Path) -> None:
    styles = getSampleStyleSheet()
    said = "Above 10<super>6</super> Bq."
    SimpleDocTemplate(str(path)).build([Paragraph(said, styles["Normal"])])


@pytest.mark.parametrize(("kind", "write"), [("html", in_html), ("docx", in_word), ("pdf", in_pdf)])
def test_a_raised_figure_is_another_number(tmp_path: Path, kind: str, write: Write) -> None:
    write(file := tmp_path / f"file.{kind}")
    assert parse(file).text.strip().endswith("Above 10⁶ Bq.")


def test_what_a_pdf_only_sets_smaller_or_lower_is_no_raised_figure(tmp_path: Path) -> None:
    said = "<font size=7>1</font>2 of H<sub>2</sub>O, log<sub>10</sub>(20), § 5"
    styles = getSampleStyleSheet()
    SimpleDocTemplate(str(tmp_path / "a.pdf")).build([Paragraph(said, styles["Normal"])])
    assert parse(tmp_path / "a.pdf").text.strip() == "12 of H2O, log10(20), § 5"


def test_comments_and_text_boxes_of_a_workbook_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "file.xlsx"
    LOSSES["XLSX"]["comments and text boxes"](file)
    box = '<d:wsDr xmlns:d="d"><d:sp><d:txBody/></d:sp></d:wsDr>'
    with ZipFile(file, "a") as archive:
        archive.writestr("xl/drawings/drawing7.xml", box)
    assert "not read: 2" in str(parse(file).warnings[0])


SCHEMAS = "http://schemas.openxmlformats.org"
NAMESPACES = (
    f'xmlns:p="{SCHEMAS}/presentationml/2006/main" xmlns:a="{SCHEMAS}/drawingml/2006/main" '
    f'xmlns:m="{SCHEMAS}/officeDocument/2006/math" xmlns:d="{SCHEMAS}/drawingml/2006/diagram" '
    f'xmlns:mc="{SCHEMAS}/markup-compatibility/2006" xmlns:r="{RELATIONSHIPS}" '
    'xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main"'
)


@pytest.fixture
def slide() -> Slide:
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Rules of the cellar"
    return slide


def slide_text(slide: Slide, folder: Path) -> str:
    slide.part.package.save(str(file := folder / "deck.pptx"))
    return parse(file).text


def test_a_slide_with_nothing_but_a_title_is_read(slide: Slide, tmp_path: Path) -> None:
    assert slide_text(slide, tmp_path).split("\n")[0] == "1: Rules of the cellar"


def test_of_two_forms_of_a_shape_the_one_with_words_is_read(slide: Slide, tmp_path: Path) -> None:
    words = (
        f"<mc:AlternateContent {NAMESPACES}><mc:Choice Requires='a14'><p:sp><p:nvSpPr>"
        "<p:cNvPr id='9' name='9'/><p:cNvSpPr/><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/>"
        "<a:p><a:r><a:t>At most </a:t></a:r><a14:m><m:oMath><m:f><m:num><m:r><m:t>3</m:t></m:r>"
        "</m:num><m:den><m:r><m:t>4</m:t></m:r></m:den></m:f></m:oMath></a14:m></a:p></p:txBody>"
        "</p:sp></mc:Choice><mc:Fallback><p:pic/></mc:Fallback></mc:AlternateContent>"
    )
    slide.shapes._spTree.append(parse_slide_xml(words))
    assert "At most 3/4" in slide_text(slide, tmp_path)


def test_the_words_of_a_diagram_are_read(slide: Slide, tmp_path: Path) -> None:
    points = "".join(
        f"<d:pt><d:t><a:p><a:r><a:t>{words}</a:t></a:r></a:p></d:t></d:pt>"
        for words in ("Apply", "Examine", "Decide")
    )
    relation = relate(slide, "diagramData", f"<d:dataModel {NAMESPACES}>{points}</d:dataModel>")
    frame = (
        f"<p:graphicFrame {NAMESPACES}><p:nvGraphicFramePr><p:cNvPr id='9' name='9'/>"
        "<p:cNvGraphicFramePr/><p:nvPr/></p:nvGraphicFramePr><p:xfrm/><a:graphic>"
        f"<a:graphicData uri='{SCHEMAS}/drawingml/2006/diagram'><d:relIds r:dm='{relation}'/>"
        "</a:graphicData></a:graphic></p:graphicFrame>"
    )
    slide.shapes._spTree.append(parse_slide_xml(frame))
    assert slide_text(slide, tmp_path).split("\n")[2:5] == ["Apply", "Examine", "Decide"]


def test_raised_digits_stay_raised(slide: Slide, tmp_path: Path) -> None:
    paragraph = slide.shapes.add_textbox(0, 0, 99, 99).text_frame.paragraphs[0]
    paragraph.text = "Above 10"
    run = paragraph.add_run()
    run.text = "6"
    run.font._element.set("baseline", "30000")
    assert "Above 10⁶" in slide_text(slide, tmp_path)
