"""The app in a real browser: a whole session through kill -9, two approvals, a phone."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent.engine.engine import Engine, connect
from services.domain.events import TaskFinished, TaskStarted
from services.settings import Settings
from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser, needs_browser, outside, requested_hosts, resize
from tests.support.house import QUESTION as UNCLEAR

pytestmark = [pytest.mark.browser, needs_browser]
QUESTION = "Welche Pflichten hat der Betreiber eines UV-Bestrahlungsgeräts?"
EXTRA_TASKS = (
    "Notabschaltung und Zwangsabschaltung",
    "Schulung des Fachpersonals",
    "Schutzbrillen",
    "Hinweise und Warnungen am Gerät",
)
PHONE = (390, 844)
CUT_OFF = """return [...document.querySelectorAll('[data-testid=stButtonGroup] > div')]
    .filter(found => found.scrollWidth > found.clientWidth).length"""


@pytest.fixture
def server(own_home: Path) -> Iterator[AppServer]:
    app = AppServer(own_home)
    app.start()
    yield app
    app.stop()


@pytest.fixture
def client(server: AppServer, own_home: Path) -> Iterator[Engine]:
    """A reader beside the server; it never takes the stores."""
    with connect(Settings(home=own_home, llm="none")) as reader:
        yield reader


def start(window: Window, server: AppServer) -> str:
    """Asks the question and returns the thread that the URL names."""
    window.open(server.url)
    window.deep(QUESTION)
    window.wait("Ohne Antwort weiter", "Freigeben und suchen")
    return window.driver.current_url.split("thread=")[1]


def go_to_plan(window: Window) -> None:
    window.to_plan()


def edit_plan(window: Window) -> None:
    """Changes the first task and adds some."""
    window.write(" in Sonnenstudios", into="[class*=st-key-task-] textarea")
    for task in EXTRA_TASKS:
        window.click("Aufgabe ergänzen")
        window.settle()
        window.write(task, into="[class*=st-key-task-] textarea", last=True)
    window.wait(f"1 geändert, 0 verschoben, 0 gestrichen, {len(EXTRA_TASKS)} ergänzt")


def wait_for_extraction(client: Engine, thread: str) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if any(isinstance(r.event, TaskStarted) for r in client.threads.events(thread)):
            return
        time.sleep(0.01)
    raise AssertionError("extraction did not begin")


def test_a_session_survives_kill_minus_nine_and_goes_on_from_its_url(
    server: AppServer, client: Engine
) -> None:
    with browser() as driver:
        window = Window(driver)
        thread = start(window, server)
        url = driver.current_url
        go_to_plan(window)
        edit_plan(window)
        window.click("Freigeben und suchen")
        wait_for_extraction(client, thread)
        server.kill()
        finished = [r for r in client.threads.events(thread) if isinstance(r.event, TaskFinished)]
        assert len(finished) < len(EXTRA_TASKS), "killed too late to mean anything"

        server.start()
        window.open(url)
        window.wait("Unterbrochen")
        window.click("Fortsetzen")
        window.wait("Exportieren")
        report = client.threads.report(thread)
        assert report is not None
        tasks = [item["task"] for item in report["todo"]]
        assert tasks[0].endswith("in Sonnenstudios")
        assert tasks[-len(EXTRA_TASKS) :] == list(EXTRA_TASKS)
        window.wait("wörtlich geprüft")
        driver.refresh()
        window.wait("Exportieren")
        assert outside(requested_hosts(driver)) == set()


def test_of_two_simultaneous_approvals_one_counts(server: AppServer, client: Engine) -> None:
    with browser() as one, browser() as two:
        first, second = Window(one), Window(two)
        thread = start(first, server)
        go_to_plan(first)
        second.open(f"{server.url}/?thread={thread}")
        second.wait("Plan zur Freigabe")
        edit_plan(first)
        told = approve_together(first, second)
        assert sorted(told) == [False, True]
        for window in (first, second):
            window.wait("Exportieren")
        report = client.threads.report(thread)
        assert report is not None
        edited = EXTRA_TASKS[0] in [item["task"] for item in report["todo"]]
        assert edited == told[1], "the plan of the window that was not told counts"


def approve_together(*windows: Window) -> list[bool]:
    """Approves in all windows at once; returns which were told that another was faster."""
    gate = threading.Barrier(len(windows))

    def approve(window: Window) -> bool:
        gate.wait()
        window.click("Freigeben und suchen")
        notice = "Die erste Antwort gilt"
        return window.wait(notice, "läuft seit", "Exportieren") == notice

    with ThreadPoolExecutor(len(windows)) as pool:
        return list(pool.map(approve, windows))


def test_on_a_phone_a_chip_answers_and_nothing_is_cut_off(fake_app: AppServer) -> None:
    with browser() as driver:
        resize(driver, *PHONE)
        window = Window(driver)
        window.open(f"{fake_app.url}/ask")
        window.click("Mehr")
        window.wait("Tiefe")
        assert not driver.execute_script(CUT_OFF)
        window.open(fake_app.url)
        window.wait("Gründlich")
        assert window.overflow() <= 0
        window.deep(UNCLEAR)
        window.click("Schwingungen der Hand")
        window.click("So antworten")
        window.wait("Freigeben und suchen")
        assert window.overflow() <= 0
        window.click("Freigeben und suchen")
        window.wait("Exportieren")
        assert window.overflow() <= 0
