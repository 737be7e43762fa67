"""Which quotes stand under which part of a question."""

import pytest

from agent.research.coverage import Part, coverage, overall
from agent.research.outline import deal, heading_of
from agent.research.plans import parts_of
from services.domain import Certainty, EvidenceSentence


def sentence(name: str, start: int) -> EvidenceSentence:
    return EvidenceSentence(
        document_id="d", document="d.txt", section="", page=None,
        start=start, end=start + 9, quote=f"Satz {name}", context="",
    )  # fmt: skip


A, B, C = sentence("a", 0), sentence("b", 10), sentence("c", 20)


def part(certainty: Certainty, *ranked: tuple[float, EvidenceSentence]) -> Part:
    return Part(text="?", certainty=certainty, ranked=ranked)


def test_each_quote_goes_to_the_part_that_it_answers_best_and_the_best_of_a_part_stays() -> None:
    first = part("answered", (0.9, A), (0.85, B), (0.8, C))
    second = part("answered", (0.7, B), (0.1, A), (0.1, C))
    assert deal([first, second], [A, B, C]) == [[A, C], [B]]


def test_what_answers_far_less_surely_than_the_best_is_no_quote() -> None:
    assert deal([part("answered", (0.9, A), (0.2, B))], [A, B]) == [[A]]


def test_a_refused_part_has_no_quote_but_what_was_restored() -> None:
    refused = part("refused", (0.05, A), (0.04, B))
    assert deal([refused], [A, B]) == [[]]
    assert deal([refused], [A, B], [B]) == [[B]]
    assert deal([part("answered", (0.9, A), (0.8, C), (0.1, B))], [A, B, C], [B]) == [[A, B, C]]


@pytest.mark.parametrize(
    ("certainties", "share", "best"),
    [
        (("answered", "refused"), 0.5, "answered"),
        (("perhaps", "refused"), 0.25, "perhaps"),
        (("refused",), 0.0, "refused"),
        ((), 0.0, "refused"),
    ],
)
def test_coverage_is_the_share_of_answered_parts(
    certainties: tuple[Certainty, ...], share: float, best: Certainty
) -> None:
    assert coverage([part(each) for each in certainties]) == share
    assert overall(certainties) == best


def test_a_part_that_says_little_alone_takes_the_first_along_and_is_headed_by_itself() -> None:
    parts = parts_of("Wie oft wird der Lärm gemessen, und in welcher Form?", "de")
    assert parts == (
        "Wie oft wird der Lärm gemessen",
        "in welcher Form (Wie oft wird der Lärm gemessen)",
    )
    assert heading_of(parts[1]) == "In welcher Form"
