"""Nothing leaves the machine's own addresses in any view, whatever the texts on display try.

The texts ask for the address of a trap, which would hear of it, however it is asked. Beside it
stand the browser's own log of requests, and the hosts that the server process connected to.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.by import By

from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, requested_places
from tests.support.hostile_home import QUESTION, View, prepare
from tests.support.house import QUESTION as UNCLEAR
from tests.support.trap import Trap, attacks
from tests.support.watched_server import WatchedServer

pytestmark = [pytest.mark.browser, needs_browser]
BOXES = (
    "[data-testid=stMain] :is(summary, .st-key-details-open button, [data-testid=stPopover] button)"
)
"""What opens on a click without sending anything to the server."""


@pytest.fixture(scope="module")
def trap() -> Iterator[Trap]:
    with Trap() as trap:
        yield trap


@contextmanager
def served(home: Path, script: str = "app/streamlit_app.py") -> Iterator[WatchedServer]:
    server = WatchedServer(home, script)
    server.start()
    try:
        yield server
    finally:
        server.stop()


class Visitor:
    """Goes through the views and looks at what each of them has asked for."""

    def __init__(self, window: Window, server: WatchedServer, trap: Trap) -> None:
        self.window = window
        self._server = server
        self._trap = trap

    def see(self, view: View) -> None:
        self.window.open(self._server.url + view.path)
        self.window.wait(view.ready)
        self.window.settle()
        self.look_into_everything()
        self.check(view.name)

    def look_into_everything(self) -> None:
        """Opens boxes, tabs and popovers, and holds the mouse over the mark of a citation."""
        driver = self.window.driver
        for number in range(len(driver.find_elements(By.CSS_SELECTOR, BOXES))):
            # In one go: what a click opens may have the page drawn anew.
            script = "document.querySelectorAll(arguments[0])[arguments[1]]?.click()"
            driver.execute_script(script, BOXES, number)
        self.window.settle()
        marks = driver.find_elements(By.CSS_SELECTOR, "[class*=st-key-mark-] button")
        for mark in [mark for mark in marks if mark.is_displayed()][:2]:
            driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", mark)
            ActionChains(driver).move_to_element(mark).pause(0.8).perform()

    def check(self, where: str) -> None:
        driver = self.window.driver
        own = urlsplit(self._server.url).netloc
        assert requested_places(driver) <= {own}, where
        assert self._trap.asked == [], where
        script = """return [...document.querySelectorAll(
            '#root :is(a, img:not([src^="data:image/"]), iframe, script, link, video, image)')]
            .map(found => found.href || found.src).filter(address => typeof address === 'string')
            .filter(address => address && !address.startsWith(location.origin + '/'))"""
        assert driver.execute_script(script) == [], where
        assert driver.execute_script("return window.pwned") is None, where
        assert self._server.foreign() == [], where


def test_every_view_of_a_hostile_home_keeps_to_itself(trap: Trap, tmp_path: Path) -> None:
    home = tmp_path / "home"
    texts = attacks(trap.address)
    views = prepare(home, texts)
    with served(home) as server, browser() as driver:
        window = Window(driver)
        visitor = Visitor(window, server, trap)
        for view in views:
            visitor.see(view)
            if view.name == "search":
                window.write(f"{QUESTION} {texts[0]}", into=".st-key-query input")
                window.click("Suchen")
                window.wait("Treffer")
                visitor.look_into_everything()
                visitor.check("hits")
            if view.name == "replay":
                window.slide_to_end()
                window.wait("Ende: fertig")
                visitor.look_into_everything()
                visitor.check("end of the replay")
            if view.name == "runs":
                for dialog, ready in (("Umbenennen", "Speichern"), ("Abzweigen", "Hier abzweigen")):
                    choose(window, dialog)
                    window.wait(ready)
                    visitor.check(dialog)
                    window.press("dialog-leave")


def choose(window: Window, label: str) -> None:
    """An action of the menu of the finished run."""
    menu = window.find("[class*=st-key-menu-] button", last=True)
    window.driver.execute_script("arguments[0].click()", menu)
    window.pick(label)


def test_a_running_research_and_what_a_model_wrote_keep_to_themselves(
    trap: Trap, tmp_path: Path
) -> None:
    with served(tmp_path, "tests/support/fake_app.py") as server, browser() as driver:
        window = Window(driver)
        visitor = Visitor(window, server, trap)
        window.open(f"{server.url}/?fake=hostile")
        window.deep(UNCLEAR)
        step = "Freigeben und suchen"  # what the model would ask leads elsewhere, and is not asked
        window.wait(step)
        visitor.check(step)
        window.click(step)
        for working in ("läuft seit", "Relevanz prüfen", "Exportieren"):
            window.wait(working)
            visitor.check(working)
        visitor.look_into_everything()
        visitor.check("report")
