"""The safe exit in a real browser: what runs is paused, the server ends, work goes on later."""

from pathlib import Path

import pytest

from agent.engine.engine import Engine, connect
from agent.models import RunOptions
from services.domain.events import TaskFinished, TaskStarted
from services.settings import Settings
from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser
from tests.support.waiting import until

pytestmark = [pytest.mark.browser, needs_browser]
QUESTION = "Welche Pflichten hat der Betreiber, und welche Ausnahmen und Grenzwerte gelten?"


def test_told_to_stop_or_by_its_exit_the_server_pauses_what_runs_and_ends_in_good_order(
    own_home: Path,
) -> None:
    settings = Settings(home=own_home, llm="none")
    server = AppServer(own_home)
    server.start()
    try:
        with browser() as driver, connect(settings) as reader:
            window = Window(driver)
            window.open(f"{server.url}/settings?section=program")
            window.wait("Rabbithole beenden")
            thread = begin(reader)
            server.stop()
            assert_paused(reader, thread, server)

            server.start()
            window.open(f"{server.url}/settings?section=program")
            window.settle()  # a button that is drawn anew meanwhile would not open
            window.click("Rabbithole beenden …")
            window.wait("Jetzt beenden")
            thread = begin(reader)
            window.click("Jetzt beenden")
            window.wait("Rabbithole ist beendet.")
            assert_paused(reader, thread, server)

            window.driver.get("about:blank")  # the page would load itself again, over the next one
            server.start()
            window.open(f"{server.url}/?thread={thread}")
            window.wait("Angehalten")
            window.click("Fortsetzen")
            window.wait("Exportieren")
    finally:
        server.stop()
    assert "Traceback" not in (own_home / "server.log").read_text(encoding="utf-8")


def begin(reader: Engine) -> str:
    """A research that the server is at work on."""
    thread = reader.threads.start(QUESTION, options=RunOptions(clarify=False, approve_plan=False))
    assert not reader.owner
    log = reader.threads.events
    until(lambda: any(isinstance(record.event, TaskStarted) for record in log(thread)))
    return thread


def assert_paused(reader: Engine, thread: str, server: AppServer) -> None:
    """The server has ended amid the tasks."""
    assert server.exit_code() == 0
    assert reader.threads.run(thread).status == "paused"
    tasks = [record.event for record in reader.threads.events(thread)]
    assert sum(isinstance(event, TaskFinished) for event in tasks) < 3, "ended too late"
