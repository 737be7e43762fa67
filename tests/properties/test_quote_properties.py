"""A quote is found where its words stand, whatever the layout, and nowhere else."""

import re

from hypothesis import assume, given
from hypothesis import strategies as st

from agent.reading.prove import QuotedText

WORDS = st.text("abcdefgäöüßé", min_size=1, max_size=9)
NUMBERS = st.one_of(
    st.integers(0, 99_999).map(str),
    st.decimals(-99, 99, places=2, allow_nan=False).map(str),
    st.integers(1, 999).map(lambda n: f"{n}.000,50"),
)
TOKENS = st.lists(st.one_of(WORDS, WORDS, NUMBERS), min_size=4, max_size=30)
SPACES = st.sampled_from([" ", "\n", "  ", "\u00a0", "\t"])


def found(text: str, quote: str, language: str = "de") -> list[str]:
    return [text[start:end] for start, end in QuotedText(text, language).find(quote)]


def squeezed(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().casefold()


@given(TOKENS, st.data())
def test_words_that_stand_there_are_found_in_any_layout(
    tokens: list[str], data: st.DataObject
) -> None:
    first = data.draw(st.integers(0, len(tokens) - 3))
    last = data.draw(st.integers(first + 2, len(tokens) - 1))
    text = "".join(token + data.draw(SPACES) for token in tokens)
    quote = " ".join(tokens[first : last + 1]).upper()
    assume(len(re.sub(r"\W", "", quote)) >= 8 and "ẞ" not in quote)
    (place,) = found(text, quote)
    assert squeezed(place) == squeezed(quote)


@given(TOKENS, st.integers(0, 9), st.data())
def test_another_digit_is_not_found(tokens: list[str], digit: int, data: st.DataObject) -> None:
    text = " ".join([*tokens, "12345", *tokens[::-1]])
    at = data.draw(st.integers(0, 4))
    changed = "1234567"[:at] + str(digit) + "12345"[at + 1 :]
    assume(changed != "12345" and changed not in text)
    assert not found(text, f"{tokens[-1]} {changed} {tokens[-1]}")


@given(TOKENS, st.sampled_from(["nicht", "not", "kein", "-"]), st.data())
def test_a_word_less_or_more_is_not_found(
    tokens: list[str], word: str, data: st.DataObject
) -> None:
    at = data.draw(st.integers(1, len(tokens) - 1))
    with_word = [*tokens[:at], word if word != "-" else "-7", *tokens[at:]]
    without = tokens if word != "-" else [*tokens[:at], "7", *tokens[at:]]
    assume(len("".join(tokens)) >= 8)
    assert not found(" ".join(with_word), " ".join(without))
    assert not found(" ".join(without), " ".join(with_word))


@given(st.text(max_size=200), st.text(max_size=60))
def test_any_text_gives_spans_of_the_text_in_order(text: str, quote: str) -> None:
    spans = QuotedText(text, "en").find(quote)
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert list(spans) == sorted(spans)
