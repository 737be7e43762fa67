"""Which sentences of a task are quoted."""

from agent.ranking import RankedSentence
from agent.research.phases.extract import with_second_document
from services.domain import EvidenceSentence


def ranked(score: float, document: str, start: int) -> RankedSentence:
    sentence = EvidenceSentence(
        document_id=document, document=document, section="", page=None,
        start=start, end=start + 9, quote=f"Satz {start}", context="",
    )  # fmt: skip
    return score, sentence


A, B, C = ranked(0.9, "one", 0), ranked(0.88, "one", 10), ranked(0.85, "one", 20)


def test_another_document_that_is_nearly_as_good_comes_third() -> None:
    other = ranked(0.8, "two", 0)
    assert with_second_document([A, B, C], [A, B, C, other]) == [A, B, other, C]
    assert with_second_document([A], [A, other]) == [A, other]


def test_a_poor_sentence_of_another_document_is_not_quoted() -> None:
    poor = ranked(0.5, "two", 0)
    assert with_second_document([A, B, C], [A, B, C, poor]) == [A, B, C]


def test_two_documents_are_enough() -> None:
    other, third = ranked(0.8, "two", 0), ranked(0.8, "three", 0)
    assert with_second_document([A, other], [A, other, third]) == [A, other]
