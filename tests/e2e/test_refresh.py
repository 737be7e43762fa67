"""A refresh of the page in every phase, and a server killed amid the work, change nothing."""

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from agent.engine.engine import Engine, connect
from agent.models import RunOptions
from services.domain.events import PlanProposed, TaskStarted
from services.settings import Settings
from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser
from tests.support.desk import LAW, QUESTION
from tests.support.loopback import Body
from tests.support.model_replies import reply
from tests.support.ollama_server import OllamaServer
from tests.support.reading_test_replies import item_of
from tests.support.waiting import until

pytestmark = [pytest.mark.browser, needs_browser]
PATIENCE_S = 120.0
ADDED = "Messung des Lärms"
TASK = "[class*=st-key-task-] textarea"
EDITED = "1 geändert, 0 verschoben, 0 gestrichen, 1 ergänzt"


@dataclass
class Desk:
    """The app with its window, a reader beside it, and a model that can be made to wait."""

    server: AppServer
    window: Window
    reader: Engine
    may_extract: threading.Event = field(default_factory=threading.Event)

    def says(self, body: Body) -> str:
        tested = item_of(body["messages"][-1]["content"])
        if "claims" in (body.get("format") or {}).get("properties", {}) and tested is None:
            self.may_extract.wait(PATIENCE_S)
        return reply(body)

    def begin(self, options: RunOptions) -> str:
        """Starts a thread and opens it; the app's process does the work."""
        thread = self.reader.threads.start(QUESTION, options=options)
        assert not self.reader.owner
        self.window.open(f"{self.server.url}/?thread={thread}")
        return thread

    def refresh(self) -> None:
        self.window.driver.refresh()

    def restart(self) -> None:
        self.server.kill()
        self.server.start()
        self.refresh()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    law = tmp_path / "LaermG.txt"
    law.write_text(LAW, encoding="utf-8")
    settings = Settings(home=tmp_path / "home", llm="none")
    with connect(settings) as client:
        client.library.ingest([law], "laerm")
    with OllamaServer() as model, browser() as driver, connect(settings) as reader:
        server = AppServer(settings.home, llm="ollama:qwen3:14b", ollama_url=model.url)
        desk = Desk(server, Window(driver), reader)
        model.reply = desk.says
        server.start()
        desk.window.open(server.url)
        desk.window.wait("zurzeit läuft nichts")
        yield desk
        server.stop()


def test_a_thread_goes_on_where_it_was_in_every_phase(desk: Desk) -> None:
    desk.may_extract.clear()
    thread = desk.begin(RunOptions(clarify=False))
    edit_plan(desk.window)
    desk.refresh()
    desk.window.wait(EDITED)
    desk.window.click("Freigeben und suchen")
    until(lambda: has(desk, thread, TaskStarted), seconds=PATIENCE_S)
    for _ in range(2):
        desk.window.wait("läuft seit")
        desk.refresh()
    desk.restart()
    desk.window.wait("Unterbrochen")
    desk.may_extract.set()
    desk.window.click("Fortsetzen")
    desk.window.wait("Exportieren")
    assert has(desk, thread, PlanProposed) == 1, "what was done is not done again"
    assert_approved(desk, thread)
    desk.window.open(f"{desk.server.url}/?thread={thread}&cite=1")
    desk.window.wait("Satz folgt aus der Stelle")
    desk.refresh()
    desk.window.wait("Satz folgt aus der Stelle")


def edit_plan(window: Window) -> None:
    window.find("[class*=st-key-row-] [class*=st-key-edit-] button").click()
    window.settle()
    window.write(" und seine Folgen", into=TASK)
    window.click("Aufgabe ergänzen")
    window.settle()
    window.write(ADDED, into=TASK, last=True)
    window.wait(EDITED)


def assert_approved(desk: Desk, thread: str) -> None:
    """It has ended well, by the plan as it was edited."""
    run, report = desk.reader.threads.run(thread), desk.reader.threads.report(thread)
    assert (run.status, run.error) == ("done", None) and report is not None
    tasks = [item["task"] for item in report["todo"]]
    assert tasks[0].endswith(" und seine Folgen") and tasks[-1] == ADDED


def has(desk: Desk, thread: str, kind: type) -> int:
    return sum(isinstance(record.event, kind) for record in desk.reader.threads.events(thread))
