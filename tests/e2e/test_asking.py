"""Quick answers in a real browser: an answer with its proof, a follow-up, a count, a refusal."""

from pathlib import Path

import pytest

from agent.engine.engine import connect
from services.settings import Settings
from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, outside, requested_hosts
from tests.support.desk import LAW

pytestmark = [pytest.mark.browser, needs_browser]
LIMIT = "85 Dezibel im Tagesmittel"


def test_a_conversation_answers_proves_counts_refuses_and_survives_a_restart(
    tmp_path: Path,
) -> None:
    home = tmp_path / "home"
    law = tmp_path / "LaermG.txt"
    law.write_text(LAW, encoding="utf-8")
    with connect(Settings(home=home, llm="none")) as client:
        client.library.ingest([law], "laerm")
    app = AppServer(home)
    app.start()
    try:
        with browser() as driver:
            window = Window(driver)
            window.open(f"{app.url}/ask")
            window.wait("Gründlich")
            window.say("Welcher Grenzwert des Lärms gilt für Beschäftigte?")
            window.wait("Tiefer suchen")
            assert LIMIT in window.text and "wörtlich geprüft" in window.text

            window.say("und für Beschäftigte unter 18 Jahren?")
            window.wait("Verstanden als:")
            window.wait("70 Dezibel")

            window.say("In wie vielen Paragraphen kommt das Wort Grenzwert vor?")
            window.wait("ganzer Bestand durchsucht")
            assert "»Grenzwert« kommt in" in window.text

            window.say("Wie backe ich einen Apfelkuchen?")
            window.wait("nicht in den Dokumenten")

            address = driver.current_url
            app.kill()
            app.start()
            window.open(f"{address}&turn=1&cite=1")
            window.wait("1 von")
            assert LIMIT in window.text
            assert outside(requested_hosts(driver)) == set()
    finally:
        app.stop()
