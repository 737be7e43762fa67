"""A quote from a scan is said to be recognised text wherever it is proof. With Tesseract only."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agent.engine.engine import Engine
from services.domain import SearchRequest
from tests.support.desk import ask
from tests.support.library_window import open_library, press
from tests.support.pages import open_app, texts_of
from tests.support.pdf_files import lines, make_pdf
from tests.support.scanned import joined, read_first, scanned_text

LIMIT = "Für Beschäftigte im Bergbau beträgt der Grenzwert des Staubs 45 Milligramm."
OTHER = "Die Messung des Staubs wird durch den Betrieb jährlich wiederholt und verzeichnet."


class Asked(NamedTuple):
    """A question whose answer stands on a page that is a picture, and the turn."""

    engine: Engine
    turn: dict[str, Any]


@pytest.fixture
def asked(owner: Engine, tmp_path: Path) -> Iterator[Asked]:
    path = tmp_path / "staub.pdf"
    path.write_bytes(joined(make_pdf([lines(700, OTHER)]), scanned_text(lines(700, LIMIT))))
    read_first(path)
    owner.library.ingest([path], "staub")
    question = "Welcher Grenzwert des Staubs gilt für Beschäftigte im Bergbau?"
    yield Asked(owner, ask(owner, question, collections=["staub"]))


def exported(asked: Asked, kind: str) -> str:
    return asked.engine.threads.export_report(asked.turn["thread_id"], kind).decode()


def test_the_mark_goes_from_the_page_to_the_proof(asked: Asked) -> None:
    (cited,) = [each for each in asked.turn["citations"] if each["quote"] == LIMIT]
    assert (cited["page"], cited["recognised"], cited["verified"]) == (2, True, True)
    others = [each for each in asked.turn["citations"] if each["quote"] == OTHER]
    assert not any(each["recognised"] for each in others)
    assert "erkannter Text: mit dem Bild vergleichen)" in exported(asked, "md")
    (turn,) = json.loads(exported(asked, "json"))["turns"]
    assert [each["recognised"] for each in turn["citations"]] == [
        each["page"] == 2 for each in turn["citations"]
    ]


def test_the_proof_says_so_with_the_least_certain_word(asked: Asked) -> None:
    (cited,) = [each for each in asked.turn["citations"] if each["quote"] == LIMIT]
    where = {"thread": asked.turn["thread_id"], "cite": str(cited["number"])}
    at = open_app(asked.engine, **where)
    assert not at.exception and at.get("image")
    said = texts_of(at)
    assert "Erkannter Text: mit dem Bild vergleichen. Unsicherstes Wort: „" in said
    assert "wörtlich geprüft" not in said and "Wörtliches Zitat" not in said
    drawn = asked.engine.library.page_image(
        cited["document_id"], 2, span=(cited["start"], cited["end"])
    )
    (box,) = drawn.boxes
    assert box.x0 == pytest.approx(65, abs=2) and box.y0 < 842 - 700 < box.y1
    assert drawn.doubtful is not None and drawn.doubtful[0] in LIMIT
    english = texts_of(open_app(asked.engine, language="en", **where))
    assert "Recognised text: compare it with the image." in english


def test_a_page_with_letters_says_nothing_of_the_kind(asked: Asked) -> None:
    document = asked.turn["citations"][0]["document_id"]
    drawn = asked.engine.library.page_image(document, 1, span=(0, 20))
    assert drawn.boxes and not drawn.recognised and drawn.doubtful is None


def test_a_search_says_so_of_the_passage(asked: Asked) -> None:
    question = "Grenzwert des Staubs im Bergbau"
    hits = asked.engine.library.find(SearchRequest(query=question, collections=("staub",))).hits
    assert hits and all(hit.recognised == (LIMIT in hit.text) for hit in hits)
    shelf = asked.engine.library.collection("staub").collection_id
    at = open_library(asked.engine, view="search", collection=shelf)
    at.text_input(key="query").set_value(question)
    press(at, "search")
    assert texts_of(at).count("Erkannter Text: mit dem Bild vergleichen.") == 1
