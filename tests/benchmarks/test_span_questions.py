"""The gold is right: every quote stands exactly once in the text that the product extracts."""

from collections import Counter
from functools import cache

import pytest

from services.ingestion.worker import parse
from services.settings import Settings
from tests.benchmarks.retrieval_corpus import load_questions
from tests.benchmarks.span_questions import Passage, SpanQuestion, load_span_questions

QUESTIONS = load_span_questions()


@cache
def extracted(document: str) -> str:
    found = list(Settings().samples.rglob(document))
    if not found:
        pytest.skip(f"{document} is not among the samples that this copy ships")
    return parse(found[0]).text


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.question_id)
def test_every_gold_quote_is_found_exactly_once(question: SpanQuestion) -> None:
    counts = [len(passage.places(extracted(passage.document))) for passage in question.gold]
    assert counts == [1] * len(counts)


def test_there_are_ten_questions_of_each_kind_in_each_language() -> None:
    counts = Counter((question.language, question.kind) for question in QUESTIONS)
    kinds = ("near", "paraphrased", "indirect")
    assert counts == {(language, kind): 10 for language in ("de", "en") for kind in kinds}
    assert len({question.question_id for question in QUESTIONS}) == len(QUESTIONS)


def test_no_question_is_asked_elsewhere_or_names_a_section() -> None:
    assert not {q.text for q in QUESTIONS} & {q.text for q in load_questions()}
    assert not any(mark in q.text for q in QUESTIONS for mark in ("§", "Anlage 1", "PEP"))


def test_a_quote_is_found_across_line_breaks_and_nowhere_else() -> None:
    passage = Passage("any", "a.b c")
    assert passage.places("xa.b\n   cx a,b c") == [(1, 9)]
