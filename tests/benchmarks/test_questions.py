"""The gold is right: every fact stands in a gold section, and no question gives it away."""

import re
from functools import cache
from pathlib import Path

import pytest

from services.evaluation.answers import Question, load_questions
from services.evaluation.facts import groups_found

HERE = Path(__file__).parent
SAMPLES = HERE.parent.parent / "kb" / "samples" / "strahlenschutz"
FINAL = load_questions(HERE / "questions_strahlenschutz.jsonl")
DEV = load_questions(HERE / "questions_dev.jsonl")
TYPES = {
    "factual",
    "comparison",
    "multi-hop",
    "enumeration",
    "temporal",
    "causal",
    "unanswerable",
}
_HEADING = re.compile(
    r"^(?P<label>§ \d+[a-z]?(?= (?!Absatz|Satz|Nummer|Buchstabe)[A-ZÄÖÜ])|Anlage \d+(?= \(zu))",
    re.MULTILINE,
)


@cache
def sections(law: str) -> dict[str, str]:
    """Text of every section of a sample law by label, cut by a rule of this test's own."""
    pdfium = pytest.importorskip("pypdfium2")
    pages = [page.get_textpage().get_text_bounded() for page in pdfium.PdfDocument(SAMPLES / law)]
    text = "\n".join(pages).replace("\r\n", "\n").replace("\x02", "")
    heads = list(_HEADING.finditer(text))
    ends = [head.start() for head in heads[1:]] + [len(text)]
    return {head["label"]: text[head.start() : end] for head, end in zip(heads, ends, strict=True)}


def gold_text(question: Question) -> dict[str, str]:
    """The gold sections of a question; a missing one is a KeyError."""
    split = [gold.split(" ", 1) for gold in question.gold]
    return {f"{law} {label}": sections(f"{law}.pdf")[label] for law, label in split}


@pytest.mark.parametrize("question", FINAL + DEV, ids=lambda question: question.id)
def test_facts_stand_in_the_gold_sections_and_each_of_these_is_needed(question: Question) -> None:
    texts = gold_text(question)
    found = {gold: groups_found(text, question.must) for gold, text in texts.items()}
    together = [any(column) for column in zip(*found.values(), strict=True)]
    assert together == [True] * len(question.must)
    assert all(any(flags) for flags in found.values()), found


@pytest.mark.parametrize("question", FINAL + DEV, ids=lambda question: question.id)
def test_a_question_names_no_section_and_none_of_its_facts(question: Question) -> None:
    assert "§" not in question.q and "Anlage" not in question.q
    assert not any(groups_found(question.q, question.must))
    assert question.type in TYPES
    assert question.lang == "de"
    assert question.answerable == bool(question.gold) == bool(question.must)


def test_the_files_share_neither_questions_nor_sections() -> None:
    for chosen in (FINAL, DEV):
        assert len(chosen) == len({question.id for question in chosen}) == 10
        assert sum(not question.answerable for question in chosen) == 1
    assert not {q.id for q in FINAL} & {q.id for q in DEV}
    assert not {gold for q in FINAL for gold in q.gold} & {gold for q in DEV for gold in q.gold}
