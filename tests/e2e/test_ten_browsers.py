"""Ten browsers at once on ten threads: each sees its own research, whole and in order.

They are ten profiles of one Chromium, which have no cookie, cache or connection in common; ten
processes would only cost memory. All ask before any is answered, and all approve at one moment,
so that the runs overlap. `told_app` is the app with a list, on each page, of the events
that this browser's session was told.
"""

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from agent.engine.engine import connect
from services.domain.events import EventRecord
from services.settings import Settings
from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import Browser, browser, needs_browser, windows_of_their_own

pytestmark = [pytest.mark.browser, needs_browser]
TOPICS = (
    "Bienenstöcken",
    "Löschteichen",
    "Windrädern",
    "Taubenschlägen",
    "Steinbrüchen",
    "Seilbahnen",
    "Glashütten",
    "Weinkellern",
    "Fischzuchten",
    "Kletterhallen",
)
DUTY = (
    "({number}) Wer {topic} betreibt, hat die Pflicht, den Zustand von {topic} alle {number} "
    "Monate zu prüfen und das Ergebnis {number} Jahre lang aufzubewahren."
)
TEXT_OUTSIDE_THE_BAR = """
const main = document.querySelector('[data-testid=stMain]').cloneNode(true);
main.querySelectorAll('.st-key-status-bar, [class*=st-key-active-]').forEach(e => e.remove());
const typed = [...document.querySelectorAll('[class*=st-key-task-] textarea')].map(e => e.value);
return main.textContent + typed.join(' ');
"""


APPROVE_AT = """
const click = () => {
    const button = [...document.querySelectorAll('button')].find(
        found => found.textContent.includes('Freigeben und suchen'));
    if (button) button.click(); else setTimeout(click, 20);
};
setTimeout(click, arguments[0] - Date.now());
"""
"""Looks for the button when the moment has come: a page drawn anew meanwhile has another one."""


class Desk:
    """One of the browsers, with what it asked."""

    def __init__(self, driver: Browser, handle: str, topic: str) -> None:
        self._driver = driver
        self._handle = handle
        self.topic = topic
        self.question = f"Welche Pflichten gelten beim Betrieb von {topic}?"

    @property
    def window(self) -> Window:
        self._driver.switch_to.window(self._handle)
        return Window(self._driver)

    @property
    def thread(self) -> str:
        return self.window.driver.current_url.split("thread=")[1]

    def assert_own(self, *expected: str) -> None:
        """The page is about the question asked here, and about none of the others."""
        shown = str(self.window.driver.execute_script(TEXT_OUTSIDE_THE_BAR))
        for text in (self.question, *expected):
            assert text in shown
        assert [topic for topic in TOPICS if topic != self.topic and topic in shown] == []

    def told(self) -> list[tuple[str, list[int]]]:
        """What the session of this browser was told, look by look."""
        self.window.find("#told", hidden=True)
        # In one step, since the page may draw it anew at any moment.
        found = self.window.driver.execute_script(
            "return document.querySelector('#told')?.dataset.told"
        )
        return [(thread, seqs) for thread, seqs in json.loads(found or "")]


def ort(number: int) -> str:
    """The name of a collection, no part of any other's."""
    return f"Ort {number:02}"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Ten collections, each with a text of its own."""
    place = tmp_path / "home"
    with connect(Settings(home=place, llm="none")) as client:
        for number, topic in enumerate(TOPICS, 1):
            law = tmp_path / f"Satzung {number}.md"
            text = DUTY.format(number=number, topic=topic)
            law.write_text(f"# Satzung\n\n## § {number} Pflichten\n\n{text}\n", encoding="utf-8")
            client.library.ingest([law], ort(number))
    return place


@pytest.fixture
def server(home: Path) -> Iterator[AppServer]:
    app = AppServer(home, "tests/support/told_app.py")
    app.start()
    yield app
    app.stop()


def test_ten_browsers_each_see_their_own_research_whole(server: AppServer, home: Path) -> None:
    with browser(bidi=True) as driver, connect(Settings(home=home, llm="none")) as client:
        handles = windows_of_their_own(driver, len(TOPICS))
        desks = [Desk(driver, *each) for each in zip(handles, TOPICS, strict=True)]
        for desk in desks:
            desk.window.open(server.url)
        for number, desk in enumerate(desks, 1):
            window = desk.window
            window.click("in allen Sammlungen")
            window.choose(ort(number))
            window.deep(desk.question)
        for desk in desks:
            desk.window.wait("Überspringen", "Freigeben und suchen")
            desk.assert_own()
        assert len({desk.thread for desk in desks}) == len(TOPICS)
        for desk in desks:
            desk.window.to_plan()
            desk.assert_own()
        approve_together(desks)
        for number, desk in enumerate(desks, 1):
            desk.window.wait("Exportieren")
            desk.assert_own(f"alle {number} Monate zu prüfen")
        logs = [client.threads.events(desk.thread) for desk in desks]
        for desk, log in zip(desks, logs, strict=True):
            assert {thread for thread, _ in desk.told()} == {desk.thread}
            heard = [seq for _, seqs in desk.told() for seq in seqs]
            assert heard == [record.seq for record in log]
        assert most_at_once(logs) > 1


def approve_together(desks: Sequence[Desk]) -> None:
    """Approves all plans at one moment, which each page waits for by itself."""
    moment = time.time() + 5
    for desk in desks:
        desk.window.driver.execute_script(APPROVE_AT, 1000 * moment)
    assert time.time() < moment, "the machine is too slow for all to click at once"
    time.sleep(moment - time.time())


def most_at_once(logs: list[list[EventRecord]]) -> int:
    """How many threads were searching at the same time."""
    spans = []
    for log in logs:
        approved = next(record.at for record in log if record.event.kind == "plan_approved")
        spans.append((approved, log[-1].at))
    return max(sum(start <= moment <= end for start, end in spans) for moment, _ in spans)
