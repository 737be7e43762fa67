"""A page is named by what is printed on it, with its index beside it, wherever it is proof."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from reportlab.pdfgen.canvas import Canvas

from agent.engine.engine import Engine
from services.domain import SearchRequest
from tests.support.desk import ask
from tests.support.pages import open_app, texts_of

FEE = "Der Beitrag der Mitglieder beträgt sechzig Euro im Kalenderjahr."
QUESTION = "Wie hoch ist der Beitrag der Mitglieder?"
NAME = "S. ii (Seite 2 von 3)"


class Labelled(NamedTuple):
    engine: Engine
    turn: dict[str, Any]


@pytest.fixture
def labelled(owner: Engine, tmp_path: Path) -> Iterator[Labelled]:
    canvas = Canvas(str(tmp_path / "satzung.pdf"))
    canvas.addPageLabel(0, "ROMAN_LOWER")
    canvas.addPageLabel(2, "ARABIC", 1)
    for text in ("Der Verein heißt Turnverein.", FEE, "Der Vorstand leitet den Verein."):
        canvas.drawString(72, 700, text)
        canvas.showPage()
    canvas.save()
    owner.library.ingest([tmp_path / "satzung.pdf"], "verein")
    yield Labelled(owner, ask(owner, QUESTION, collections=["verein"]))


def test_a_citation_has_label_and_index(labelled: Labelled) -> None:
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
def test_an_export_names_the_label(labelled: Labelled, kind: str, text: str) -> None:
    exported = labelled.engine.threads.export_report(labelled.turn["thread_id"], kind).decode()
    lines = [line for line in exported.splitlines() if line.startswith(("SP  -", "  pages"))]
    assert text in (" ".join(lines) or exported)


def test_a_page_is_chosen_by_its_label(labelled: Labelled) -> None:
    (document,) = labelled.engine.library.documents("verein")
    at = open_app(labelled.engine)
    at.query_params["doc"] = document.document_id
    at.switch_page("app_pages/document.py").run()
    chooser = at.selectbox(key="page-number")
    assert list(chooser.options) == ["i (1)", "ii (2)", "1 (3)"]
    chooser.select_index(2).run()
    assert at.query_params["page"] == "3" and not at.exception


def test_the_proof_names_the_label(labelled: Labelled) -> None:
    (cited,) = [one for one in labelled.turn["citations"] if FEE in one["quote"]]
    at = open_app(labelled.engine, thread=labelled.turn["thread_id"], cite=str(cited["number"]))
    assert not at.exception and NAME in texts_of(at).replace("\\", "")
