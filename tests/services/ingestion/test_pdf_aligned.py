"""Rows without rules stay lines of their own, with heads only where these are seen to be heads."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from services.ingestion.pdf_parser import parse_pdf
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


def test_rows_whose_head_is_not_sure_stay_as_they_are(tmp_path: Path) -> None:
    form = [["Tenant", "Cleo"], ["Street", "Lane 4"], ["Phone", "555 12"]]
    assert read(tmp_path, form) == [" ".join(row) for row in form]
    assert read(tmp_path, TOOLS) == [" ".join(row) for row in TOOLS]


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
