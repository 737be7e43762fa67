"""Proof names the label of its page, and says of a scan (with Tesseract only) that it is one."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from reportlab.pdfgen.canvas import Canvas

from agent.engine.engine import Engine
from services.domain import SearchRequest
from tests.support.desk import ask
from tests.support.library_window import open_library, press
from tests.support.pages import open_app, texts_of
from tests.support.pdf_files import lines, make_pdf
from tests.support.scanned import joined, read_first, scanned_text

LIMIT = "Für Beschäftigte im Bergbau beträgt der Grenzwert des Staubs 45 Milligramm."
FEE = "Der Beitrag der Mitglieder beträgt sechzig Euro im Kalenderjahr."
NAME = "S. ii (Seite 2 von 3)"
OTHER = "Die Messung des Staubs wird durch den Betrieb jährlich wiederholt und verzeichnet."


class Asked(NamedTuple):
    """A home, and a turn that was asked in it."""

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


@pytest.fixture
def labelled(owner: Engine, tmp_path: Path) -> Iterator[Asked]:
    canvas = Canvas(str(tmp_path / "satzung.pdf"))
    canvas.addPageLabel(0, "ROMAN_LOWER")
    canvas.addPageLabel(2, "ARABIC", 1)
    for text in ("Der Verein heißt Turnverein.", FEE, "Der Vorstand leitet den Verein."):
        canvas.drawString(72, 700, text)
        canvas.showPage()
    canvas.save()
    owner.library.ingest([tmp_path / "satzung.pdf"], "verein")
    yield Asked(
        owner, ask(owner, "Wie hoch ist der Beitrag der Mitglieder?", collections=["verein"])
    )


def test_a_citation_has_label_and_index(labelled: Asked) -> None:
    (cited,) = [one for one in labelled.turn["citations"] if FEE in one["quote"]]
    assert (cited["page"], cited["page_label"], cited["page_count"]) == (2, "ii", 3)
    assert cited["place"].endswith(NAME)
    hits = labelled.engine.library.find(
        SearchRequest(query="Beitrag", collections=("verein",))
    ).hits
    assert {hit.page_name("{page}", "{label}") for hit in hits} <= {"i", "ii", "1"}
    labels = {source["document"]: source for source in labelled.turn["sources"]}["satzung.pdf"]
    assert labels["page_labels"][labels["pages"].index(2)] == "ii"


@pytest.mark.parametrize(("kind", "text"), [("md", NAME), ("ris", "ii"), ("bib", "ii")])
def test_an_export_names_the_label(labelled: Asked, kind: str, text: str) -> None:
    told = exported(labelled, kind)
    places = [line for line in told.splitlines() if line.startswith(("SP  -", "  pages"))]
    assert text in (" ".join(places) or told)


def test_a_page_is_chosen_by_its_label(labelled: Asked) -> None:
    (document,) = labelled.engine.library.documents("verein")
    at = open_app(labelled.engine, page="document", doc=document.document_id)
    chooser = at.selectbox(key="page-number")
    assert list(chooser.options) == ["i (1)", "ii (2)", "1 (3)"]
    chooser.select_index(2).run()
    assert at.query_params["page"] == "3" and not at.exception


def test_the_proof_names_the_label(labelled: Asked) -> None:
    (cited,) = [one for one in labelled.turn["citations"] if FEE in one["quote"]]
    at = open_app(labelled.engine, thread=labelled.turn["thread_id"], cite=str(cited["number"]))
    assert not at.exception and NAME in texts_of(at).replace("\\", "")
