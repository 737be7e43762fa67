"""The runs page in a real browser: replay, fork, delete."""

from pathlib import Path

import pytest

from agent.engine.engine import connect
from services.settings import Settings
from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, outside, requested_hosts
from tests.support.desk import until_ended
from tests.support.research import planned

pytestmark = [pytest.mark.browser, needs_browser]
QUESTION = "Welche Pflichten hat der Betreiber eines UV-Bestrahlungsgeräts?"


def choose(window: Window, thread: str, label: str) -> None:
    """An action of the menu of a thread."""
    window.press(f"menu-{thread}")
    window.pick(label)


def test_a_finished_thread_is_replayed_forked_from_its_plan_and_deleted(
    own_home: Path,
) -> None:
    settings = Settings(home=own_home, llm="none")
    with connect(settings) as client:
        thread, pending = planned(client, QUESTION)
        client.threads.approve(thread, pending.interrupt_id)
        assert until_ended(client, thread) == "done"
    app = AppServer(own_home)
    app.start()
    try:
        with browser() as driver, connect(settings) as client:
            window = Window(driver)
            window.open(f"{app.url}/runs?replay={thread}")
            window.wait("Die Recherche beginnt")
            window.slide_to_end()
            window.wait("Ende: fertig")
            window.click("Ganzer Verlauf")
            window.wait("Dauer ist")

            choose(window, thread, "Abzweigen …")
            window.wait("vor der Freigabe des Plans")
            driver.back()
            window.wait("Ende: fertig", "Die Recherche beginnt")
            driver.forward()
            window.wait("Dauer ist")
            window.settle()
            assert "vor der Freigabe des Plans" not in window.text

            choose(window, thread, "Abzweigen …")
            window.wait("vor der Freigabe des Plans")
            window.click("Hier abzweigen")
            window.wait("Plan zur Freigabe")
            fork = driver.current_url.split("thread=")[1]
            assert client.threads.run(fork).parent_thread == thread
            window.click("Freigeben und suchen")
            window.wait("Exportieren")

            window.open(f"{app.url}/runs")
            window.wait("Abzweigung")
            choose(window, thread, "Löschen …")
            window.click("Endgültig löschen")
            window.wait("Gelöscht")
            assert [run.thread_id for run in client.threads.runs()] == [fork]
            assert client.threads.report(fork) is not None
            assert outside(requested_hosts(driver)) == set()
    finally:
        app.stop()
