"""The library page, with a scripted client."""

from services.types import SearchRequest, SearchResult
from tests.support import played_session
from tests.support.fake_client import FakeClient
from tests.support.pages import button, open_app, texts_of


def test_the_library_shows_documents_and_explains_hits() -> None:
    at = open_app(FakeClient(), page="library")
    table = at.dataframe[0].value
    assert list(table["Dokument"]) == ["StrlSchG.pdf", "UVSV.txt"]
    assert list(table["Zustand"]) == ["bereit", "bereit"]
    at.text_input(key="query").input("Grenzwert")
    button(at, "Suchen").click()
    at.run()
    shown = texts_of(at)
    assert "§ 3 · UVSV.txt" in shown
    assert "Relevanz 0,81 · Bedeutung: Platz 1" in shown
    assert played_session.LIMIT in shown


def test_a_search_without_hits_says_what_to_try() -> None:
    class Finding(FakeClient):
        def find(self, request: SearchRequest) -> SearchResult:
            warnings = ("Reranking failed",)
            return super().find(request).model_copy(update={"hits": (), "warnings": warnings})

    at = open_app(Finding(), page="library")
    at.text_input(key="query").input("Mondlandung")
    button(at, "Suchen").click()
    assert "Versuchen Sie andere Worte" in texts_of(at.run())
    assert [warning.value for warning in at.warning] == ["Reranking failed"]


def test_an_empty_library_offers_the_sample() -> None:
    fake = FakeClient(documents=False)
    at = open_app(fake, page="library")
    button(at, "Beispielgesetz einlesen").click()
    at.run()
    assert fake.calls[0][2] == "strahlenschutz"
    assert at.dataframe
