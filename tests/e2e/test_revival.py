"""A page whose tree its own scripts have lost is there again by itself."""

import pytest

from tests.support.app_window import Window
from tests.support.browser import Browser, browser, needs_browser
from tests.support.read_home import ReadHome

pytestmark = [pytest.mark.browser, needs_browser]
TAKE_APART = """
for (const block of document.querySelectorAll('[data-testid=stVerticalBlock]'))
    block.replaceChildren();
"""
"""What a translator does to a page, only more of it."""
HEADED = """
addEventListener('DOMContentLoaded', () => document.body.append(
    Object.assign(document.createElement('i'), {id: 'rabbithole'})));
"""
"""As if the heading of the first page were drawn before the script comes."""


def test_a_page_that_went_white_is_loaded_again(read_home: ReadHome) -> None:
    with browser() as driver:
        window = Window(driver, patience_s=60)
        driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": HEADED})
        window.open(f"{read_home.url}/?thread=none-such")
        window.wait("Neue Frage")
        first = loaded_at(driver)
        driver.execute_script(TAKE_APART)
        assert "Neue Frage" not in window.text
        window.find("a[href$=library]").click()
        window.wait("Neue Frage", "Sammlungen")
        assert loaded_at(driver) > first
        console = [entry["message"] for entry in driver.get_log("browser")]
        assert any("NotFoundError" in line for line in console), "nothing was broken"
        assert any("loaded again" in line for line in console)


def test_a_page_below_the_first_asks_for_nothing_that_is_not_there(read_home: ReadHome) -> None:
    with browser() as driver:
        window = Window(driver, patience_s=60)
        for page, ready in (("library", "Sammlungen"), ("runs", "Die Dauer zählt")):
            window.open(f"{read_home.url}/{page}")
            window.wait(ready)
            window.settle()
            assert driver.current_url.endswith(f"/{page}")
        console = [entry["message"] for entry in driver.get_log("browser")]
        assert [line for line in console if "404" in line] == []


def loaded_at(driver: Browser) -> float:
    return float(driver.execute_script("return performance.timeOrigin"))
