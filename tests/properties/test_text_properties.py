"""What must hold for any text."""

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from services.language.quantities import quantities
from services.language.text.normal import normalise
from services.language.text.sentences import clauses, sentences
from services.language.text.words import compound_match, keyphrases, stems

WORDS = re.split(
    r"\s+",
    """Der Grenzwert beträgt 20 Millisievert im Kalenderjahr . (1) (2a) 1. 2. 3. § 78 Absatz 3
    Nr. 4 z. B. Abs. Die Behörde kann nicht zulassen , wenn und oder 27. Juni 2017 ? ! : ; zwei
    „Strahlung“ e.g. TypeIs `x` | - * # == def f(x): return Strahlen- schutz Vorsorge- ﬁnde a) b)
    … 1.000 3,5 % A\u0308rzte""",
)
SPACES = st.sampled_from([" ", " ", " ", "\n", "\r\n", "\n\n", "  ", "\t", "\n    ", "\x0c"])
LAW = st.lists(st.tuples(st.sampled_from(WORDS), SPACES), max_size=60).map(
    lambda pairs: "".join(word + space for word, space in pairs)
)
ANYTHING = st.text(max_size=200)
TEXTS = LAW | ANYTHING
LANGUAGES = st.sampled_from(["de", "en", "xx"])


@given(TEXTS)
def test_sentences_are_ordered_and_cover_the_text(text: str) -> None:
    spans = sentences(text)
    assert all(start < end for start, end in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))
    assert all(text[start:end] == text[start:end].strip() for start, end in spans)
    covered = "".join(text[start:end] for start, end in spans)
    assert re.sub(r"\s", "", covered) == re.sub(r"\s", "", text)


@given(TEXTS)
def test_clauses_divide_their_sentence(text: str) -> None:
    for start, end in sentences(text):
        spans = clauses(text, start, end)
        assert (spans[0][0], spans[-1][1]) == (start, end)
        assert all(one[1] <= other[0] for one, other in pairwise(spans))
        covered = "".join(text[a:b] for a, b in spans)
        assert re.sub(r"\s", "", covered) == re.sub(r"\s", "", text[start:end])


@given(TEXTS)
def test_normalising_twice_changes_nothing_more(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert not re.search(r"\s\s|[\t\r\n]", once)


@given(st.text(max_size=20), st.text(max_size=20))
def test_compounds_match_between_none_and_whole(one: str, other: str) -> None:
    assert 0.0 <= compound_match(one, other) <= 1.0
    assert compound_match(one, one) == 1.0


@given(TEXTS, LANGUAGES)
def test_quantities_stand_where_they_say(text: str, language: str) -> None:
    found = quantities(text, language)
    assert all(0 <= number.start < number.end <= len(text) for number in found)
    assert all(text.startswith(number.text, number.start) for number in found)
    assert all(one.end <= other.start for one, other in pairwise(found))


@given(TEXTS, LANGUAGES, st.integers(0, 5))
def test_keyphrases_are_few_and_distinct(text: str, language: str, limit: int) -> None:
    phrases = keyphrases(text, language, limit)
    assert len(phrases) == len(set(phrases)) <= limit


@given(TEXTS)
def test_stems_of_an_unknown_language_are_the_words(text: str) -> None:
    assert all(stem == stem.casefold() for stem in stems(text, "xx"))
