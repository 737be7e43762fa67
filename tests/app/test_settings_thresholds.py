"""Thresholds of a collection on the settings page: value, origin, why; held and reset."""

from streamlit.testing.v1 import AppTest

from services.thresholds import Vote
from tests.support.fake_client import FakeClient
from tests.support.pages import open_app, texts_of

BAD = Vote(up=False, route="fast", depth="fast", score=0.30)


def parameters(fake: FakeClient, language: str = "de") -> AppTest:
    at = open_app(fake, language=language)
    at.query_params["section"] = "parameters"
    at.switch_page("app_pages/settings.py").run()
    assert not at.exception
    return at


def place(fake: FakeClient) -> str:
    return fake.collections()[0].collection_id


def test_value_origin_and_reason_are_told() -> None:
    fake = FakeClient()
    shown = texts_of(parameters(fake))
    assert "**Mehr Tiefe ab 0,35** :gray-badge[Vorgabe]" in shown
    assert "Keine Bewertung betrifft sie." in shown
    fake.routing_votes[place(fake)] = [BAD] * 5
    shown = texts_of(parameters(fake, "en"))
    assert "**More depth from 0.34** :blue-badge[by votes]" in shown
    assert "Lowered by 0.01: 0 good and 5 bad votes." in shown


def test_thresholds_are_held_released_and_reset() -> None:
    fake = FakeClient()
    fake.routing_votes[place(fake)] = [BAD] * 5
    at = parameters(fake)
    at.button(key="hold-thresholds").click().run()
    assert ("lock_thresholds", place(fake), True) in fake.calls
    assert "**Mehr Tiefe ab 0,34** :yellow-badge[:material/lock: festgehalten]" in texts_of(at)
    assert at.button(key="reset-thresholds").disabled
    at.button(key="hold-thresholds").click().run()
    assert ("lock_thresholds", place(fake), False) in fake.calls
    at.button(key="reset-thresholds").click().run()
    assert ("reset_thresholds", place(fake)) in fake.calls
    assert "**Mehr Tiefe ab 0,35**" in texts_of(at)


def test_without_a_collection_it_says_what_to_do() -> None:
    fake = FakeClient(documents=False)
    assert "Legen Sie in der Bibliothek eine an." in texts_of(parameters(fake))
