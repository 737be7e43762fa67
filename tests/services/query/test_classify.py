"""Types, confidence and the dev half of the labelled questions."""

import json
from collections import defaultdict
from pathlib import Path

import pytest

from services.query.classify import classify, question_type
from services.query.values import QueryType

FOLDER = Path(__file__).parents[2] / "data" / "query_types"
QUESTIONS = FOLDER / "questions.jsonl"
FRESH = FOLDER / "fresh.jsonl"


@pytest.mark.parametrize(
    ("question", "language", "expected"),
    [
        ("What is the relationship between A and B?", "en", "relational"),
        ("Compare the 2018 ordinance with the draft", "en", "comparative"),
        ("Summarize the report", "en", "exploratory"),
        ("How to apply for a licence?", "en", "procedural"),
        ("Why is the limit so low?", "en", "analytical"),
        ("Beziehung zwischen Betreiber und Behörde", "de", "relational"),
        ("Vergleich der beiden Verordnungen", "de", "comparative"),
        ("Zusammenfassung des Gutachtens", "de", "exploratory"),
        ("Wie kann ich die Anlage anmelden?", "de", "procedural"),
        ("Warum gilt das nicht für Piloten?", "de", "analytical"),
        ("Quelle est la relation entre le bailleur et le garant ?", "fr", "relational"),
        ("Comparé au contrat de 2015, que vaut celui-ci ?", "fr", "comparative"),
        ("Résumé du rapport", "fr", "exploratory"),
        ("Comment faire une déclaration ?", "fr", "procedural"),
        ("Pourquoi ce refus ?", "fr", "analytical"),
        ("Relación entre el titular y el supervisor", "es", "relational"),
        ("Comparar los dos contratos", "es", "comparative"),
        ("Resumen del informe", "es", "exploratory"),
        ("¿Cómo hacer una reclamación?", "es", "procedural"),
        ("¿Por qué se rechazó?", "es", "analytical"),
    ],
)
def test_patterns_of_the_founding_document(
    question: str, language: str, expected: QueryType
) -> None:
    kind, confidence = question_type(question, language)
    assert kind == expected
    assert confidence > 0.5


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What powers the pump?", "en"),
        ("Ist der Raum beheizt?", "de"),
        ("Qui dort ici ?", "fr"),
        ("¿Qué bebe el gato?", "es"),
    ],
)
def test_question_words_of_facts_decide_last(question: str, language: str) -> None:
    kind, confidence = question_type(question, language)
    assert kind == "factual"
    assert confidence in (0.6, 0.8)


def test_question_words_of_manner_are_analytical() -> None:
    assert question_type("How green was the valley", "en") == ("analytical", 0.5)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Strahlenschutz", "de"),
        ("thanks a lot", "en"),
        ("und der andere?", "de"),
        ("et pour elle ?", "fr"),
        ("lo mismo", "es"),
        ("", "en"),
        ("?!", "de"),
    ],
)
def test_what_asks_nothing_is_unknown(question: str, language: str) -> None:
    assert question_type(question, language) == ("unknown", 0.3)


def test_confidence_follows_from_the_points() -> None:
    assert question_type("Why?!", "en")[1] == 0.95
    alone = question_type("Vergleiche A mit B", "de")[1]
    torn = question_type("Vergleiche die Schritte für A mit denen für B", "de")[1]
    assert alone == 0.95 > torn >= 0.55


@pytest.mark.parametrize("language", ["fr", "es"])
def test_accents_may_be_left_out(language: str) -> None:
    given = {
        "fr": ("Résumé de l'arrêté", "Resume de l'arrete"),
        "es": ("¿Cómo hacerlo?", "como hacerlo?"),
    }
    with_accents, without = given[language]
    assert question_type(with_accents, language) == question_type(without, language)


def test_a_language_without_patterns_is_tried_with_all() -> None:
    assert question_type("Compare e contraste", "pt")[0] == "comparative"


def test_a_very_long_message_is_answered_in_time() -> None:
    assert classify("warum " * 20_000, "de").type == "analytical"


@pytest.mark.parametrize(
    ("opened", "plain", "language"),
    [
        ("Could you tell me how we get a licence?", "How we get a licence?", "en"),
        ("Sag mal, welche Behörde beaufsichtigt uns?", "Welche Behörde beaufsichtigt uns?", "de"),
        ("Dites-moi qui a signé le bail ?", "Qui a signé le bail ?", "fr"),
        ("¿Podrías decirme cuándo vence el plazo?", "¿Cuándo vence el plazo?", "es"),
    ],
)
def test_openers_change_nothing(opened: str, plain: str, language: str) -> None:
    assert question_type(opened, language) == question_type(plain, language)


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("In the deed of 2019, who signed for the seller?", "en"),
        ("Nach dem Vertrag vom 12. Juni, wo liegt der Gerichtsstand?", "de"),
        ("Dans le bail de 2019, qui représente le bailleur ?", "fr"),
        ("En el acta de marzo, quién firmó por la empresa", "es"),
    ],
)
def test_a_phrase_in_front_hides_no_question_word(question: str, language: str) -> None:
    assert question_type(question, language) == ("factual", 0.8)


def test_points_of_dates_and_numbers_end_no_sentence() -> None:
    question = "Worauf sich der Bescheid vom 12. Juni nach Art. 5 der Verordnung stützt?"
    assert question_type(question, "de")[0] == "relational"


@pytest.mark.parametrize(("file", "half"), [(QUESTIONS, "dev"), (FRESH, "first")])
def test_the_half_for_development(file: Path, half: str) -> None:
    """At least 0.97 in every language; halves kept aside are measured by hand."""
    right: dict[str, list[bool]] = defaultdict(list)
    for line in file.read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        if record["half"] == half:
            found = classify(record["question"])
            right[record["language"]].append(found.type == record["type"].lower())
    assert set(right) == {"en", "de", "fr", "es"}
    assert min(sum(marks) / len(marks) for marks in right.values()) >= 0.97
