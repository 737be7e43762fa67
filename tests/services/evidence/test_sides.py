"""A sentence beside its quote: what the other lacks is marked, and nothing is lost."""

from hypothesis import given
from hypothesis import strategies as st

from services.evidence.sides import Piece, sides

SENTENCE = "Der Betreiber bewahrt die Aufzeichnungen zehn Jahre auf."
QUOTE = "Der Betreiber hat Messaufzeichnungen zehn Jahre aufzubewahren, wenn die Behörde es will."


def marked(pieces: tuple[Piece, ...]) -> list[str]:
    return [piece.text for piece in pieces if piece.marked]


def test_each_side_marks_what_the_other_lacks() -> None:
    sentence, quote = sides(SENTENCE, QUOTE, "de")
    assert "zehn" not in marked(sentence) and "Betreiber" not in marked(sentence)
    assert "Behörde" in marked(quote) and "Betreiber" not in marked(quote)
    assert "wenn" not in " ".join(marked(quote)), "a word of grammar decides nothing by itself"


def test_words_that_stand_together_are_one_mark_and_decisive_ones_are_marked() -> None:
    sentence, _ = sides("Der grüne Frosch quakt.", "Der Frosch schweigt.", "de", ["Frosch"])
    assert marked(sentence) == ["grüne Frosch quakt"]


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_pieces_are_the_texts(sentence: str, quote: str) -> None:
    for text, pieces in zip((sentence, quote), sides(sentence, quote, "en"), strict=True):
        assert "".join(piece.text for piece in pieces) == text
