"""Tables of PDF files: rows that name their columns, and their marks on the page."""

from collections.abc import Sequence
from pathlib import Path
from time import process_time

import pypdf
import pypdfium2
import pytest
from reportlab.graphics.shapes import Drawing, Line
from reportlab.lib import colors
from reportlab.lib.enums import TA_JUSTIFY
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, PageBreak, Paragraph, SimpleDocTemplate, Table

from services.ingestion.parsers.extraction import Extraction
from services.ingestion.parsers.pdf.parser import parse_pdf
from services.library.pages.draw import DrawnCharacters
from services.library.pages.marks import quote_boxes, render_request
from tests.support.pdf_files import LEADING, Text, make_pdf

GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)
ACROSS = [
    ("LINEABOVE", (0, 0), (-1, 0), 1, colors.black),
    ("LINEBELOW", (0, 0), (-1, 0), 1, colors.black),
    ("LINEBELOW", (0, -1), (-1, -1), 1, colors.black),
]
STYLES = getSampleStyleSheet()


def prose(text: str) -> Paragraph:
    return Paragraph(text, STYLES["BodyText"])


def read(folder: Path, *story: Flowable, turned: int = 0) -> Extraction:
    path = folder / "table.pdf"
    SimpleDocTemplate(str(path)).build(list(story))
    if turned:
        writer = pypdf.PdfWriter(path)
        for page in writer.pages:
            page.rotate(turned)
        writer.write(path)
    return parse_pdf(path)


def rows(extraction: Extraction) -> list[str]:
    return [line for line in extraction.text.splitlines() if ": " in line]


def limits(style: Sequence[object], **more: object) -> Table:
    body = [
        ["Nuklid", "Freigrenze", "Hinweis"],
        ["H-3", "1 E+9", "als Wasser"],
        ["C-14", "1 E+7", ""],
    ]
    return Table(body, style=style, **more)


EXPECTED = [
    "Nuklid: H-3 | Freigrenze: 1 E+9 | Hinweis: als Wasser",
    "Nuklid: C-14 | Freigrenze: 1 E+7",
]


def test_a_ruled_table_keeps_its_columns_and_its_place(tmp_path: Path) -> None:
    found = read(tmp_path, prose("Davor steht ein Satz."), limits([GRID]), prose("Danach einer."))
    assert rows(found) == EXPECTED
    assert found.text.startswith(
        "Davor steht ein Satz.\n\nNuklid | Freigrenze | Hinweis\nNuklid: H-3"
    )
    assert found.text.endswith("\n\nDanach einer.")


def test_a_raised_figure_in_a_cell_costs_no_heads(tmp_path: Path) -> None:
    limit = prose("10<super>6</super> Bq je Jahr")
    body = [["Nuklid", "Freigrenze", "Hinweis"], ["H-3", limit, "als Wasser"], ["C-14", "7", "-"]]
    found = read(tmp_path, Table(body, style=[GRID], colWidths=[90, 140, 120]))
    assert "Nuklid: H-3 | Freigrenze: 10⁶ Bq je Jahr | Hinweis: als Wasser" in rows(found)


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_a_table_that_is_shown_on_its_side_is_read_as_it_stands(
    tmp_path: Path, turned: int
) -> None:
    assert rows(read(tmp_path, limits([GRID]), turned=turned)) == EXPECTED


def test_rules_across_suffice(tmp_path: Path) -> None:
    assert rows(read(tmp_path, prose("Davor."), limits(ACROSS), prose("Danach."))) == EXPECTED


def test_heads_above_the_first_rule_and_stripes_count(tmp_path: Path) -> None:
    below_each = [("LINEBELOW", (0, 0), (-1, -1), 0.4, colors.grey)]
    stripes = [("ROWBACKGROUNDS", (0, 0), (-1, -1), [colors.lightgrey, colors.white])]
    for style in (below_each, stripes):
        assert rows(read(tmp_path, prose("Davor."), limits(style), prose("Danach."))) == EXPECTED


def test_a_head_over_several_columns_without_rules_is_left_alone(tmp_path: Path) -> None:
    body = [["Stoff", "Grenzwert im Mittel und in der Spitze", ""], ["Blei", "1", "2"]]
    spanned = Table(body, style=[*ACROSS, ("SPAN", (1, 0), (2, 0))])
    assert rows(read(tmp_path, spanned)) == []


def test_heads_of_two_rows_and_cells_over_several(tmp_path: Path) -> None:
    body = [
        ["Stoff", "Grenzwert", "", "Norm"],
        ["", "Mittel", "Spitze", ""],
        ["Blei", "0,008", "0,012", "EN 1"],
        ["Zinn", "0,1", "0,2", ""],
    ]
    spans = [((0, 0), (0, 1)), ((1, 0), (2, 0)), ((3, 0), (3, 1)), ((3, 2), (3, 3))]
    table = Table(body, style=[GRID, *(("SPAN", *span) for span in spans)])
    assert rows(read(tmp_path, table)) == [
        "Stoff: Blei | Grenzwert, Mittel: 0,008 | Grenzwert, Spitze: 0,012 | Norm: EN 1",
        "Stoff: Zinn | Grenzwert, Mittel: 0,1 | Grenzwert, Spitze: 0,2 | Norm: EN 1",
    ]


def long_table(repeat: int) -> Table:
    body = [["Artikel", "Lager"], *([f"Ring {n}", f"R {n}"] for n in range(120))]
    return Table(body, style=[GRID], repeatRows=repeat)


@pytest.mark.parametrize("bold", [True, False])
def test_only_what_is_set_off_names_the_rows_below_it(tmp_path: Path, bold: bool) -> None:
    body = [
        ["Nuklid", "Freigrenze", "Hinweis"],
        ["Gasförmige Stoffe", "", ""],
        ["Davon sind Gemische ausgenommen", "", ""],
        ["H-3", "1 E+9", "als Wasser"],
        ["Alle Werte gelten für ein Jahr.", "", ""],
        ["C-14", "1 E+7", ""],
    ]
    across = [("SPAN", (0, n), (2, n)) for n in (1, 2, 4)]
    marked = [("FONTNAME", (0, 1), (2, 1), "Helvetica-Bold")] if bold else []
    found = read(tmp_path, Table(body, style=[GRID, *across, *marked]))
    group = "Gasförmige Stoffe" if bold else "Davon sind Gemische ausgenommen"
    last = f"{group} | " if bold else ""
    assert rows(found) == [f"{group} | {EXPECTED[0]}", f"{last}{EXPECTED[1]}"]


def test_a_table_goes_on_over_pages_with_and_without_its_heads(tmp_path: Path) -> None:
    expected = [f"Artikel: Ring {n} | Lager: R {n}" for n in range(120)]
    for repeat in (0, 1):
        found = read(tmp_path, long_table(repeat))
        assert rows(found) == expected and len(found.pages) > 2
        assert found.text.count("Artikel | Lager") == 1


def test_a_row_that_goes_on_over_the_page_has_its_name(tmp_path: Path) -> None:
    below = Table([["", "ab dem Jahr 2030", "in Luft"], ["C-14", "1 E+7", ""]], style=[GRID])
    above = limits([GRID], colWidths=[90, 140, 120])
    below._argW = above._argW
    found = read(tmp_path, above, PageBreak(), below)
    assert rows(found)[2] == "Nuklid: C-14 | Freigrenze: ab dem Jahr 2030 | Hinweis: in Luft"
    other = Table([["", "Zaun", "4.2."], ["C-14", "1 E+7", ""]], style=[GRID])
    other._argW = above._argW
    assert rows(read(tmp_path, above, PageBreak(), other))[2].startswith("Freigrenze: Zaun")


def test_bold_heads_on_the_next_page_begin_another_table(tmp_path: Path) -> None:
    bold = ("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")
    widths = [100, 100]
    one = Table(
        [["Stoff", "Grenze"], ["Blei", "viel"], ["Zinn", "mehr"]], widths, style=[GRID, bold]
    )
    two = Table([["Land", "Stadt"], ["Peru", "Lima"], ["Togo", "Lome"]], widths, style=[GRID, bold])
    found = read(tmp_path, one, PageBreak(), two)
    assert rows(found)[2:] == ["Land: Peru | Stadt: Lima", "Land: Togo | Stadt: Lome"]


def test_what_goes_on_a_table_without_heads_has_none(tmp_path: Path) -> None:
    """Rows of words alone would pass for heads."""
    widths = [100, 100]
    one = Table([["17", "3 Tage"], ["a", "b"], ["c", "d"]], widths, style=[GRID])
    two = Table([["Blei", "viel"], ["Zinn", "mehr"], ["Zink", "wenig"]], widths, style=[GRID])
    assert rows(read(tmp_path, one, PageBreak(), two)) == []


def test_drawings_and_boxes_are_no_tables(tmp_path: Path) -> None:
    drawing = Drawing(200, 100)
    for n in range(5):
        drawing.add(Line(0, 20 * n, 160, 20 * n))
        drawing.add(Line(40 * n, 0, 40 * n, 80))
    form = Table([["Name:", "Ada Lovelace"], ["Ort:", "London"]], style=[GRID])
    found = read(tmp_path, prose("Ein Bild."), drawing, form)
    assert " | " not in found.text and "Ada Lovelace" in found.text


def test_a_page_of_ruled_lines_is_read_fast(tmp_path: Path) -> None:
    page = Canvas(str(tmp_path / "form.pdf"))
    for n in range(90):
        page.line(60, 60 + 8 * n, 530, 60 + 8 * n)
        page.setFont("Helvetica", 6)
        for place in range(62, 480, 40):
            page.drawString(place + 37 * n % 30, 62 + 8 * n, "is signed")
    page.save()
    began = process_time()
    assert "is signed" in parse_pdf(tmp_path / "form.pdf").text
    assert process_time() - began < 4


def test_a_quoted_row_is_marked_where_its_cells_stand(tmp_path: Path) -> None:
    found = read(
        tmp_path, prose("H-3 ist Tritium."), limits([GRID]), prose("C-14 gilt 1 E+7 Jahre.")
    )
    with pypdfium2.PdfDocument(tmp_path / "table.pdf") as document:
        page = document[0]
        text_page = page.get_textpage()
        characters = DrawnCharacters(page, text_page)
        for row, cells in zip(EXPECTED, ("H-3 1 E+9 als Wasser", "C-14 1 E+7"), strict=True):
            start = found.text.index(row)
            span = start, start + len(row)
            request = render_request(found.text, found.pages, 1, span)
            marked = []
            for x0, y0, x1, y1 in quote_boxes(characters, request):
                box = x0, page.get_height() - y1 + 3, x1, page.get_height() - y0 - 3
                marked += text_page.get_text_bounded(*box).split()
            assert " ".join(marked) == cells
        text_page.close()


def test_words_of_justified_text_are_no_columns(tmp_path: Path) -> None:
    justified = ParagraphStyle("justified", alignment=TA_JUSTIFY, fontName="Helvetica")
    texts = [["Plant", "Reason for the closure of its workshop", "Year"]] + [
        [place, "Electricity and compressed air unavailable throughout wintertime", year]
        for place, year in (("North", "2012"), ("South", "2014"))
    ]
    body = [[place, Paragraph(reason, justified), year] for place, reason, year in texts]
    table = Table(body, style=[GRID], colWidths=[80, 90, 60])
    assert rows(read(tmp_path, table))[-1].startswith("Plant: South | Reason for the closure of")


def test_rows_that_no_rule_parts_may_have_labels_above_them(tmp_path: Path) -> None:
    body = [
        ["Group", "Yes", "No"],
        ["Three years", "", ""],
        ["Treated", "85 %", "15 %"],
        ["Control", "17 %", "83 %"],
        ["Four years", "", ""],
        ["Treated", "80 %", "20 %"],
    ]
    style = [
        ("GRID", (0, 0), (-1, 0), 0.5, colors.black),
        ("BOX", (0, 0), (-1, -1), 0.5, colors.black),
        *(("LINEBEFORE", (n, 0), (n, -1), 0.5, colors.black) for n in (1, 2)),
    ]
    assert rows(read(tmp_path, Table(body, style=style)))[-1] == (
        "Four years | Group: Treated | Yes: 80 % | No: 20 %"
    )


XS = 72, 200, 330


def read_rows(tmp_path: Path, rows: Sequence[Sequence[str]], *, bold: bool = False) -> list[str]:
    path = tmp_path / "rows.pdf"
    texts = [
        Text(x, 760 - LEADING * number, cell, bold=bold and not number)
        for number, row in enumerate(rows)
        for x, cell in zip(XS, row, strict=False)
        if cell
    ]
    path.write_bytes(make_pdf([texts]))
    return parse_pdf(path).text.splitlines()


TOOLS = [["Tool", "Keeper"], ["Ladder", "Ida"], ["Cable drum", "Rosa"], ["Steel rope", "Emil"]]
PRICES = [
    ["Tool", "Keeper", "Price"],
    ["Ladder", "Ida", "120"],
    ["Cable drum", "", "49"],
    ["Steel rope", "Emil", "7"],
]


def test_a_bold_head_names_the_cells(tmp_path: Path) -> None:
    assert read_rows(tmp_path, TOOLS, bold=True)[1:] == [
        "Tool: Ladder | Keeper: Ida",
        "Tool: Cable drum | Keeper: Rosa",
        "Tool: Steel rope | Keeper: Emil",
    ]


def test_a_head_of_words_over_numbers_names_the_cells(tmp_path: Path) -> None:
    assert read_rows(tmp_path, PRICES)[2] == "Tool: Cable drum | Price: 49"


def test_rows_whose_head_is_not_sure_name_no_cells(tmp_path: Path) -> None:
    form = [["Tenant", "Cleo"], ["Street", "Lane 4"], ["Phone", "555 12"]]
    assert read_rows(tmp_path, form) == [" | ".join(row) for row in form]
    assert read_rows(tmp_path, TOOLS) == [" | ".join(row) for row in TOOLS]


@pytest.mark.parametrize(
    "rows",
    [
        [["•", "the rent"], ["•", "the deposit"], ["•", "the keys"]],
        [["1.", "the rent"], ["2.", "the deposit"], ["3.", "the keys"]],
        [["a", "b", "c"], ["d", "e", "f"], ["g", "h", "i"]],
        [["Tool", "Keeper"], ["Ladder", "Ida"]],
    ],
)
def test_lists_formulas_and_two_lines_are_no_table(
    tmp_path: Path, rows: Sequence[Sequence[str]]
) -> None:
    assert not any(" | " in line for line in read_rows(tmp_path, rows, bold=True))


def place(tmp_path: Path, texts: Sequence[Text]) -> list[str]:
    path = tmp_path / "placed.pdf"
    path.write_bytes(make_pdf([texts]))
    return [line for line in parse_pdf(path).text.splitlines() if line]


def test_a_head_stands_over_the_columns_of_which_it_is_the_centre(tmp_path: Path) -> None:
    heads = [Text(215, 760, "Oxide"), Text(415, 760, "Carbide")]
    years = [Text(x, 740, "2009") for x in (180, 380)] + [Text(x, 740, "2010") for x in (260, 460)]
    body = [
        Text(x, 720 - LEADING * number, cell)
        for number, row in enumerate((("Brazil", "50", "51", "43", "44"),
                                      ("Norway", "60", "61", "80", "81"),
                                      ("Japan", "25", "26", "45", "46")))
        for x, cell in zip((72, 180, 260, 380, 460), row, strict=True)
    ]  # fmt: skip
    assert place(tmp_path, [*heads, *years, *body])[-2] == (
        "Norway | Oxide, 2009: 60 | Oxide, 2010: 61 | Carbide, 2009: 80 | Carbide, 2010: 81"
    )


def test_a_bold_line_within_a_table_names_the_rows_below_it(tmp_path: Path) -> None:
    rows = [["Unit", "Value", "Costs"], ["Class A"], ["Value", "104", "1"], ["Number", "49", "2"],
            ["Class B"], ["Value", "107", "3"]]  # fmt: skip
    texts = [
        Text(x, 760 - LEADING * number, cell, bold=number in (0, 1, 4))
        for number, row in enumerate(rows)
        for x, cell in zip(XS, row, strict=False)
    ]
    assert place(tmp_path, texts)[-1] == "Class B | Unit: Value | Value: 107 | Costs: 3"


def test_figures_one_space_apart_are_cells(tmp_path: Path) -> None:
    rows = [
        Text(x, 740 - LEADING * number, cell)
        for number in range(4)
        for x, cell in (
            (72, f"Town {number}"),
            (186, f"1,00{number},000"),
            (233, f"2,00{number},000"),
        )
    ]
    heads = [Text(72, 760, "Town"), Text(200, 760, "Men"), Text(240, 760, "Women")]
    assert (
        place(tmp_path, [*heads, *rows])[-1] == "Town: Town 3 | Men: 1,003,000 | Women: 2,003,000"
    )


def test_heads_that_are_written_one_by_one_are_found_where_they_stand(tmp_path: Path) -> None:
    heads = [Text(200, 772, "Number of"), Text(200, 760, "employees"),
             Text(330, 784, "Share of"), Text(330, 772, "all"), Text(330, 760, "employees"),
             Text(72, 760, "Plant")]  # fmt: skip
    body = [
        Text(x, 742 - LEADING * number, cell)
        for number, row in enumerate((("North", "120", "40 %"), ("South", "90", "30 %"),
                                      ("West", "89", "30 %")))
        for x, cell in zip(XS, row, strict=True)
    ]  # fmt: skip
    assert place(tmp_path, [*heads, *body])[-1] == (
        "Plant: West | Number of employees: 89 | Share of all employees: 30 %"
    )


NAMES = "Assets", "Units", "Costs"
YEARS = [
    Text(330, 755, "2016", bold=True),
    *(
        Text(x, top - LEADING * number, cell)
        for top, values in ((720, ("12", "49", "7")), (640, ("51", "471", "9")))
        for number, row in enumerate(zip(NAMES, values, strict=True))
        for x, cell in zip((72, 330), row, strict=True)
    ),
]


def test_a_line_between_heads_and_table_names_the_rows(tmp_path: Path) -> None:
    labels = [Text(72, 740, "Class A", bold=True), Text(72, 660, "Class B", bold=True)]
    lines = place(tmp_path, [YEARS[0], labels[0], *YEARS[1:7], labels[1], *YEARS[7:]])
    assert "Class A | Units | 2016: 49" in lines


def test_a_table_that_goes_on_has_the_heads_of_the_one_before(tmp_path: Path) -> None:
    label = Text(72, 660, "Class B", bold=True)
    assert place(tmp_path, [*YEARS[:7], label, *YEARS[7:]])[-1] == "Class B | Costs | 2016: 9"
    path = tmp_path / "pages.pdf"
    path.write_bytes(make_pdf([YEARS[:7], YEARS[7:]]))
    assert parse_pdf(path).text.splitlines()[-1] == "Costs | 2016: 9"
