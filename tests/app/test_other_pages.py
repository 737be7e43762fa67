"""The runs page, with a scripted client."""

from streamlit.testing.v1 import AppTest

from tests.support.fake_client import FakeClient
from tests.support.pages import open_app, texts_of


def order(at: AppTest, *questions: str) -> list[str]:
    labels = [found.label for found in at.button]
    return sorted(questions, key=labels.index)


def test_runs_that_wait_for_somebody_come_first() -> None:
    fake = FakeClient()
    for question in ("fertig", "offen"):
        fake.start(question)
    fake.stop_with("t1", "done")
    fake.run("t2")
    at = open_app(fake, page="runs")
    assert order(at, "fertig", "offen") == ["offen", "fertig"]
    assert "wartet auf Sie" in texts_of(at)


def test_without_runs_the_page_says_how_to_begin() -> None:
    assert "Stellen Sie auf der Seite Recherche" in texts_of(open_app(FakeClient(), page="runs"))
