"""A page whose tree its own scripts have lost is there again by itself."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import Browser, browser, needs_browser

pytestmark = [pytest.mark.browser, needs_browser]
TAKE_APART = """
for (const block of document.querySelectorAll('[data-testid=stVerticalBlock]'))
    block.replaceChildren();
"""
"""What a translator does to a page, only more of it."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[AppServer]:
    app = AppServer(tmp_path)
    app.start()
    yield app
    app.stop()


def test_a_page_that_went_white_is_loaded_again(server: AppServer) -> None:
    with browser() as driver:
        window = Window(driver, patience_s=60)
        window.open(f"{server.url}/?thread=none-such")
        window.wait("Neue Frage")
        first = loaded_at(driver)
        driver.execute_script(TAKE_APART)
        assert "Neue Frage" not in window.text
        window.find("a[href$=library]").click()
        window.wait("Neue Frage", "Noch keine Dokumente")
        assert loaded_at(driver) > first
        console = [entry["message"] for entry in driver.get_log("browser")]
        assert any("NotFoundError" in line for line in console), "nothing was broken"
        assert any("loaded again" in line for line in console)


def loaded_at(driver: Browser) -> float:
    return float(driver.execute_script("return performance.timeOrigin"))
