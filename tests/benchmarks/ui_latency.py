"""What the app costs in a browser: paint, reruns, pollers, imports.

    python -m tests.benchmarks.ui_latency --out ui_latency.json

Makes a home with 50 threads and 500 documents, starts the real server and Chromium, and goes
through all views, warm. Then a research is started on a model server that never answers, so that
what is counted is the looking at it and not the research. Needs chromium and chromedriver.
"""

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from agent.engine.engine import connect
from agent.models import RunOptions
from services.settings import Settings
from tests.support.big_home import QUESTION, BigHome, make_big_home
from tests.support.browser import Browser, browser
from tests.support.openai_server import OpenAIServer
from tests.support.page_timing import click_timed, open_timed, painted_when, processor_seconds
from tests.support.watched_server import WatchedServer

LANGUAGE = ".st-key-language button[aria-checked=false]"
"""Draws any page anew, in the other language."""
OTHER_VIEW = ".st-key-view button[aria-checked=false]"
SETTLING_S = 3.0
Numbers = dict[str, Any]


@dataclass(frozen=True)
class View:
    """A page, a text that is there when it has been painted, and a click that belongs to it."""

    name: str
    path: str
    ready: str
    click: str = LANGUAGE


def views(home: BigHome) -> Iterator[View]:
    here = f"/library?collection={home.collection}"
    mark = "[class*=st-key-mark-] [data-testid=stBaseButton-tertiary]"
    yield View("start", "/", "Gründlich")
    yield View("clarification", f"/?thread={home.asked}", "In den Dokumenten gefunden")
    yield View("plan", f"/?thread={home.planned}", "Freigeben", "[class*=st-key-down-] button")
    yield View("report", f"/?thread={home.done}", "Exportieren", mark)
    document = f"/document?doc={home.document}"
    yield View("document", document, "Zum Abschnitt", ".st-key-page-on button")
    yield View("runs", "/runs", "Dauer ist")
    replay = f"/runs?replay={home.done}"
    yield View("replay", replay, "Die Recherche beginnt", "[class*=-on] button")
    yield View("answer", f"/?thread={home.answered}", "Einzelheiten", mark)
    yield View("library", here, "Textstellen:", OTHER_VIEW)
    yield View("search", f"{here}&view=search", "Art der Suche", OTHER_VIEW)
    yield View("health", f"{here}&view=health", "prüfen", OTHER_VIEW)
    yield View("manage", f"{here}&view=manage", "Archiv", OTHER_VIEW)
    section = "[class*=st-key-section] button[aria-checked=false]"
    yield View("models", "/settings", "Sprachmodell", section)
    yield View("parameters", "/settings?section=parameters", "Neues Profil", section)
    yield View("program", "/settings?section=program", "beenden", section)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--times", type=int, default=10, help="of each paint and click, even")
    parser.add_argument("--idle", type=float, default=10.0, help="seconds of doing nothing")
    parser.add_argument("--threads", type=int, default=50)
    parser.add_argument("--documents", type=int, default=500)
    parser.add_argument("--only", nargs="*", default=[], help="names of views; without, all")
    parser.add_argument("--model", default="embedded", help="loads while a server begins")
    options = parser.parse_args()
    if options.times % 2:
        parser.error("--times must be even: the language that a click switches is kept")
    result: Numbers = {"begun": time.strftime("%F %T"), "load": os.getloadavg()[0], **vars(options)}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "home"
        home = make_big_home(place, threads=options.threads, documents=options.documents)
        result["pages"] = measure_pages(place, home, options)
        if not options.only:
            result["begun"] = measure_begun(place, home, options.model)
            result["running"] = measure_running(place, options.idle)
    result["load at the end"] = os.getloadavg()[0]
    options.out.write_text(json.dumps(result, indent=1, default=str), encoding="utf-8")
    print(table(result))


def measure_pages(place: Path, home: BigHome, options: argparse.Namespace) -> list[Numbers]:
    times, idle_s, only = options.times, options.idle, options.only
    wanted = [view for view in views(home) if not only or view.name in only]
    server = WatchedServer(place)
    server.start()
    try:
        with browser() as driver:
            open_once(driver, server, View("start", "/", "Gründlich"))
            return [measure(driver, server, view, times, idle_s) for view in wanted]
    finally:
        server.stop()


def open_once(driver: Browser, server: WatchedServer, view: View) -> tuple[float, float]:
    with painted_when(driver, view.ready):
        return open_timed(driver, server.url + view.path)


def measure(
    driver: Browser, server: WatchedServer, view: View, times: int, idle_s: float
) -> Numbers:
    cold = open_once(driver, server, view)
    statements = server.look().statements
    opened = [open_once(driver, server, view) for _ in range(times)]
    statements = round((server.look().statements - statements) / times)
    idle = costs(driver, server, idle_s)
    before = server.look()
    whole = [click_timed(driver, LANGUAGE) for _ in range(times)]
    after = server.look()
    open_once(driver, server, view)
    clicked = [click_timed(driver, view.click) for _ in range(times)]
    found = {
        "view": view.name,
        "first": round(cold[0]),
        "paint": spread([paint for paint, _ in opened]),
        "settled": spread([settled for _, settled in opened]),
        "statements": statements,
        "rerun": spread(whole),
        "rerun_cpu_ms": round(1000 * (after.cpu_s - before.cpu_s) / times),
        "rerun_statements": round((after.statements - before.statements) / times, 1),
        "click": spread(clicked),
        "idle": idle,
        "imported": server.look().heavy,
    }
    print(json.dumps(found), flush=True)
    return found


def spread(values: list[float]) -> Numbers:
    return {"median": round(statistics.median(values)), "worst": round(max(values))}


def costs(driver: Browser, server: WatchedServer, seconds: float) -> Numbers:
    """What a second of an open page takes: processor of server and browser, catalog queries."""
    time.sleep(SETTLING_S)
    chromium = driver.service.process.pid
    before, browsing, begun = server.look(), processor_seconds(chromium), time.monotonic()
    time.sleep(seconds)
    after, browsed, passed = server.look(), processor_seconds(chromium), time.monotonic() - begun
    return {
        "server_ms": round(1000 * (after.cpu_s - before.cpu_s) / passed, 1),
        "browser_ms": round(1000 * (browsed - browsing) / passed, 1),
        "queries": round((after.statements - before.statements) / passed, 2),
    }


def measure_begun(place: Path, home: BigHome, model: str) -> Numbers:
    """Each view as the first of a server that has just begun: seconds until it can be read.

    From the moment when the server, as ``rabbithole serve`` has it, answers; its language model
    loads meanwhile.
    """
    took = {}
    with browser() as driver:
        for view in views(home):
            server = WatchedServer(place, "app/asgi.py", llm=model)
            server.start()
            try:
                took[view.name] = round(open_once(driver, server, view)[0] / 1000, 2)
            finally:
                server.stop()
    return took


def measure_running(place: Path, seconds: float) -> dict[str, Numbers]:
    """The page of a run that waits for its model, another page meanwhile, and no page at all."""
    with OpenAIServer() as model, connect(Settings(home=place, llm="none")) as client:
        model.fault = "silent"
        server = WatchedServer(place, llm="openai:any", openai_url=model.base_url)
        server.start()
        try:
            with browser() as driver:
                open_once(driver, server, View("start", "/", "Gründlich"))
                thread = client.threads.start(QUESTION, options=RunOptions(clarify=False))
                found = {"no page": nobody_looks(driver, server, seconds)}
                open_once(driver, server, View("run", f"/?thread={thread}", "läuft"))
                found["its page"] = costs(driver, server, seconds)
                open_once(driver, server, View("start", "/", "Gründlich"))
                found["another page"] = costs(driver, server, seconds)
                client.threads.cancel(thread)
                return found
        finally:
            server.stop()


def nobody_looks(driver: Browser, server: WatchedServer, seconds: float) -> Numbers:
    driver.get("about:blank")
    return costs(driver, server, seconds)


def table(result: Numbers) -> str:
    """The figures as in results/app.md."""
    rows = [
        "| view | paint | settled | rerun | click | rerun: processor | queries | idle: server, "
        "browser, queries a s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for page in result["pages"]:
        figures = [
            f"{page[name]['median']} / {page[name]['worst']}"
            for name in ("paint", "settled", "rerun", "click")
        ]
        figures += [f"{page['rerun_cpu_ms']} ms", str(page["statements"])]
        cells = [page["view"], *figures, per_second(page["idle"])]
        rows.append(f"| {' | '.join(cells)} |")
    rows.append(f"first of a server: {result.get('begun')}")
    rows += [f"{name}: {per_second(cost)}" for name, cost in result.get("running", {}).items()]
    rows.append(f"imported: {result['pages'][-1]['imported']}")
    return "\n".join(rows)


def per_second(cost: Numbers) -> str:
    return f"{cost['server_ms']} ms, {cost['browser_ms']} ms, {cost['queries']}"


if __name__ == "__main__":
    main()
