"""The page of a document, with pages or with sections, and a span in the text around it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine
from app.components.pages import surroundings
from services.domain import ParsedDocument, SectionSpan
from services.domain.errors import UnreadableDocument
from tests.support.desk import ask, open_desk
from tests.support.pages import document_texts, open_app, texts_of
from tests.support.pdf_files import Entry, lines, make_pdf

PAGES = 4


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    home = Path(tmp_path_factory.mktemp("desk"))
    pages = ("§ 1 Zweck", "§ 2 Grenzwerte", "§ 3 Ausbildung", "§ 4 Messung")
    with open_desk(home) as client:
        body = ["Der Grenzwert der Dosis beträgt 1 Millisievert im Kalenderjahr."] * 4
        texts = [[*lines(700, heading), *lines(600, *body)] for heading in pages]
        outline = [Entry(heading, n, 710) for n, heading in enumerate(pages)]
        (home / "norm.pdf").write_bytes(make_pdf(texts, outline))
        report = client.library.ingest([home / "norm.pdf"], "norm")
        assert report.files[0].status == "added", report.files
        yield client


def document(desk: Engine, name: str) -> str:
    return next(each.document_id for each in desk.library.documents() if each.document == name)


def opened(desk: Engine, doc: str, **where: str) -> AppTest:
    at = open_app(desk)
    at.query_params.update({"doc": doc, **where})
    at.switch_page("app_pages/document.py").run()
    assert not at.exception
    return at


def html_of(at: AppTest) -> str:
    """The texts of documents and what lies over their pages, as HTML."""
    bodies = (str(element.value) for element in at.html)
    return "".join(body for body in bodies if body.startswith("<div class="))


def test_pages_are_opened_turned_and_the_address_follows(desk: Engine) -> None:
    norm = document(desk, "norm.pdf")
    at = opened(desk, norm, page="3", span="10-20")
    assert at.number_input(key="page-number").value == 3 and at.image
    at.button(key="page-on").click().run()
    assert at.query_params["page"] == "4" and at.button(key="page-on").disabled
    at.number_input(key="page-number").set_value(2).run()
    at.button(key="page-back").click().run()
    assert at.query_params["page"] == "1" and at.button(key="page-back").disabled
    outline = at.selectbox(key="outline")
    assert [option.strip() for option in outline.options][-1].startswith("§ 4")
    outline.select_index(len(outline.options) - 1)
    assert at.run().query_params["page"] == "4"


@pytest.mark.parametrize(
    ("where", "page"),
    [
        ({"page": "0"}, 1),
        ({"page": "9" * 40}, 1),
        ({"page": "99"}, PAGES),
        ({"page": "x"}, 1),
        ({"span": "9-2"}, 1),
    ],
)
def test_a_wrong_address_shows_what_is_nearest(
    desk: Engine, where: dict[str, str], page: int
) -> None:
    at = opened(desk, document(desk, "norm.pdf"), **where)
    assert not at.error and at.number_input(key="page-number").value == page


def test_a_span_without_a_page_opens_the_page_it_is_on(desk: Engine) -> None:
    norm = document(desk, "norm.pdf")
    start = desk.library.open_document(norm).parsed.pages[2] + 3
    at = opened(desk, norm, span=f"{start}-{start + 5}")
    assert at.number_input(key="page-number").value == 3


def test_a_document_without_pages_is_read_by_sections_with_the_span_marked(desk: Engine) -> None:
    law = document(desk, "LaermG.txt")
    text = desk.library.open_document(law).parsed.text
    quote = "Der Lärm ist jährlich"
    start = text.index(quote)
    at = opened(desk, law, span=f"{start}-{start + len(quote)}")
    assert f'<mark class="quoted">{quote}</mark>' in html_of(at)
    (shown,) = document_texts(at)
    assert shown.split() == text[text.index("§ 4 Messung") :].split()
    at.button(key="section-back").click().run()
    assert "wenn Gehörschutz getragen wird" in texts_of(at)
    at.selectbox(key="outline").select_index(0)
    assert at.run().query_params["section"] == "0"


def test_a_search_leads_from_match_to_match_across_pages(desk: Engine) -> None:
    at = opened(desk, document(desk, "norm.pdf"), page="2")
    at.text_input(key="find").input("  grenzwert  DER ").run()
    per_page = 4
    assert at.query_params["match"] == str(per_page + 1) and at.query_params["page"] == "2"
    assert html_of(at).count('<mark class="match"') == per_page - 1
    assert html_of(at).count('<mark class="current"') == 1
    at.button(key="match-back").click().run()
    assert at.query_params["page"] == "1" and f"{per_page} von {PAGES * per_page}" in texts_of(at)
    at.button(key="page-on").click().run()
    at.button(key="page-on").click().run()
    at.button(key="match-on").click().run()  # from a page without the match: to the next one
    assert at.query_params["page"] == "3"
    at.text_input(key="find").input("Apfelkuchen").run()
    assert "Nicht in diesem Dokument" in texts_of(at) and "match" not in at.query_params
    at.text_input(key="find").input("").run()
    assert "find" not in at.query_params


def test_the_text_of_a_page_is_shown_with_its_matches(desk: Engine) -> None:
    at = opened(desk, document(desk, "norm.pdf"), page="2", view="text", find="Grenzwert")
    assert not at.image and "§ 2 Grenzwerte" in texts_of(at)
    assert '<mark class="match">Grenzwert</mark>' in html_of(at)


def test_a_second_document_is_read_beside_and_turned_by_itself(desk: Engine) -> None:
    law = document(desk, "LaermG.txt")
    at = opened(desk, document(desk, "norm.pdf"), page="2", beside=law)
    assert len(at.image) == 1 and "§ 1 Zweck" in texts_of(at)
    at.button(key="beside-section-on").click().run()
    assert at.query_params["beside-section"] == "1" and at.query_params["page"] == "2"
    assert "85 Dezibel" in texts_of(at)
    gone = opened(desk, document(desk, "norm.pdf"), beside="gone")
    assert gone.image and not gone.error


def test_another_source_of_the_answer_is_chosen_beside(desk: Engine) -> None:
    turn = ask(desk, "Welcher Grenzwert des Lärms gilt für Beschäftigte?", collections=["laerm"])
    thread, cited = turn["thread_id"], turn["citations"][0]
    back = {"thread": thread, "turn": "1", "cite": "0"}
    at = opened(desk, document(desk, "norm.pdf"), **back)
    chooser = at.selectbox(key="beside-choice")
    assert chooser.options[0].startswith("1 · LaermG § 2") and chooser.value is None
    chooser.select_index(0).run()
    assert at.query_params["beside"] == cited["document_id"]
    assert cited["quote"] in html_of(at) and at.selectbox(key="beside-choice").value == 0
    for wrong in ({"thread": "nope"}, {"thread": thread}, back | {"turn": "7"}):
        assert not opened(desk, document(desk, "norm.pdf"), **wrong).error
    link = next(each for each in at.get("page_link") if each.proto.label == "Zurück zur Antwort")
    assert f"thread={thread}" in link.proto.query_string


def test_foreign_text_is_no_markup(desk: Engine, tmp_path: Path) -> None:
    (tmp_path / "evil.txt").write_text("<img src=x onerror=alert(1)> & | <b>\n\nx", "utf-8")
    desk.library.ingest([tmp_path / "evil.txt"], "evil")
    at = opened(desk, document(desk, "evil.txt"), find="<b>")
    assert "&lt;img src=x" in html_of(at) and "<img" not in html_of(at)
    assert '<mark class="match">&lt;b&gt;</mark>' in html_of(at)


def test_a_page_that_cannot_be_drawn_is_shown_as_its_text(
    desk: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> None:
        raise UnreadableDocument("The kept file is gone.")

    monkeypatch.setattr(desk.library, "page_image", gone)
    at = opened(desk, document(desk, "norm.pdf"), page="2")
    assert not at.image and "The kept file is gone" in texts_of(at)
    assert "§ 2 Grenzwerte" in texts_of(at)


def test_what_may_not_be_read_is_said_not_to_be_there(desk: Engine) -> None:
    assert "gibt es nicht" in opened(desk, "secret").error[0].value
    at = open_app(desk, page="document")
    assert at.info and not at.error


TEXT = """§ 1 Zweck

Dieses Gesetz dient dem Schutz.

§ 2 Grenzwerte

Der Grenzwert beträgt 1 Millisievert.

Ausnahmen sind möglich.
"""
MIDDLE = TEXT.index("§ 2")
BARE = ParsedDocument(
    title="Gesetz", text=TEXT, pages=(), sections=(), language="de", parser_version="1"
)
ORDINANCE = BARE.model_copy(
    update={
        "sections": tuple(
            SectionSpan(
                label=label, title=label, level=0, start=start, end=end, heading_path=(label,)
            )
            for label, start, end in (("§ 1", 0, MIDDLE), ("§ 2", MIDDLE, len(TEXT)))
        )
    }
)
SECTION = TEXT[MIDDLE:]
LIMIT = (TEXT.index("Der Grenzwert"), TEXT.index("Der Grenzwert") + 13)
EXCEPT = (TEXT.index("Ausnahmen"), TEXT.index("Ausnahmen") + 9)


@pytest.mark.parametrize(
    ("parsed", "span", "whole"),
    [
        (ORDINANCE, LIMIT, SECTION),
        (ORDINANCE, (10, LIMIT[1]), TEXT),
        (ORDINANCE, (len(TEXT) + 5, len(TEXT) + 9), SECTION),
        (ORDINANCE, (-5, 3), TEXT[:MIDDLE]),
        (BARE, LIMIT, TEXT),
    ],
    ids=["one section", "two sections", "behind the text", "before the text", "no sections"],
)
def test_the_sections_of_the_span_are_shown_whole(
    parsed: ParsedDocument, span: tuple[int, int], whole: str
) -> None:
    assert TEXT[slice(*surroundings(parsed, span))] == whole


def test_what_reaches_too_far_is_cut_between_paragraphs() -> None:
    shown = TEXT[slice(*surroundings(ORDINANCE, EXCEPT, reach=45))]
    assert shown.strip().startswith("Der Grenzwert beträgt")
    assert shown.endswith(" sind möglich.\n")
