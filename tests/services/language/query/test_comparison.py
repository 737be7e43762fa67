"""Both sides of a comparison become questions of their own, the shared head in both."""

import pytest

from services.language.query.parts import comparison_operands
from services.language.query.understand import understand


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        (
            "Vergleiche die Fristen für gewerbliche Mieter mit denen für private Mieter.",
            ("Fristen für gewerbliche Mieter", "Fristen für private Mieter"),
        ),
        (
            "Was unterscheidet die Zulassung von der Meldung beim Betrieb einer Anlage?",
            ("Zulassung beim Betrieb einer Anlage", "Meldung beim Betrieb einer Anlage"),
        ),
        ("Worin unterscheiden sich Lager und Depot?", ("Lager", "Depot")),
        (
            "Die Gebühren für Erwachsene gegenüber denen für Kinder",
            ("Gebühren für Erwachsene", "Gebühren für Kinder"),
        ),
        (
            "Was ist der Unterschied zwischen der Frist für Mieter und der für Vermieter?",
            ("Frist für Mieter", "Frist für Vermieter"),
        ),
        (
            "Compare the fees for adults with those for children.",
            ("fees for adults", "fees for children"),
        ),
        (
            "What is the difference between the notice period for tenants and for landlords?",
            ("period for tenants", "period for landlords"),
        ),
        (
            "Compare les frais pour les adultes avec ceux pour les enfants.",
            ("frais pour les adultes", "frais pour les enfants"),
        ),
        ("En quoi diffèrent un permis et une licence ?", ("permis", "licence")),
        (
            "Compara las tasas para adultos con las de los niños.",
            ("tasas para adultos", "tasas para niños"),
        ),
        ("¿En qué se diferencian un permiso y una licencia?", ("permiso", "licencia")),
        (
            "Vergleiche die Gebühr des Amts für Kinder mit der Gebühr des Amts für Erwachsene",
            ("Gebühr des Amts für Kinder", "Gebühr des Amts für Erwachsene"),
        ),
        ("Wie hoch ist die Gebühr?", None),
        ("Is vaccine A more effective than vaccine B?", ("vaccine A", "vaccine B")),
        ("Vor- und Nachteile von Gleitzeit und Schichtarbeit", ("Gleitzeit", "Schichtarbeit")),
    ],
)
def test_the_sides(question: str, sides: tuple[str, str] | None) -> None:
    assert comparison_operands(question) == sides


def test_a_comparison_is_searched_for_side_by_side_and_gets_depth_for_it() -> None:
    known = understand("Was unterscheidet die Zulassung von der Meldung beim Betrieb einer Anlage?")
    assert [part.split()[0] for part in known.subquestions] == ["Zulassung", "Meldung"]
    assert {"Zulassung", "Meldung"} <= set(known.classification.entities)
    assert known.complexity.score >= 0.35


def test_what_relates_without_comparing_stays_one_question() -> None:
    question = "Wie hängen Zulassung und Meldung zusammen?"
    assert understand(question).subquestions == (question,)
