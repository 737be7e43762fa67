"""The language of the interface in a real browser: kept over reloads and in other windows."""

import pytest

from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser

pytestmark = [pytest.mark.browser, needs_browser]


def test_a_chosen_language_is_kept(fake_app: AppServer) -> None:
    with browser() as driver:
        window = Window(driver)
        window.open(f"{fake_app.url}/?fake=spoken")
        window.wait("Gründlich")
        spoken = "return document.documentElement.lang"
        assert driver.execute_script(spoken) == "de"
        window.click("EN")
        window.wait("Go deeper")
        window.settle()
        assert driver.execute_script(spoken) == "en", "as a screen reader pronounces it"
        driver.refresh()
        window.wait("Go deeper")
    with browser() as other:
        window = Window(other)
        window.open(f"{fake_app.url}/settings?fake=spoken")
        window.wait("Language model")
