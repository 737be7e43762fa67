"""Pictures of the views that docs/ui.md shows, light and dark, at desktop and phone width.

    python -m tests.benchmarks.screenshots --home HOME --collection NAME --out OUT

Twelve of them are copied to ``docs/ui``. HOME is copied first, so nothing of it changes; in the
copy, documents that are not ingested to the end and earlier threads are taken out. Runs are made
with the model ``none``: one that has a report, one whose plan waits. A run at work would have
ended before the camera is there, and without a model none asks back, so these are played
(``tests/support/fake_app.py``). The first visit has a home of its own. Needs chromium and
chromedriver.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from selenium.webdriver.common.by import By

from agent.engine.engine import Engine, connect
from agent.models import RunOptions
from services.settings import Settings
from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import Browser, browser, resize, screenshot

QUESTION = "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren?"
OTHER = "Welche Folgen hat eine Schwangerschaft für die Tätigkeit im Kontrollbereich?"
SEARCH = "Dosisgrenzwert für Auszubildende unter 18 Jahren"
QUICK = "Welcher Grenzwert gilt für die Augenlinse beruflich exponierter Personen?"
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
COLORS = (160, 96, 64, 32)
MOST_BYTES = 120_000
TALLEST = 1400


def nothing(window: Window) -> None:
    """What is done before most pictures are taken."""


@dataclass(frozen=True)
class View:
    """A picture: where it is, a text that shows that it is there, what to do before.

    ``whole`` views are as high as their page; the others show what the window shows.
    """

    name: str
    path: str
    ready: str
    act: Callable[[Window], None] = nothing
    whole: bool = True


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--collection", required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", nargs="*", help="names of views; omitted means all")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        shutil.copytree(options.home, home)
        with connect(Settings(home=home, llm="none")) as client:
            tidy(client, options.collection)
            views = list(prepare(client, options.collection))
        album(AppServer(home), views, options)
        album(AppServer(empty(folder, "first")), [FIRST_VISIT], options)
        played = AppServer(empty(folder, "played"), script="tests/support/fake_app.py")
        album(played, [WORKING, CLARIFICATION], options)


def empty(folder: str, name: str) -> Path:
    """A new home."""
    home = Path(folder) / name
    home.mkdir()
    return home


def album(server: AppServer, views: list[View], options: argparse.Namespace) -> None:
    """Takes the pictures of one home."""
    wanted = [view for view in views if not options.only or view.name in options.only]
    if not wanted:
        return
    server.start()
    try:
        with browser() as driver:
            for view in wanted:
                shoot(driver, server.url, view, options.out)
    finally:
        server.stop()


def tidy(client: Engine, collection: str) -> None:
    """Takes out what would not be shown to a stranger."""
    for run in client.threads.runs():
        client.threads.delete(run.thread_id)
    for info in client.library.documents(collection):
        if info.status != "indexed":
            client.library.remove_document(collection, info.document_id)


def prepare(client: Engine, collection: str) -> Iterator[View]:
    """The views of a home with documents, after making the runs that they show."""
    names = [collection]
    done = client.threads.start(QUESTION, collections=names, options=RunOptions(clarify=False))
    (plan,) = settled(client, done)
    client.threads.approve(done, plan)
    settled(client, done)
    planned = client.threads.start(OTHER, collections=names)
    settled(client, planned)
    answer = client.answers.ask(QUICK, collections=names).thread_id
    settled(client, answer)
    report = client.threads.report(done)
    assert report is not None
    cited = report["sentences"][0]["citations"][0]
    place = f"doc={cited['document_id']}&page={cited['page']}&span={cited['start']}-{cited['end']}"
    yield View("plan", f"/?thread={planned}", "Plan zur Freigabe")
    yield View("report", f"/?thread={done}&cite=1", "Exportieren", whole=False)
    yield View("coverage", f"/?thread={done}", "Exportieren", coverage, whole=False)
    yield View("answer", f"/?thread={answer}", "Einzelheiten", whole=False)
    yield View("document", f"/document?{place}", "StrlSch", whole=False)
    yield View("library", "/library", "Sammlungen")
    yield View("search", "/library?view=search", "Suchen", search)
    yield View("fork", "/runs", "wartet auf Sie", lambda window: fork(window, done), whole=False)


def settled(client: Engine, thread: str) -> list[str]:
    """Waits until a run asks or has ended; the id of what it asks."""
    while client.threads.run(thread).status in ("queued", "running"):
        time.sleep(0.1)
    run = client.threads.run(thread)
    return [run.pending.interrupt_id] if run.pending is not None else []


def to(window: Window, selector: str) -> None:
    """Brings the first that a selector finds below the bar on top."""
    script = """const found = document.querySelector(arguments[0]);
        found.style.scrollMarginTop = '5rem'; found.scrollIntoView({block: 'start'})"""
    window.driver.execute_script(script, selector)


def coverage(window: Window) -> None:
    window.click("Abdeckung")
    window.wait("Teilfrage")
    to(window, ".st-key-details-open")


def search(window: Window) -> None:
    window.write(SEARCH, into="[class*=st-key-query] input")
    window.press("search")
    window.wait("Textstelle öffnen")


def fork(window: Window, thread: str) -> None:
    window.press(f"menu-{thread}")
    window.wait("Abzweigen …")
    path = "//*[normalize-space(text())='Abzweigen …']"
    last = window.driver.find_elements(By.XPATH, path)[-1]
    window.driver.execute_script("arguments[0].click()", last)  # it may be below the window
    window.wait("vor der Freigabe des Plans")


FIRST_VISIT = View("first-visit", "/", "Eigene Dokumente befragen")
WORKING = View("working", "/?fake=still&thread=t1", "läuft seit")
CLARIFICATION = View("clarification", "/?fake=asked&thread=t1", "In den Dokumenten gefunden")


def shoot(driver: Browser, server: str, view: View, out: Path) -> None:
    """Takes the four pictures of a view."""
    window = Window(driver)
    for color in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": color}]}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        for size, (width, height) in SIZES.items():
            resize(driver, width, height)
            window.open(server + view.path)
            window.wait(view.ready)
            window.settle()
            view.act(window)
            window.settle()
            time.sleep(1.5)
            if view.whole:
                script = "return document.querySelector('[data-testid=stMain]').scrollHeight"
                tall = int(driver.execute_script(script)) + 20
                resize(driver, width, max(height, min(tall, TALLEST)))
                time.sleep(1.0)
            path = out / f"{view.name}-{size}-{color}.png"
            screenshot(driver, path)
            shrink(path)
            print(path.name, path.stat().st_size, "sideways:", window.overflow(), flush=True)


def shrink(path: Path) -> None:
    """Fewer colours, until the file is small enough to be kept with the sources."""
    picture = Image.open(path).convert("RGB")
    for colors in COLORS:
        picture.quantize(colors, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
        if path.stat().st_size <= MOST_BYTES:
            return


if __name__ == "__main__":
    main()
