"""What holds for every question and every count."""

from fractions import Fraction
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from services.language.query.dates import date_range
from services.language.query.understand import (
    factors_of,
    level_of,
    subquestions,
    understand,
    weighted,
)
from services.language.query.values import QueryType

kinds = st.sampled_from(get_args(QueryType))
counts = st.integers(0, 12)
parts = st.integers(1, 12)
confidences = st.integers(0, 100).map(lambda n: n / 100)
TYPE_FACTOR = {"relational": Fraction(1, 2), "exploratory": Fraction(1, 2),
               "analytical": Fraction(1), "comparative": Fraction(1)}  # fmt: skip


def exact(kind: str, confidence: float, entities: int, subs: int, words: int) -> Fraction:
    """The formula in fractions, where nothing is lost."""
    low = (Fraction(7, 10) - Fraction(round(confidence * 100), 100)) / Fraction(1, 2)
    return (
        Fraction(25, 100) * TYPE_FACTOR.get(kind, Fraction(0))
        + Fraction(20, 100) * min(Fraction(entities, 4), Fraction(1))
        + Fraction(20, 100) * min(Fraction(subs - 1, 3), Fraction(1))
        + Fraction(20, 100) * min(Fraction(words, 4), Fraction(1))
        + Fraction(15, 100) * min(max(low, Fraction(0)), Fraction(1))
    )


@given(kinds, confidences, counts, parts, counts)
def test_the_score_and_its_level_are_exact(
    kind: QueryType, confidence: float, entities: int, subs: int, words: int
) -> None:
    score = weighted(
        factors_of(kind, confidence, entities=entities, subquestions=subs, keywords=words)
    )
    wanted = exact(kind, confidence, entities, subs, words)
    assert abs(score - float(wanted)) < 1e-9
    assert 0.0 <= score <= 1.0
    level = (
        "complex" if wanted >= Fraction(55, 100)
        else "moderate" if wanted >= Fraction(35, 100)
        else "simple"
    )  # fmt: skip
    assert level_of(score) == level


@given(kinds, confidences, counts, parts, counts)
def test_more_of_anything_never_lowers_the_score(
    kind: QueryType, confidence: float, entities: int, subs: int, words: int
) -> None:
    def score(e: int, s: int, w: int, c: float) -> float:
        return weighted(factors_of(kind, c, entities=e, subquestions=s, keywords=w))

    least = score(entities, subs, words, confidence)
    assert score(entities + 1, subs, words, confidence) >= least
    assert score(entities, subs + 1, words, confidence) >= least
    assert score(entities, subs, words + 1, confidence) >= least
    assert score(entities, subs, words, max(0.0, confidence - 0.1)) >= least


@given(st.text(max_size=200), st.sampled_from(["de", "en", "fr", "es", "it"]))
def test_any_text_is_understood(text: str, language: str) -> None:
    found = understand(text, language=language)
    assert found.subquestions
    assert 0.0 <= found.complexity.score <= 1.0
    assert 0.3 <= found.classification.confidence <= 0.95


@given(st.text(alphabet="wasiedrundofzchn ,?„“-\n§0123456789", max_size=120))
def test_splitting_loses_no_word(text: str) -> None:
    """Every number is in one of the parts."""
    parts = subquestions(text, "de")
    joined = " ".join(parts)
    wanted = [word for word in text.split() if word.isdigit()]
    have = joined.split()
    if len(parts) < 8:
        assert all(word in have or any(word in other for other in have) for word in wanted)


@given(st.dates(), st.dates())
def test_a_span_is_read_back(one: object, other: object) -> None:
    first, last = sorted((one, other))  # type: ignore[type-var]
    if first.year < 1900 or last.year > 2099:  # type: ignore[attr-defined]
        return
    found = date_range(f"What happened between {first} and {last}?", "en")
    assert found is not None
    assert (found.since, found.until) == (first, last)
