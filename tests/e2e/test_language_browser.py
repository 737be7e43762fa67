"""The language of the interface in a real browser: kept over reloads, windows and a restart."""

from pathlib import Path

import pytest

from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser

pytestmark = [pytest.mark.browser, needs_browser]


def test_a_chosen_language_is_kept(tmp_path: Path) -> None:
    server = AppServer(tmp_path)
    server.start()
    try:
        with browser() as driver:
            window = Window(driver)
            window.open(server.url)
            window.wait("Eigene Dokumente befragen")
            spoken = "return document.documentElement.lang"
            assert driver.execute_script(spoken) == "de"
            window.click("EN")
            window.wait("Ask your own documents")
            window.settle()
            assert driver.execute_script(spoken) == "en", "as a screen reader pronounces it"
            driver.refresh()
            window.wait("Ask your own documents")
            server.stop()
            server.start()
            window.open(f"{server.url}/settings?section=appearance")
            window.wait("Answers come in the language of the question")
    finally:
        server.stop()
