"""A page whose server is gone says so in our words, and is back when the server is."""

from pathlib import Path

import pytest

from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser

pytestmark = [pytest.mark.browser, needs_browser]
GONE = "Rabbithole antwortet nicht."


def test_a_page_says_that_its_server_is_gone_and_comes_back_with_it(own_home: Path) -> None:
    server = AppServer(own_home)
    server.start()
    with browser() as driver:
        window = Window(driver, patience_s=60)
        window.open(f"{server.url}/settings")
        window.wait("Einstellungen")
        server.kill()
        window.wait(GONE)
        assert "Streamlit" not in window.text and "Connect" not in window.text
        server.start()
        window._until(lambda: GONE not in window.text or None, "the page does not come back")
        window.wait("Einstellungen")
    server.stop()


def test_the_menu_has_only_our_entries(own_home: Path) -> None:
    server = AppServer(own_home)
    server.start()
    with browser() as driver:
        window = Window(driver, patience_s=60)
        window.open(server.url)
        window.settle()
        window.find("[data-testid=stMainMenuButton], [data-testid=stMainMenu] button").click()
        window.wait("Print")  # "Drucken" by the style sheet
        assert "Record" not in window.text and "Made with" not in window.text
    server.stop()
