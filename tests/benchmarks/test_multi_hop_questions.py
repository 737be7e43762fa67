"""The question sets about two joined sections are what their rules say."""

import re

from tests.benchmarks.multi_hop_questions import BY_HAND, BY_RULE, ONE_QUESTION
from tests.benchmarks.retrieval_corpus import load_questions

REFERENCE = re.compile(r"§|Anlage \d|Absatz|verw[ei]+|bezieh|Vorschrift|Bestimmung|nach Maßgabe")


def test_questions_by_hand_name_no_section_and_no_reference() -> None:
    questions = load_questions(BY_HAND)
    assert len(questions) == 20
    assert [each.text for each in questions if REFERENCE.search(each.text)] == []
    assert all(len(each.gold) == 2 for each in questions)


def test_questions_put_as_one_are_of_other_sections_than_those_by_hand() -> None:
    questions = load_questions(ONE_QUESTION)
    assert [each.text for each in questions if REFERENCE.search(each.text)] == []
    by_hand = {section for each in load_questions(BY_HAND) for section in each.gold}
    assert all(len(each.gold) == 2 and not each.gold & by_hand for each in questions)


def test_there_are_forty_questions_by_rule_to_report() -> None:
    questions = load_questions(BY_RULE)
    assert sum(each.split == "test" for each in questions) >= 40
    assert all(len(each.gold) == 2 for each in questions)
    assert not any(re.search(r"§ ?\d|Anlage \d", each.text) for each in questions)
