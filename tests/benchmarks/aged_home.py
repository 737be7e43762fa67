"""What a home costs to open that is large and has been used for a year.

    python -m tests.benchmarks.aged_home --home HOME --collection C [--threads 1000] [--times 5]

HOME is one of ``big_home`` (a copy: it is written to). A few questions and researches are done in
it without a model; their rows (runs, events, commands, checkpoints and their writes) are copied
under new ids, with days spread over the last year, until there are as many threads as wanted. Then
commands are run in processes of their own, and the app is started, with pages opened in a browser;
``--other HOME`` does the same in another home, to see what is due to age and size.
"""

import json
import os
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from datetime import datetime, timedelta
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from agent.engine.engine import connect
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.endurance import asked, ended, researched
from tests.support.app_server import AppServer
from tests.support.app_window import Window
from tests.support.browser import browser

YEAR = timedelta(days=365)
QUICK, DEEP = 6, 2
"""Threads that are done for good, and then copied."""
STEPS = ("checkpoints", "writes")
ROWS = ("runs", "leases", "commands", "events")
TIMES = {"created_at", "updated_at", "at"}
NUMBERED = {"id", "seq"}
"""Columns that count by themselves."""
COMMANDS = {
    "runs list": ("runs", "list", "--json"),
    "collections list": ("collections", "list", "--json"),
    "search": ("search", "Welche Grenzwerte gelten für Beschäftigte?", "--json"),
}
PAGES = {"/": "Gründlich", "/runs": "Dauer ist", "/library": "Bibliothek"}


def worked_in(home: Path, collection: str) -> list[str]:
    """Threads that were done in it, oldest first."""
    questions = [each.text for each in common.load_questions()]
    with connect(Settings(home=home, llm="none")) as engine:
        threads = [asked(engine, each, collection)[0] for each in questions[:QUICK]]
        for question in questions[:DEEP]:
            threads.append(researched(engine, question, collection))
            assert ended(engine, threads[-1]) == "done"
    return threads


def age(home: Path, threads: Sequence[str], wanted: int) -> None:
    """Copies all that is kept of the threads until there are ``wanted``."""
    copies = [
        (thread, f"{number:05x}{thread[5:]}", YEAR * number / wanted)
        for number, thread in enumerate(islice(cycle(threads), wanted - len(threads)), start=1)
    ]
    for store, tables in (("catalog", ROWS), ("checkpoints", STEPS)):
        with closing(sqlite3.connect(home / f"{store}.sqlite3")) as database, database:
            for table in tables:
                _copy(database, table, copies)


def _copy(
    database: sqlite3.Connection, table: str, copies: Sequence[tuple[str, str, timedelta]]
) -> None:
    columns = [row[1] for row in database.execute(f"pragma table_info({table})")]
    columns = [name for name in columns if name not in NUMBERED]
    named = ", ".join(f'"{name}"' for name in columns)
    kept: dict[str, list[dict[str, Any]]] = {}
    for old in {old for old, _, _ in copies}:
        rows = database.execute(f"select {named} from {table} where thread_id = ?", (old,))
        kept[old] = [dict(zip(columns, row, strict=True)) for row in rows]

    def made() -> Iterator[list[Any]]:
        for old, new, back in copies:
            for row in kept[old]:
                yield [_other(name, value, old, new, back) for name, value in row.items()]

    marks = ", ".join("?" * len(columns))
    database.executemany(f"insert into {table} ({named}) values ({marks})", made())


def _other(name: str, value: Any, old: str, new: str, back: timedelta) -> Any:
    """A value of a copied row: the thread by its new id, the moment so much earlier."""
    if not isinstance(value, str):
        return value
    if name in TIMES:
        return (datetime.fromisoformat(value) - back).isoformat()
    return value.replace(old, new)


def commands(home: Path, times: int) -> Iterator[tuple[str, float]]:
    """Seconds of each command, in a process of its own."""
    told = {"RABBITHOLE_HOME": str(home), "RABBITHOLE_LLM": "none"}
    for _ in range(times):
        for name, words in COMMANDS.items():
            line = [sys.executable, "-m", "app.cli.main", *words]
            yield name, _timed(_run, line, told)


def _run(line: Sequence[str], told: dict[str, str]) -> None:
    subprocess.run(line, env=os.environ | told, check=True, stdout=subprocess.DEVNULL)


def pages(home: Path, thread: str, times: int) -> Iterator[tuple[str, float]]:
    """Seconds until the app is there, and until each page reads what it has to."""
    wanted = PAGES | {f"/?thread={thread}": "Exportieren"}
    for _ in range(times):
        app = AppServer(home)
        yield "app started", _timed(app.start)
        try:
            with browser() as driver:
                window = Window(driver)
                for path, text in wanted.items():
                    yield path.partition("=")[0], _timed(_open, window, app, path, text)
        finally:
            app.stop()


def _open(window: Window, app: AppServer, path: str, text: str) -> None:
    window.open(app.url + path)
    window.wait(text)


def _timed(what: Callable[..., None], *given: Any) -> float:
    begun = time.perf_counter()
    what(*given)
    return time.perf_counter() - begun


def counted(home: Path) -> dict[str, int]:
    with closing(sqlite3.connect(home / "catalog.sqlite3")) as database:
        rows = {name: f"select count(*) from {name}" for name in ("chunks", "runs", "events")}
        return {name: database.execute(query).fetchone()[0] for name, query in rows.items()}


def main() -> None:
    parser = common.arguments(__doc__, "home", "collection")
    parser.add_argument("--threads", type=int, default=1000)
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--other", type=Path, help="a home that is young, with a report in it")
    given = parser.parse_args()
    home: Path = given.home
    if counted(home)["runs"] < given.threads:
        age(home, worked_in(home, given.collection), given.threads)
    for place in filter(None, (home, given.other)):
        taken: dict[str, list[float]] = {}
        report = _a_report(place)
        for measured in (commands(place, given.times), pages(place, report, given.times)):
            for name, seconds in measured:
                taken.setdefault(name, []).append(seconds)
        print(json.dumps(counted(place)), common.load())
        for name, all_of in taken.items():
            middle, most = statistics.median(all_of), max(all_of)
            print(f"{name:20} {middle:6.2f} s, {min(all_of):.2f} to {most:.2f}")


def _a_report(home: Path) -> str:
    """The oldest thread with a report of a research."""
    with closing(sqlite3.connect(home / "catalog.sqlite3")) as database:
        query = "select thread_id from runs where kind = 'research' and status = 'done'"
        return str(database.execute(f"{query} order by created_at limit 1").fetchone()[0])


if __name__ == "__main__":
    main()
