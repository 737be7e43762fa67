"""A text as its reader sees it: tables out of the lines that parsers write, and matches in them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.ingestion.parsers.tables import grid_lines, grid_of, heads_of
from services.library.text_view import TableView, blocks, matches

Rows = list[list[str | None]]


def shown(text: str) -> list[str | Rows]:
    """Running texts, and tables as rows of texts with the heads first."""

    def row(cells: tuple[tuple[int, int] | None, ...]) -> list[str | None]:
        return [cell and text[slice(*cell)] for cell in cells]

    return [
        [row(block.heads), *map(row, block.rows)]
        if isinstance(block, TableView)
        else text[slice(*block)].strip()
        for block in blocks(text, (0, len(text)))
    ]


def written(rows: list[list[str]]) -> str:
    """The lines of a table as the parsers write them."""
    grid = grid_of(rows)
    above, heads = heads_of(grid)
    return "\n".join(grid_lines(grid, heads, above))


def test_a_table_with_heads_is_one_again() -> None:
    rows = [["Nuclide", "Limit", "Remark"], ["H-3", "100", ""], ["C-14", "10", "see: 2"]]
    text = f"Before.\n\n{written(rows)}\n\nAfter."
    assert shown(text) == [
        "Before.",
        [["Nuclide", "Limit", "Remark"], ["H-3", "100", None], rows[2]],
        "After.",
    ]


def test_text_above_and_below_the_rows_of_a_paragraph_is_running_text() -> None:
    assert shown("Prices\na | 1\nb | 2\nas of May") == [
        "Prices",
        [[], ["a", "1"], ["b", "2"]],
        "as of May",
    ]


def test_rows_without_heads_keep_their_cells() -> None:
    text = written([["2", "Invoice 4711", "12"], ["3", "Invoice 4712", "13"]])
    assert shown(text) == [[[], ["2", "Invoice 4711", "12"], ["3", "Invoice 4712", "13"]]]


def test_a_group_goes_across_and_stands_before_its_rows() -> None:
    lines = ["A | B", "Group", "Group | A: 1 | B: 2", "Group | A: 3 | B: 4"]
    (table,) = shown("\n".join(lines))
    assert isinstance(table, list)
    heads, across, *rows = table
    assert heads == [None, "A", "B"] and across == ["Group"]
    assert rows == [["Group", "1", "2"], ["Group", "3", "4"]]


def test_a_table_of_markdown_has_its_heads_above_the_rule() -> None:
    assert shown("| a | b |\n|---|:-:|\n| 1 |  |\n| 2 | x |") == [
        [["a", "b"], ["1", None], ["2", "x"]]
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Choose a | b here.",
        "    x: int | str\n    y: int | None",
        "One line\nof a text that says a | b\nand goes on.",
    ],
)
def test_running_text_with_a_bar_is_no_table(text: str) -> None:
    assert shown(text) == [text.strip()]


@given(st.text(alphabet="ab:| \n-", max_size=80))
def test_nothing_is_shown_twice_and_each_cell_lies_in_the_text(text: str) -> None:
    end = 0
    for block in blocks(text, (0, len(text))):
        spans = sorted(set(block.cells)) if isinstance(block, TableView) else [block]
        for start, stop in spans:
            assert end <= start <= stop <= len(text)
            end = stop


def test_a_match_ignores_case_white_space_and_soft_hyphens() -> None:
    text = "The  Limit\nof dose. The li\xadmit of clearance."
    found = [text[slice(*span)] for span in matches(text, " limit of ")]
    assert found == ["Limit\nof", "li\xadmit of"]
    assert matches(text, "  ") == [] and matches(text, "a.c") == []


def test_names_that_rows_repeat_are_matched_once() -> None:
    text = written([["Nuclide", "Limit"], ["H-3", "100"], ["C-14", "10"]])
    assert text.count("Nuclide") == 3
    assert len(matches(text, "nuclide")) == 1 and len(matches(text, "C-14")) == 1
