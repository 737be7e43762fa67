"""Two texts beside each other: which words of one the other lacks, or names."""

from hypothesis import given
from hypothesis import strategies as st

from services.evidence.highlighting import (
    MarkedText,
    by_line,
    mark_differences,
    mark_query_words,
    named_share,
)


def marked(pieces: tuple[MarkedText, ...]) -> list[str]:
    return [piece.text for piece in pieces if piece.marked]


def test_each_side_marks_what_the_other_lacks_and_what_was_decisive() -> None:
    text = "Der Betreiber bewahrt die Aufzeichnungen zehn Jahre auf."
    other = (
        "Der Betreiber hat Messaufzeichnungen zehn Jahre aufzubewahren, wenn es die Behörde will."
    )
    sentence, quote = mark_differences(text, other, "de")
    assert not {"zehn", "Betreiber"} & {*marked(sentence)}
    assert "Behörde" in " ".join(marked(quote)) and "Betreiber" not in marked(quote)
    assert "wenn" not in " ".join(marked(quote)), "a word of grammar decides nothing by itself"
    sentence, _ = mark_differences(
        "Der grüne Frosch quakt.", "Der Frosch schweigt.", "de", ["Frosch"]
    )
    assert marked(sentence) == ["grüne Frosch quakt"]


def test_a_passage_marks_what_a_query_of_either_language_names() -> None:
    found = mark_query_words(
        "The limits of doses in § 5.2 and § 2", "Which dose limit for the § 2?"
    )
    assert marked(found) == ["limits", "doses", "2"]
    assert marked(mark_query_words("Die Dosisgrenzwerte und die Dosis", "Was ist die Dosis?")) == [
        "Dosisgrenzwerte",
        "Dosis",
    ]


def test_the_cell_that_a_query_asks_for_is_marked_in_its_row_alone() -> None:
    rows = "Tool: Ladder | Price: 120 | Keeper: Ida\nTool: Rope | Price: 7 | Keeper: Rosa"
    assert marked(mark_query_words(rows, "What is the price of the rope?")) == [
        "Price",
        "Rope",
        "Price: 7",
    ]
    group = "South | Tool: Rope | 2024: 7 | 2025: 8"
    assert marked(mark_query_words(group, "What did a rope in the south cost in 2025?")) == [
        "South",
        "Rope",
        "2025: 8",
    ]
    assert "Price: 120" not in marked(mark_query_words(rows, "Which price?"))


def test_the_only_number_of_a_row_is_marked_where_no_head_is_named() -> None:
    rows = "County: Kent | Plan: Alder | Total: 72\nCounty: Kent | Plan: Birch | Total: 9"
    assert "Total: 9" in marked(mark_query_words(rows, "How many chose Birch in Kent?"))
    rows = "County: Kent | Plan: Birch | Men: 9 | Women: 7"
    assert marked(mark_query_words(rows, "How many chose Birch in Kent?")) == ["Kent", "Birch"]


def test_the_share_of_a_query_that_a_text_names() -> None:
    assert named_share("Tool: Rope | Price: 7", "What are the prices of a rope and a saw?") == 2 / 3
    assert named_share("Rope", "Which?") == 0


def test_runs_are_told_by_line() -> None:
    lines = by_line(mark_query_words("a rope\nrope b", "rope"))
    assert ["".join(piece.text for piece in line) for line in lines] == ["a rope", "rope b"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_pieces_are_the_texts(sentence: str, quote: str) -> None:
    found = (*mark_differences(sentence, quote, "en"), mark_query_words(quote, sentence))
    for text, pieces in zip((sentence, quote, quote), found, strict=True):
        assert "".join(piece.text for piece in pieces) == text
