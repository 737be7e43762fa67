"""Choosing a model and reviewing a report in a real browser, by what a person sees."""

from pathlib import Path

import pytest
from selenium.webdriver.common.keys import Keys

from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, outside, requested_hosts, resize
from tests.support.openai_server import OpenAIServer
from tests.support.read_home import ReadHome

pytestmark = [pytest.mark.browser, needs_browser]
KEY = "sk-browser"


def test_a_review_is_walked_through_and_signed(read_home: ReadHome) -> None:
    with browser() as driver:
        window = Window(driver)
        window.open(f"{read_home.url}/?thread={read_home.reviewed}")
        assert "2 zu prüfen" not in window.wait("1 zu prüfen", "1 Widerspruch")
        window.click("Prüfen (2)")
        window.wait("Satz 1 von 2", "noch 2 zu entscheiden")
        assert window.find("[class*=side-review-sentence] strong").text == "niemandem"
        window.click("Streichen" if "Streichen" in window.text else "Entfernen")
        window.wait("noch 1 zu entscheiden")
        window.click("Annehmen")
        window.write("Vera Nolte", into=".st-key-signed-name input")
        window.click("Abzeichnen")
        window.wait("Abgezeichnet von Vera Nolte")
        assert "angenommen von local" in window.text
        resize(driver, 390, 844)
        assert window.overflow() <= 0, "nothing pans sideways on a phone"
        assert outside(requested_hosts(driver)) == set()


def test_a_model_is_chosen_and_in_use_without_a_restart(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    with OpenAIServer('{"answer": "yes"}') as server:
        server.key = KEY
        app = AppServer(home, llm="", ollama_url="http://127.0.0.1:9")
        app.start()
        try:
            with browser() as driver:
                window = Window(driver)
                window.open(f"{app.url}/settings")
                window.choose("Ein anderer Server")
                window.wait("Adresse des Servers")
                for label, said in (
                    ("Adresse des Servers", server.base_url), ("Schlüssel", "falsch"),
                    ("Modell", "any"),
                ):  # fmt: skip
                    window.write(said, into=f"input[aria-label='{label}']")
                window.click("Dieses Modell verwenden")
                window.wait("Der Server lehnt diesen Schlüssel ab.")
                instead = Keys.CONTROL + "a" + Keys.NULL + KEY
                window.write(instead, into="input[aria-label='Schlüssel']")
                window.click("Dieses Modell verwenden")
                window.wait("Modell openai:any")
                driver.get(f"{app.url}/library")
                window.wait("Modell openai:any")
        finally:
            app.stop()
