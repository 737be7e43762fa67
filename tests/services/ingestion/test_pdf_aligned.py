"""Rows without rules stay lines of their own, with heads only where these are seen to be heads."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from services.ingestion.parsers.pdf.parser import parse_pdf
from tests.support.pdf_files import LEADING, Text, make_pdf

XS = 72, 200, 330


def read(tmp_path: Path, rows: Sequence[Sequence[str]], *, bold: bool = False) -> list[str]:
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
    assert read(tmp_path, TOOLS, bold=True)[1:] == [
        "Tool: Ladder | Keeper: Ida",
        "Tool: Cable drum | Keeper: Rosa",
        "Tool: Steel rope | Keeper: Emil",
    ]


def test_a_head_of_words_over_numbers_names_the_cells(tmp_path: Path) -> None:
    assert read(tmp_path, PRICES)[2] == "Tool: Cable drum | Price: 49"


def test_rows_whose_head_is_not_sure_name_no_cells(tmp_path: Path) -> None:
    form = [["Tenant", "Cleo"], ["Street", "Lane 4"], ["Phone", "555 12"]]
    assert read(tmp_path, form) == [" | ".join(row) for row in form]
    assert read(tmp_path, TOOLS) == [" | ".join(row) for row in TOOLS]


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
    assert not any(" | " in line for line in read(tmp_path, rows, bold=True))


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
