"""Quick answers in a real browser: an answer with its proof, a follow-up, a count, a refusal."""

import pytest

from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, outside, requested_hosts
from tests.support.read_home import ReadHome

pytestmark = [pytest.mark.browser, needs_browser]
LIMIT = "85 Dezibel im Tagesmittel"


def test_a_conversation_answers_proves_counts_refuses_and_is_found_by_its_address(
    read_home: ReadHome,
) -> None:
    with browser() as driver:
        window = Window(driver)
        window.open(f"{read_home.url}/ask")
        window.wait("Gründlich")
        window.say("Welcher Grenzwert des Lärms gilt für Beschäftigte?")
        window.wait("Einzelheiten")
        assert LIMIT in window.text and "Wörtliches Zitat" in window.text

        window.say("und für Beschäftigte unter 18 Jahren?")
        window.wait("Verstanden als:")
        window.wait("70 Dezibel")

        window.say("In wie vielen Paragraphen kommt das Wort Grenzwert vor?")
        window.wait("kommt in")
        assert "„Grenzwert“ kommt in" in window.text

        window.say("Wie backe ich einen Apfelkuchen?")
        window.wait("Ähnlichste Abschnitte")

        window.open(f"{driver.current_url}&turn=1&cite=1")
        window.wait("1 von")
        assert LIMIT in window.text
        assert outside(requested_hosts(driver)) == set()
