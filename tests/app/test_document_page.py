"""The page of a document, with pages or with sections, and a span in the text around it."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from app.components.document import around
from app.formats import WORD_JOINER
from services.domain import ParsedDocument
from tests.support.fake_client import FakeClient
from tests.support.fake_documents import TEXT, ordinance
from tests.support.pages import open_app, texts_of


def open_document(fake: FakeClient, **query: str) -> AppTest:
    at = open_app(fake)
    at.query_params.update(query)
    return at.switch_page("app_pages/document.py").run()


def drawn(fake: FakeClient) -> list[tuple[Any, ...]]:
    return [call[1:4] for call in fake.reads if call[0] == "page_image"]


def test_the_address_names_page_and_span() -> None:
    fake = FakeClient()
    at = open_document(fake, doc="d1", page="50", span="3600-3640")
    assert drawn(fake) == [("d1", 50, (3600, 3640))]
    assert "Strahlenschutzgesetz" in texts_of(at)
    assert at.number_input(key="page-number").value == 50


def test_pages_are_turned_and_the_address_follows() -> None:
    fake = FakeClient()
    at = open_document(fake, doc="d1", page="59")
    at.button(key="page-on").click().run()
    assert at.query_params["page"] == "60" and at.button(key="page-on").disabled
    at.number_input(key="page-number").set_value(7).run()
    assert drawn(fake)[-1] == ("d1", 7, None)
    at.button(key="page-back").click().run()
    assert drawn(fake)[-1] == ("d1", 6, None)


def test_a_section_is_jumped_to() -> None:
    fake = FakeClient()
    at = open_document(fake, doc="d1")
    outline = at.selectbox(key="outline")
    assert [option.strip() for option in outline.options] == ["§ 1 Titel", "§ 78 Titel"]
    outline.select_index(1)
    at.run()
    assert at.query_params["page"] == "30"
    assert drawn(fake)[-1] == ("d1", 30, None)


@pytest.mark.parametrize(
    "query", [{"page": "0"}, {"page": "9" * 40}, {"span": "9-2"}, {"page": "x"}]
)
def test_a_wrong_address_shows_what_is_nearest(query: dict[str, str]) -> None:
    fake = FakeClient()
    at = open_document(fake, doc="d1", **query)
    assert not at.exception and not at.error
    assert drawn(fake)[-1][0] == "d1"


def test_a_span_without_a_page_opens_the_page_it_is_on() -> None:
    fake = FakeClient()
    open_document(fake, doc="d1", span="100-120")
    assert drawn(fake) == [("d1", 2, (100, 120))]


def test_a_document_without_pages_is_read_by_sections_with_the_span_marked() -> None:
    start = TEXT.index("Der Grenzwert")
    fake = FakeClient()
    at = open_document(fake, doc="UVSV.txt", span=f"{start}-{start + 36}")
    pieces = [text.value.strip(WORD_JOINER) for text in at.text]
    assert TEXT[start : start + 36] in pieces
    assert "".join(text.value for text in at.text).replace(WORD_JOINER, "") == (
        TEXT[TEXT.index("§ 2") :].rstrip()
    )
    at.button(key="section-back").click().run()
    assert "Dieses Gesetz dient dem Schutz." in texts_of(at)
    assert at.query_params["section"] == "0"


def test_without_its_original_the_text_of_the_page_is_shown() -> None:
    fake = FakeClient()
    fake.lose_originals = True
    shown = texts_of(open_document(fake, doc="d1", page="3"))
    assert "The kept file is gone" in shown and "Seite 3." in shown


def test_what_may_not_be_read_is_said_not_to_be_there() -> None:
    at = open_document(FakeClient(), doc="secret")
    assert "There is no document" in at.error[0].value.replace("\\", "")


def test_an_address_without_a_document_says_where_they_are() -> None:
    assert "Wählen Sie eines in der Bibliothek" in texts_of(open_document(FakeClient()))


SECTION = TEXT[TEXT.index("§ 2") :]
LIMIT = (TEXT.index("Der Grenzwert"), TEXT.index("Der Grenzwert") + 13)
EXCEPT = (TEXT.index("Ausnahmen"), TEXT.index("Ausnahmen") + 9)
BARE = ordinance().model_copy(update={"sections": ()})


@pytest.mark.parametrize(
    ("parsed", "span", "marked", "whole"),
    [
        (ordinance(), LIMIT, "Der Grenzwert", SECTION),
        (ordinance(), (10, LIMIT[1]), TEXT[10 : LIMIT[1]], TEXT),
        (ordinance(), (len(TEXT) + 5, len(TEXT) + 9), "", SECTION),
        (ordinance(), (-5, 3), TEXT[:3], TEXT[: TEXT.index("§ 2")]),
        (BARE, LIMIT, "Der Grenzwert", TEXT),
    ],
    ids=["one section", "two sections", "behind the text", "before the text", "no sections"],
)
def test_the_sections_of_the_span_are_shown_whole(
    parsed: ParsedDocument, span: tuple[int, int], marked: str, whole: str
) -> None:
    found = around(parsed, span)
    assert found.marked == marked
    assert found.before + found.marked + found.after == whole


def test_what_reaches_too_far_is_cut_at_paragraphs() -> None:
    found = around(ordinance(), EXCEPT, reach=45)
    assert found.before.startswith("Der Grenzwert beträgt")
    assert found.after == " sind möglich.\n"
