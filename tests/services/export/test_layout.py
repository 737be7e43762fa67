"""Sentences under their headings, places numbered once."""

from typing import Any

import pytest

from services.domain import Standing
from services.export.layout import Part, lay_out
from services.export.words import counted
from tests.support import played_report, played_session


def report() -> dict[str, Any]:
    return played_report.report("t1", played_session.QUESTION)


def parts_of(value: dict[str, Any]) -> tuple[Part, ...]:
    return lay_out(value).parts


def test_sentences_stand_under_the_headings_of_the_answer() -> None:
    parts = parts_of(report())
    titles = ["", played_session.ITEMS[1].task, played_session.ITEMS[2].task]
    assert [part.heading for part in parts] == titles
    assert [len(part.lines) for part in parts] == [2, 2, 1]


def test_a_place_has_one_number() -> None:
    layout = lay_out(report())
    numbers = [line.numbers for part in layout.parts for line in part.lines]
    assert numbers == [(1,), (), (2,), (2,), (3,)]
    assert len(layout.places) == 3


def test_a_place_that_a_sentence_cites_twice_has_one_mark() -> None:
    value = report()
    value["sentences"][0]["citations"] *= 2
    assert lay_out(value) == lay_out(report())


def test_the_documents_own_words_are_told_from_prose() -> None:
    lines = [line for part in parts_of(report()) for line in part.lines]
    assert [line.quote for line in lines] == [False, False, False, True, True]
    standings = [line.standing for line in lines]
    assert standings == ["follows", "none", "loose", "quote", "quote"]
    assert [line.proven for line in lines] == [True, False, False, True, True]
    assert [line.case for line in lines] == ["", "", "", "", "Für Personen unter 18 Jahren gelten:"]


@pytest.mark.parametrize(
    ("standings", "certainty", "german", "english"),
    [
        (
            {"quote": 4, "follows": 2, "loose": 1},
            "answered",
            "4 Zitate, 2 folgen aus Zitaten, 1 nicht belegt",
            "4 quotes, 2 follow from quotes, 1 not proven",
        ),
        ({"follows": 1}, "answered", "1 folgt aus Zitaten", "1 follows from quotes"),
        ({"quote": 3}, "perhaps", "3 Stellen zum Selbstprüfen", "3 passages for you to judge"),
        ({}, "refused", "", ""),
    ],
)
def test_standings_are_counted_in_words(
    standings: dict[Standing, int], certainty: str, german: str, english: str
) -> None:
    assert counted(standings, certainty, "de") == german
    assert counted(standings, certainty, "en") == english


def test_a_sentence_that_the_answer_breaks_over_lines_is_found() -> None:
    value = report()
    value["answer"] = value["answer"].replace(" Grenzwert ", "\nGrenzwert ")
    assert lay_out(value) == lay_out(report())


def test_a_repeated_sentence_keeps_its_place_in_each_part() -> None:
    value = report()
    again = value["sentences"][0]
    text = " ".join(again["text"].split())
    value["sentences"] = [again, again]
    value["answer"] = f"{text} [x]\n\n## Teil\n\n{text} [x]"
    assert [(part.heading, len(part.lines)) for part in parts_of(value)] == [("", 1), ("Teil", 1)]


def test_an_empty_report_has_no_parts() -> None:
    assert parts_of({"answer": "Nichts gefunden.", "sentences": []}) == ()
