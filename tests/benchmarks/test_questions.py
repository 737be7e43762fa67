"""The gold is right: it stands in the texts, and no question gives it away."""

import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from services.evaluation.answers import QuestionRecord, groups_found
from services.ingestion.worker import parse
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.common import Row
from tests.benchmarks.multi_hop import BY_HAND, BY_RULE, ONE_QUESTION, places
from tests.benchmarks.multi_hop import SPANS as SPAN_FILE

HERE = Path(__file__).parent
SAMPLES = HERE.parent.parent / "kb" / "samples" / "strahlenschutz"
FINAL = QuestionRecord.load(HERE / "questions_strahlenschutz.jsonl")
DEV = QuestionRecord.load(HERE / "questions_dev.jsonl")
TYPES = {"factual", "comparison", "multi-hop", "enumeration", "temporal", "causal"}
_HEADING = re.compile(
    r"^(?P<label>§ \d+[a-z]?(?= (?!Absatz|Satz|Nummer|Buchstabe)[A-ZÄÖÜ])|Anlage \d+(?= \(zu))",
    re.MULTILINE,
)
REFERENCE = re.compile(r"§|Anlage \d|Absatz|verw[ei]+|bezieh|Vorschrift|Bestimmung|nach Maßgabe")
SPANS = list(common.read_lines(SPAN_FILE))


@cache
def sections(law: str) -> dict[str, str]:
    """Text of every section of a sample law by label, cut by a rule of this test's own."""
    pdfium = pytest.importorskip("pypdfium2")
    pages = [page.get_textpage().get_text_bounded() for page in pdfium.PdfDocument(SAMPLES / law)]
    text = "\n".join(pages).replace("\r\n", "\n").replace("\x02", "")
    heads = list(_HEADING.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {head["label"]: text[head.start() : end] for head, end in zip(heads, ends, strict=True)}


def gold_text(question: QuestionRecord) -> dict[str, str]:
    """The gold sections of a question; a missing one is a KeyError."""
    split = [gold.split(" ", 1) for gold in question.gold]
    return {f"{law} {label}": sections(f"{law}.pdf")[label] for law, label in split}


@pytest.mark.parametrize("question", FINAL + DEV, ids=lambda question: question.id)
def test_facts_stand_in_the_gold_sections_and_each_of_these_is_needed(
    question: QuestionRecord,
) -> None:
    texts = gold_text(question)
    found = {gold: groups_found(text, question.must) for gold, text in texts.items()}
    together = [any(column) for column in zip(*found.values(), strict=True)]
    assert together == [True] * len(question.must)
    assert all(any(flags) for flags in found.values()), found


@pytest.mark.parametrize("question", FINAL + DEV, ids=lambda question: question.id)
def test_a_question_names_no_section_and_none_of_its_facts(question: QuestionRecord) -> None:
    assert "§" not in question.q and "Anlage" not in question.q
    assert not any(groups_found(question.q, question.must))
    assert question.type in TYPES | {"unanswerable"}
    assert question.lang == "de"
    assert question.answerable == bool(question.gold) == bool(question.must)


def test_the_files_share_neither_questions_nor_sections() -> None:
    for chosen in (FINAL, DEV):
        assert len(chosen) == len({question.id for question in chosen}) == 10
        assert sum(not question.answerable for question in chosen) == 1
    assert not {q.id for q in FINAL} & {q.id for q in DEV}
    assert not {gold for q in FINAL for gold in q.gold} & {gold for q in DEV for gold in q.gold}


def test_questions_by_hand_name_no_section_and_no_reference() -> None:
    questions = common.load_questions(BY_HAND)
    assert len(questions) == 20
    assert [each.text for each in questions if REFERENCE.search(each.text)] == []
    assert all(len(each.gold) == 2 for each in questions)


def test_questions_put_as_one_are_of_other_sections_than_those_by_hand() -> None:
    questions = common.load_questions(ONE_QUESTION)
    assert [each.text for each in questions if REFERENCE.search(each.text)] == []
    by_hand = {section for each in common.load_questions(BY_HAND) for section in each.gold}
    assert all(len(each.gold) == 2 and not each.gold & by_hand for each in questions)


def test_there_are_forty_questions_by_rule_to_report() -> None:
    questions = common.load_questions(BY_RULE)
    assert sum(each.split == "test" for each in questions) >= 40
    assert all(len(each.gold) == 2 for each in questions)
    assert not any(re.search(r"§ ?\d|Anlage \d", each.text) for each in questions)


@cache
def extracted(document: str) -> str:
    found = list(Settings().samples.rglob(document))
    if not found:
        pytest.skip(f"{document} is not among the samples that this copy ships")
    return parse(found[0]).text


@pytest.mark.parametrize("question", SPANS, ids=lambda question: question["id"])
def test_every_gold_quote_is_found_exactly_once(question: Row) -> None:
    gold = question["gold"]
    assert [len(places(each["quote"], extracted(each["document"]))) for each in gold] == [1] * len(
        gold
    )


def test_there_are_ten_spans_of_each_kind_in_each_language() -> None:
    counts = Counter((question["lang"], question["kind"]) for question in SPANS)
    kinds = ("near", "paraphrased", "indirect")
    assert counts == {(language, kind): 10 for language in ("de", "en") for kind in kinds}
    assert len({question["id"] for question in SPANS}) == len(SPANS)


def test_no_span_question_is_asked_elsewhere_or_names_a_section() -> None:
    texts = {question["question"] for question in SPANS}
    assert not texts & {question.text for question in common.load_questions()}
    assert not any(mark in text for text in texts for mark in ("§", "Anlage 1", "PEP"))


def test_a_quote_is_found_across_line_breaks_and_nowhere_else() -> None:
    assert places("a.b c", "xa.b\n   cx a,b c") == [(1, 9)]
