"""Sentences on several parts of a question: what of them holds, and of which part."""

import pytest

from agent.ask.structured.parts import checked_parts, sides_of
from services.evidence import EvidenceSentence

WORKERS, PUBLIC = "limits for workers", "limits for the public"
ITEMS = (WORKERS, PUBLIC)


def place(text: str, start: int) -> EvidenceSentence:
    return EvidenceSentence(
        document_id="d", document="d.txt", page=1, section=f"§ {start}", start=start,
        end=start + len(text), text=text, context=text,
    )  # fmt: skip


POOL = [
    place("The limits for workers are 20 millisievert in a calendar year.", 0),
    place("The limits for the public are 1 millisievert in a calendar year.", 100),
]


def test_what_two_places_prove_together_stays_as_it_is() -> None:
    text = (
        "The limits for workers are 20 millisievert in a calendar year, while the limits for the "
        "public are 1 millisievert in a calendar year."
    )
    kept, left_out = checked_parts(text, ITEMS, POOL, "en")
    assert [each.text for each in kept] == [text] and not left_out
    assert {each.start for each in kept[0].citations} == {0, 100}


def test_a_side_that_does_not_hold_is_left_out_alone() -> None:
    text = (
        "The limits for workers are 20 millisievert in a calendar year, while the limits for the "
        "public are 7 millisievert in a calendar year."
    )
    kept, left_out = checked_parts(text, ITEMS, POOL, "en")
    assert [each.text for each in kept] == [POOL[0].text]
    assert any("7 millisievert" in each for each in left_out)


def test_what_is_said_of_one_part_does_not_rest_on_another() -> None:
    other = [place("The limits for workers are reviewed by the authority every year.", 0)]
    text = "The limits for the public are reviewed by the authority every year."
    kept, left_out = checked_parts(text, ITEMS, other, "en")
    assert not any(each.supported for each in kept)
    assert not left_out or "another part" in left_out[0]


@pytest.mark.parametrize(
    ("text", "language", "sides"),
    [
        ("Workers have 20, while the public has 1.", "en", 2),
        ("Workers stay out, while the plant runs.", "en", 0),
        ("Workers have 20.", "en", 0),
        ("Workers have 20, während public 1 hat.", "de", 1),
    ],
)
def test_only_clauses_on_two_parts_are_taken_apart(text: str, language: str, sides: int) -> None:
    items = ("workers", "public")
    assert len(sides_of(text, items, language)) == sides
