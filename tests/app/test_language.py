"""The language of the interface: the browser's at first, then the one that a person chose."""

import pytest
from streamlit.testing.v1 import AppTest

from app.session import ENGINE
from services.domain import Preference, Principal
from services.domain.errors import CorruptCatalog
from tests.support.fake_client import FakeClient
from tests.support.pages import ENTRY, texts_of


def reloaded(fake: FakeClient, page: str | None = None) -> AppTest:
    """A window that has only just been opened: nothing of an earlier one is left."""
    at = AppTest.from_file(str(ENTRY), default_timeout=20)
    at.session_state[ENGINE] = fake
    at.run()
    return at if page is None else at.switch_page(f"app_pages/{page}.py").run()


def test_without_a_choice_the_browser_decides() -> None:
    assert "What do you want to know?" in texts_of(reloaded(FakeClient()))


def test_a_language_chosen_in_the_bar_survives_a_reload_and_other_pages() -> None:
    fake = FakeClient()
    at = reloaded(fake)
    at.segmented_control(key="language").set_value("de").run()
    assert "Was möchten Sie wissen?" in texts_of(at)
    for page in (None, "runs", "library", "settings"):
        again = reloaded(fake, page)
        assert again.segmented_control(key="language").value == "de", page
        assert "nichts läuft" in texts_of(again), page


def test_a_language_chosen_in_the_settings_survives_a_reload() -> None:
    fake = FakeClient()
    fake.settings.set_preference("language", "de")
    at = reloaded(fake)
    at.query_params["section"] = "appearance"
    at.switch_page("app_pages/settings.py").run()
    at.radio(key="language-setting").set_value("en").run()
    assert "Is kept" in texts_of(at)
    assert "What do you want to know?" in texts_of(reloaded(fake))


def test_the_choice_is_one_persons_own() -> None:
    fake = FakeClient()
    fake.settings.set_preference("language", "de")
    fake.principal = Principal(user="anna")
    assert "What do you want to know?" in texts_of(reloaded(fake))


class Unreadable(FakeClient):
    def preference(self, name: Preference) -> str | None:
        raise CorruptCatalog("The catalog is damaged.")


@pytest.mark.parametrize("page", [None, "settings"])
def test_a_choice_that_cannot_be_read_stops_no_page(page: str | None) -> None:
    at = reloaded(Unreadable(), page)
    assert not at.exception
    assert at.segmented_control(key="language").value == "en"
