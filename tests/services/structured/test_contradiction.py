"""Sentences of different sections that cannot both hold."""

import pytest

from services.domain import EvidenceSentence
from services.structured.findings import contradictions


def place(text: str, section: str) -> EvidenceSentence:
    return EvidenceSentence(
        document_id="d",
        document="d.txt",
        section=section,
        page=None,
        start=0,
        end=len(text),
        quote=text,
        context=text,
    )


def found(one: str, other: str, second: str = "§ 2") -> list[tuple[int, int, str]]:
    return contradictions([place(one, "§ 1"), place(other, second)], "de")


@pytest.mark.parametrize(
    ("one", "other", "differ"),
    [
        ("Die Frist beträgt 30 Tage.", "Die Frist beträgt 60 Tage.", True),
        ("Die Frist beträgt 30 Tage.", "Die Frist beträgt einen Monat und 30 Tage.", False),
        ("Die Frist beträgt 30 Tage.", "Die Frist beträgt 30 Tage.", False),
        ("Die Frist für Mieter beträgt 30 Tage.", "Die Frist beträgt 60 Tage.", False),
        (
            "Unter 18 Jahren beträgt die Dosis 1 Millisievert.",
            "Unter 16 Jahren beträgt die Dosis 2 Millisievert.",
            False,
        ),
    ],
)
def test_values_are_compared_where_all_else_is_the_same(one: str, other: str, differ: bool) -> None:
    assert bool(found(one, other)) is differ
    assert not found(one, other, second="§ 1"), "a section gives many values"
