"""The tables, examples and overrides of the founding document."""

import pytest

from services.language.query.complexity import (
    complexity,
    factors_of,
    is_ambiguous,
    level_of,
    weighted,
)
from services.language.query.keywords import KEYWORDS, KINDS, keywords
from services.language.query.language import detect_language
from services.language.query.understand import classify, understand
from services.language.query.values import Classification, QueryType

WORKED_EXAMPLE = "Compare les avantages et inconvenients du processus X par rapport a Y"


def score(kind: QueryType, confidence: float, entities: int, parts: int, words: int) -> float:
    return weighted(
        factors_of(kind, confidence, entities=entities, subquestions=parts, keywords=words)
    )


def test_comparing_two_things_with_two_keywords() -> None:
    """0.45, then 0.50 with a third thing and 0.55, the agent's, with a third keyword."""
    assert score("comparative", 0.7, 2, 1, 2) == 0.45
    assert score("comparative", 0.7, 3, 1, 2) == 0.50
    assert score("comparative", 0.7, 3, 1, 3) == 0.55
    assert level_of(score("comparative", 0.7, 2, 1, 2)) == "moderate"
    assert level_of(score("comparative", 0.7, 3, 1, 3)) == "complex"


def test_a_sum_on_the_border_takes_the_agent_route() -> None:
    """0.25 for the type, 0.15 for three things, 0.15 for no confidence."""
    on_border = score("analytical", 0.2, 3, 1, 0)
    assert on_border == 0.55
    assert level_of(on_border) == "complex"


def test_thresholds_may_be_others() -> None:
    assert level_of(0.4, enhanced=0.3, agent=0.4) == "complex"
    assert level_of(0.3, enhanced=0.1 + 0.2, agent=0.4) == "moderate"


def test_one_strong_signal_alone_is_no_case_for_the_agent() -> None:
    assert level_of(score("analytical", 0.9, 0, 1, 0)) == "simple"


def test_worked_example() -> None:
    assert len(keywords(WORKED_EXAMPLE, "fr")) == 4
    found = complexity(
        WORKED_EXAMPLE,
        Classification(type="comparative", confidence=0.7, entities=("X", "Y")),
        language="fr",
        subquestions=3,
    )
    assert found.score == pytest.approx(41 / 60, abs=1e-9)
    assert round(found.score, 3) == 0.683
    assert found.level == "complex"
    assert found.factors.entity_count == 0.5
    assert "speaks of compare, avantages, inconvenients, processus" in found.reasons


def test_worked_example_is_read_as_the_document_reads_it() -> None:
    found = classify(WORKED_EXAMPLE, detect_language(WORKED_EXAMPLE))
    assert found.type == "comparative" and {"X", "Y"} <= set(found.entities)


def test_about_forty_five_keywords_cover_five_kinds_in_four_languages() -> None:
    assert all(tuple(table) == KINDS for table in KEYWORDS.values())
    total = sum(len(patterns) for table in KEYWORDS.values() for patterns in table.values())
    assert 40 <= total <= 50


def test_a_higher_score_than_the_floor_stays() -> None:
    many = Classification(type="analytical", confidence=0.2, entities=("A", "B", "C", "D"))
    found = complexity("why compare", many, language="en", subquestions=4, about_database=True)
    assert found.score > 0.75


def test_what_names_something_known_is_not_ambiguous() -> None:
    assert understand("Was ist Radon?").complexity.level == "ambiguous"
    assert understand("Was ist Radon?", known=("Radon",)).complexity.level != "ambiguous"


def test_bullets_with_question_marks_are_not_ambiguous() -> None:
    assert not is_ambiguous("Zu den Grenzwerten:\n- Was gilt für A?\n- Was gilt für B?", "de")
