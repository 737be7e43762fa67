"""Pictures of every view of the app, light and dark, at desktop and phone width.

    python -m tests.benchmarks.screenshots --home HOME --collection NAME --out docs/ui

HOME is copied first, so nothing of it changes. Runs are made with the model ``none``: one that
has a report, one that asks, one whose plan waits. Needs chromium and chromedriver.
"""

import argparse
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from agent.client import Client, connect
from agent.models import RunOptions
from services.settings import Settings
from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import Browser, browser, resize, screenshot

QUESTION = "Welche Dosisgrenzwerte gelten für beruflich exponierte Personen unter 18 Jahren?"
OTHER = "Was ist bei Radon am Arbeitsplatz zu messen?"
SIZES = {"desktop": (1280, 900), "phone": (390, 844)}
COLORS = 96
TALLEST = 1400


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--collection", required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        shutil.copytree(options.home, home)
        with connect(Settings(home=home, llm="none")) as client:
            views = list(prepare(client, options.collection))
        server = AppServer(home)
        server.start()
        try:
            with browser() as driver:
                for name, path, ready in views:
                    shoot(driver, server.url + path, name, ready, options.out)
        finally:
            server.stop()


def prepare(client: Client, collection: str) -> Iterator[tuple[str, str, str]]:
    """Name, address and a text of each view, with the runs that it shows."""
    names = [collection]
    done = client.start(QUESTION, collections=names, options=RunOptions(clarify=False))
    (plan,) = settled(client, done)
    client.approve(done, plan)
    settled(client, done)
    planned = client.start(OTHER, collections=names, options=RunOptions(clarify=False))
    settled(client, planned)
    asked = client.start(OTHER, collections=names)
    settled(client, asked)
    report = client.report(done)
    assert report is not None
    cited = report["sentences"][0]["citations"][0]
    place = f"doc={cited['document_id']}&page={cited['page']}&span={cited['start']}-{cited['end']}"
    yield "start", "/", "Recherche starten"
    yield "clarification", f"/?thread={asked}", "Runde 1"
    yield "plan", f"/?thread={planned}", "Plan zur Freigabe"
    yield "report", f"/?thread={done}&cite=1", "Sätzen belegt"
    yield "document", f"/document?{place}", "StrlSch"
    yield "library", "/library", "Sammlungen"
    yield "health", "/library?view=health", "Zustand"
    yield "runs", "/runs", "wartet auf Sie"
    yield "models", "/settings", "Sprachmodell"
    yield "parameters", "/settings?section=parameters", "Neues Profil"


def settled(client: Client, thread: str) -> list[str]:
    """Waits until a run asks or has ended; the id of what it asks."""
    while client.run(thread).status in ("queued", "running"):
        time.sleep(0.1)
    run = client.run(thread)
    return [run.pending.interrupt_id] if run.pending is not None else []


def shoot(driver: Browser, url: str, name: str, ready: str, out: Path) -> None:
    window = Window(driver)
    for color in ("light", "dark"):
        media = {"features": [{"name": "prefers-color-scheme", "value": color}]}
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        for size, (width, height) in SIZES.items():
            resize(driver, width, height)
            window.open(url)
            window.wait(ready)
            window.settle()
            time.sleep(1.5)
            script = "return document.querySelector('[data-testid=stMain]').scrollHeight"
            whole = max(height, min(int(driver.execute_script(script)) + 20, TALLEST))
            resize(driver, width, whole)
            time.sleep(1.0)
            path = out / f"{name}-{size}-{color}.png"
            screenshot(driver, path)
            Image.open(path).convert("RGB").quantize(COLORS).save(path, optimize=True)
            print(path.name, "sideways:", window.overflow(), flush=True)


if __name__ == "__main__":
    main()
