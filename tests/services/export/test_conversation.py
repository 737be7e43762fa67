"""A conversation as a file: every answer under its question, read by other libraries."""

import re
from typing import Any

import pytest

from services.export.document import make_document
from services.export.neighbourhood import nearest
from tests.support import played_turn
from tests.support.exported import READING, closed_page, export_report, read
from tests.support.played_session import HOSTILE as FOREIGN
from tests.support.played_session import LAW, LIMIT
from tests.support.played_structured import HOSTILE, PUBLIC, WORKERS

LIMITS = "Welcher Grenzwert gilt?"
CAKE = "Wie backe ich Kuchen?"
COUNT = "Wie viele Paragraphen nennen die Freigrenze?"


def conversation(*asked: tuple[str, str]) -> dict[str, Any]:
    """Answers to questions at depths, as the thread a1 keeps them."""
    turns = [played_turn.turn("a1", n, question, depth)
             for n, (question, depth) in enumerate(asked, 1)]  # fmt: skip
    return {"thread_id": "a1", "turns": turns}


WHOLE = conversation(
    (LIMITS, "fast"), ("Vergleiche", "structured"), (COUNT, "fast"), (CAKE, "fast")
)


@pytest.mark.parametrize("name", READING)
def test_each_answer_stands_under_its_question(name: str) -> None:
    found = read(name, WHOLE, date="2026-11-22")
    for number, turn in enumerate(WHOLE["turns"], 1):
        assert f"Frage {number}: {turn['question']}" in found
    for said in (
        played_turn.PROSE,
        "„Freigrenze“ steht in 34 von 586 Abschnitten.",
        played_turn.NOT_FOUND,
        "Gesucht wurde: »Kuchen«.",
        "Verstanden als: Vergleiche (Jugendliche)",
        "(genau so)",
        "2026-11-22",
        "Gespräch a1",
        WORKERS,
        PUBLIC,
        "fehlt",
    ):
        assert said in found, said
    assert found.count("Frage 2: Abdeckung") == 1 and "Frage 1: Abdeckung" not in found


def test_passages_that_may_answer_are_counted_apart_and_an_only_answer_has_no_number() -> None:
    found = read("md", conversation((LIMITS, "fast"), ("Wie backe ich Brot?", "fast")))
    assert "1 belegt · 3 Zitate" in found
    assert found.count(played_turn.CLOSEST) == 1
    found = read("html", conversation(("Vergleiche", "structured")))
    assert "Frage 1" not in found and "Abdeckung" in found
    found = read("md", conversation((COUNT, "fast")))
    assert found.count(LIMIT) == 1 and found.index("(genau so)") < found.index(LIMIT)


def test_a_place_has_one_number_in_all_answers() -> None:
    made = make_document(WHOLE)
    entries = [each for each in made.blocks if getattr(each, "anchor", "").startswith("passage")]
    assert [entry.number for entry in entries] == [*range(1, len(entries) + 1)]
    spans = {
        (each["document_id"], each["start"], each["end"])
        for turn in WHOLE["turns"]
        for sentence in turn["sentences"]
        for each in sentence["citations"]
    }
    assert len(entries) == len(spans)
    assert [source.document for source in made.sources] == [LAW]


def test_what_stands_around_is_said_where_it_is_given() -> None:
    around = nearest(["A § 1"], [("A § 1", "A § 2")])
    page = export_report(WHOLE, "html", neighbourhood=around).decode()
    assert "A § 1 verweist auf A § 2." in page
    assert "Zugehörige Abschnitte" not in export_report(WHOLE, "html").decode()


def test_hostile_answers_stay_text() -> None:
    made = conversation((FOREIGN, "fast"), (HOSTILE, "structured"))
    for turn in made["turns"]:
        turn |= {
            "opening": FOREIGN,
            "closing": HOSTILE,
            "warnings": [FOREIGN],
            "degraded": [HOSTILE],
        }
    closed_page(made)
    marks = re.findall(r"\[\^(\d+)\]: ", export_report(made, "md").decode())
    assert len(marks) == len(set(marks))
