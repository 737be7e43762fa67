"""When a question is refused: a function of what was found alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.ask.models import Found
from agent.ask.refusal import believed, left_without, too_far
from services.types import CacheStatistics

SHARE = st.floats(0.0, 1.0)
CACHE = CacheStatistics(size=0, hits=0, misses=0, hit_rate=0.0)


def found(relevance: float, coverage: float, **changes: object) -> Found:
    known = Found(
        searches=("?",),
        results=10,
        relevance=relevance,
        coverage=coverage,
        named=False,
        from_cache=False,
        cache=CACHE,
    )
    return known.model_copy(update=changes)


@pytest.mark.parametrize(
    ("relevance", "coverage", "language", "refused"),
    [
        (0.32, 0.24, "de", True),  # VAT, asked of the radiation protection law
        (0.49, 0.16, "de", False),  # the dose of pilots, which it regulates
        (0.35, 0.28, "en", True),
        (0.95, 0.41, "en", False),
    ],
)
def test_typical_questions(relevance: float, coverage: float, language: str, refused: bool) -> None:
    assert too_far(found(relevance, coverage), language) is refused


def test_nothing_found_is_refused_and_a_named_section_never() -> None:
    assert too_far(found(0.0, 0.0, results=0), "de")
    assert not too_far(found(0.0, 0.0, named=True), "de")


def test_across_languages_words_do_not_count() -> None:
    assert too_far(found(0.45, 0.0), "en")
    assert not too_far(found(0.45, 0.0, foreign=True), "en")
    assert too_far(found(0.2, 0.9, foreign=True), "en")


@given(SHARE, SHARE, SHARE, SHARE, st.sampled_from(["de", "en"]))
def test_more_evidence_never_turns_an_answer_into_a_refusal(
    relevance: float, coverage: float, more: float, wider: float, language: str
) -> None:
    if not too_far(found(relevance, coverage), language):
        stronger = found(max(relevance, more), max(coverage, wider))
        assert not too_far(stronger, language)


def test_a_definition_of_the_term_is_always_near_enough() -> None:
    assert not too_far(found(0.0, 0.0, defined=True), "de")
    assert not believed(found(0.0, 0.0, defined=True), "de")


def test_a_sentence_with_all_the_words_is_near_enough() -> None:
    assert not too_far(found(0.0, 0.1, said=True), "en")
    assert too_far(found(0.0, 0.1, said=True, results=0), "en")


@pytest.mark.parametrize(
    ("known", "is_believed"),
    [
        (found(0.4, 0.3), True),
        (found(0.5, 0.3), False),  # enough evidence: small models decline too readily
        (found(0.2, 0.0, foreign=True), False),
        (found(0.1, 0.1, named=True), False),
    ],
)
def test_a_model_that_declines_is_believed_on_weak_evidence(
    known: Found, is_believed: bool
) -> None:
    assert believed(known, "de") is is_believed


def test_quotes_that_have_the_words_of_the_question_answer_after_all() -> None:
    assert left_without(found(0.5, 0.3), 0.2)
    assert not left_without(found(0.5, 0.3), 0.6)
    assert not left_without(found(0.9, 0.5), 0.2)
    assert not left_without(found(0.1, 0.1, named=True), 0.2)
