"""The tables, examples and overrides of the founding document."""

import pytest

from services.domain.value import Language
from services.language.query.keywords import KEYWORDS, KINDS
from services.language.query.understand import (
    complexity,
    is_ambiguous,
    level_of,
    understand,
)
from services.language.query.values import Classification
from tests.support.desk import READER

WORKED_EXAMPLE = "Compare les avantages et inconvenients du processus X par rapport a Y"


def test_thresholds_may_be_others() -> None:
    assert level_of(0.4, enhanced=0.3, agent=0.4) == "complex"
    assert level_of(0.3, enhanced=0.1 + 0.2, agent=0.4) == "moderate"
    question = "Wie unterscheiden sich Anzeige und Genehmigung?"
    usual, lowered = understand(question), understand(question, enhanced=0.1, agent=0.2)
    assert lowered.complexity.score == usual.complexity.score
    assert (usual.complexity.level, lowered.complexity.level) == ("moderate", "complex")


@pytest.mark.parametrize(
    ("question", "language"),
    [
        (WORKED_EXAMPLE, "fr"),
        ("Vergleiche die Vor- und Nachteile von Verfahren X gegenüber Y", "de"),
        ("Compare the advantages and disadvantages of process X compared to Y", "en"),
        ("Compara las ventajas y desventajas del proceso X frente a Y", "es"),
    ],
)
def test_worked_example(question: str, language: Language) -> None:
    """Two things, three questions: for each of them, and for what differs."""
    found = understand(question, language=language, reader=READER)
    assert found.classification.type == "comparative"
    assert len(found.classification.entities) == 2
    assert found.complexity.score == pytest.approx(41 / 60, abs=1e-9)
    assert found.complexity.level == "complex"
    assert {"names 2 things", "asks 3 questions"} <= set(found.complexity.reasons)


def test_about_forty_five_keywords_cover_five_kinds_in_four_languages() -> None:
    assert all(tuple(table) == KINDS for table in KEYWORDS.values())
    total = sum(len(patterns) for table in KEYWORDS.values() for patterns in table.values())
    assert 40 <= total <= 50


def test_floors_raise_a_score_and_what_is_named_is_not_ambiguous() -> None:
    many = Classification(type="analytical", confidence=0.2, entities=("A", "B", "C", "D"))
    found = complexity("why compare", many, language="en", subquestions=4, about_database=True)
    assert found.score > 0.75
    assert understand("Was ist Radon?").complexity.level == "ambiguous"
    assert understand("Was ist Radon?", known_names=("Radon",)).complexity.level != "ambiguous"
    looked_up = understand("Was ist Radon?", lookup=lambda phrases: set(phrases) & {"Radon"})
    assert looked_up.complexity.level != "ambiguous"
    assert not is_ambiguous("Zu den Grenzwerten:\n- Was gilt für A?\n- Was gilt für B?", "de")
