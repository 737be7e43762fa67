"""The runs page in a real browser: replay, fork, delete, and the browser's way back."""

import pytest

from agent.engine.engine import connect
from services.settings import Settings
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, outside, requested_hosts
from tests.support.read_home import ReadHome

pytestmark = [pytest.mark.browser, needs_browser]


def choose(window: Window, thread: str, label: str) -> None:
    """An action of the menu of a thread."""
    window.press(f"menu-{thread}")
    window.pick(label)


def test_a_finished_thread_is_replayed_and_forked_and_the_fork_deleted(
    read_home: ReadHome,
) -> None:
    thread = read_home.report["thread_id"]
    with browser() as driver, connect(Settings(home=read_home.home, llm="none")) as client:
        window = Window(driver)
        window.open(f"{read_home.url}/runs?replay={thread}")
        window.wait("Die Recherche beginnt")
        window.slide_to_end()
        window.wait("Ende: fertig")
        window.click("Ganzer Verlauf")
        window.wait("Die Dauer zählt")

        choose(window, thread, "Abzweigen …")
        window.wait("vor der Freigabe des Plans")
        driver.back()
        window.wait("Ende: fertig", "Die Recherche beginnt")
        driver.forward()
        window.wait("Die Dauer zählt")
        window.settle()
        assert "vor der Freigabe des Plans" not in window.text

        choose(window, thread, "Abzweigen …")
        window.wait("vor der Freigabe des Plans")
        window.click("Hier abzweigen")
        window.wait("Abzweigung von")
        window.wait("Exportieren")
        fork = driver.current_url.split("thread=")[1]
        assert client.threads.run(fork).parent_thread == thread

        window.open(f"{read_home.url}/runs")
        window.wait("Abzweigung")
        choose(window, fork, "Löschen …")
        window.click("Endgültig löschen")
        window.wait("Gelöscht")
        assert fork not in [run.thread_id for run in client.threads.runs()]
        assert client.threads.report(thread) is not None
        assert outside(requested_hosts(driver)) == set()
