"""The tables, examples and overrides of the founding document."""

from typing import get_args

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


@pytest.mark.parametrize(
    ("kind", "factor"),
    [
        ("factual", 0.0), ("procedural", 0.0), ("relational", 0.5), ("exploratory", 0.5),
        ("analytical", 1.0), ("comparative", 1.0),
    ],
)  # fmt: skip
def test_factor_of_the_type(kind: QueryType, factor: float) -> None:
    factors = factors_of(kind, 0.7, entities=0, subquestions=1, keywords=0)
    assert factors.query_type == factor


@pytest.mark.parametrize(
    ("count", "things", "parts"),
    [(0, 0, 0), (1, 0.25, 0), (2, 0.5, 1 / 3), (3, 0.75, 2 / 3), (4, 1, 1), (9, 1, 1)],
)
def test_factors_of_counts(count: int, things: float, parts: float) -> None:
    factors = factors_of("factual", 0.7, entities=count, subquestions=count, keywords=count)
    assert factors.entity_count == factors.keyword_matches == things
    assert factors.subquestion_count == pytest.approx(parts, abs=1e-9)


@pytest.mark.parametrize(
    ("confidence", "factor"), [(0.9, 0), (0.7, 0), (0.6, 0.2), (0.45, 0.5), (0.2, 1), (0.0, 1)]
)
def test_factor_of_low_confidence(confidence: float, factor: float) -> None:
    factors = factors_of("factual", confidence, entities=0, subquestions=1, keywords=0)
    assert factors.low_confidence == factor


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


@pytest.mark.parametrize(
    ("value", "level"),
    [
        (0.0, "simple"), (0.349999, "simple"), (0.35, "moderate"), (0.1 + 0.25, "moderate"),
        (0.5499999999999999, "complex"), (0.549, "moderate"), (0.55, "complex"), (1.0, "complex"),
    ],
)  # fmt: skip
def test_levels(value: float, level: str) -> None:
    assert level_of(value) == level


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


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Vergleiche A mit B", "comparative"),
        ("Pourquoi ce refus ?", "analytical"),
        ("Which steps are needed?", "procedural"),
        ("Resumen del informe", "exploratory"),
        ("Wer unterschreibt den Vertrag?", "factual"),
        ("ok", "unknown"),
    ],
)
def test_without_heads_the_keywords_decide(question: str, kind: QueryType) -> None:
    assert classify(question, detect_language(question)).type == kind


@pytest.mark.parametrize(
    "question",
    [
        "combien de documents ?",
        "list all docs",
        "wie viele Dokumente",
        "¿Cuántos documentos hay en la base de datos?",
    ],
)
def test_questions_about_the_database_are_lifted(question: str) -> None:
    found = understand(question)
    assert found.about_database
    assert found.complexity.score >= 0.75
    assert found.complexity.level == "complex"


def test_a_higher_score_than_the_floor_stays() -> None:
    many = Classification(type="analytical", confidence=0.2, entities=("A", "B", "C", "D"))
    found = complexity("why compare", many, language="en", subquestions=4, about_database=True)
    assert found.score > 0.75


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Was ist Dosis?", "de"),
        ("Und das? Oder nicht?", "de"),
        ("Soll es heute oder morgen oder gar nicht sein", "de"),
        ("le bail ou le garant ou le loyer", "fr"),
        ("is it this or that or both of them", "en"),
        ("el plazo o la fecha o el importe", "es"),
    ],
)
def test_ambiguous(question: str, language: str) -> None:
    found = understand(question, language=language).complexity
    assert found.level == "ambiguous"
    assert found.score >= 0.65
    assert "ambiguous as it stands" in found.reasons


@pytest.mark.parametrize(
    "question", ["§ 78 StrlSchG", "PEP 604?", "§ 5? § 6?", "Art. 5", "StrlSchV.pdf?"]
)
def test_what_names_a_section_or_document_is_not_ambiguous(question: str) -> None:
    assert understand(question).complexity.level != "ambiguous"


def test_what_names_something_known_is_not_ambiguous() -> None:
    assert understand("Was ist Radon?").complexity.level == "ambiguous"
    assert understand("Was ist Radon?", known=("Radon",)).complexity.level != "ambiguous"


def test_bullets_with_question_marks_are_not_ambiguous() -> None:
    assert not is_ambiguous("Zu den Grenzwerten:\n- Was gilt für A?\n- Was gilt für B?", "de")


def test_every_type_has_a_factor() -> None:
    for kind in get_args(QueryType):
        assert 0.0 <= score(kind, 0.5, 1, 1, 1) <= 1.0
