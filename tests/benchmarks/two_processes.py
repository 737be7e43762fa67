"""Every command beside an owner of the home that ends, is killed, or is told to end.

    python -m tests.benchmarks.two_processes [COMMAND] ...

A command survives if it ends within 20 seconds, has done what it is for or says how to go on, and
leaves nothing running. The owner is an ingestion that is held up, or a server with one.
"""

import json
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.benchmarks import common
from tests.support.beside import LAWS, LIMIT_S, Home, Running, until
from tests.support.deadly_trial import forked
from tests.support.deadly_works import write_files

QUESTION: Final = "Was gilt bei Lärm für Beschäftigte?"
QUEUED: Final = "queued"


class Command(NamedTuple):
    """What is run, and a query that finds a row once it is done."""

    words: tuple[str, ...]
    done: str = "SELECT 1"


MEMBER: Final = "SELECT 1 FROM memberships WHERE status = 'indexed' AND document = '{}'"
RUN: Final = "SELECT 1 FROM runs WHERE report IS NOT NULL AND kind = '{}'"
COMMANDS: Final = {
    "ingest": Command(("ingest", "{file}", "--collection", LAWS), MEMBER.format("LichtG.txt")),
    "ingest the same": Command(("ingest", "{slow}", "--collection", "langsam")),
    "remove": Command(
        ("documents", "remove", "StaubG.txt", "--collection", LAWS),
        f"SELECT 1 WHERE NOT EXISTS ({MEMBER.format('StaubG.txt')})",
    ),
    "empty bin": Command(("documents", "bin", "--collection", LAWS, "--empty")),
    "delete": Command(
        ("collections", "delete", LAWS, "--yes"),
        f"SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM collections WHERE name = '{LAWS}')"
        " AND NOT EXISTS (SELECT 1 FROM deletions)",
    ),
    "rename": Command(
        ("collections", "rename", LAWS, "neu"), "SELECT 1 FROM collections WHERE name = 'neu'"
    ),
    "share": Command(
        ("collections", "share", LAWS, "--visibility", "public"),
        "SELECT 1 FROM collections WHERE visibility = 'public'",
    ),
    "doctor": Command(("doctor", "--collection", LAWS)),
    "repair": Command(("doctor", "--collection", LAWS, "--repair")),
    "search": Command(("search", "Lärm")),
    "ask": Command(("ask", QUESTION), RUN.format("ask")),
    "research": Command(("research", QUESTION, "--yes", "--no-clarify"), RUN.format("research")),
    "graph": Command(("graph", "build", "--collection", LAWS), "SELECT 1 FROM graph_parts"),
    "backup": Command(("backup", "{folder}/backup.zip")),
    "export": Command(("collections", "export", LAWS, "-o", "{folder}/laerm.zip")),
    "config": Command(
        ("config", "set", "maxDocs", "7"), "SELECT 1 FROM parameters WHERE key = 'maxDocs'"
    ),
    "runs delete": Command(
        ("runs", "delete", "old", "--yes"),
        "SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM runs WHERE thread_id = 'old')",
    ),
    "jobs": Command(("jobs", "list")),
}


def _ends(home: Home, _: Running) -> None:
    home.hold.unlink()


def _killed(_: Home, owner: Running) -> None:
    owner.signal(signal.SIGKILL)


def _told(home: Home, owner: Running) -> None:
    owner.signal(signal.SIGTERM)
    home.hold.unlink()


OWNERS: Final[dict[str, tuple[Callable[[Home], Running], Callable[[Home, Running], None]]]] = {
    "an ingestion ends": (Home.ingest, _ends),
    "an ingestion is killed": (Home.ingest, _killed),
    "an ingestion is told to end": (Home.ingest, _told),
    "a server is killed": (Home.server, _killed),
    "a server is told to end": (Home.server, _told),
}


def prepared(folder: Path) -> Home:
    """A home with three laws and a thread."""
    home = Home(folder / "place")

    def make() -> None:
        write_files(home)
        with home.connect() as engine:
            asked = engine.answers.ask(QUESTION, thread_id="old")
            for _ in engine.threads.follow(asked.thread_id):
                pass
        home.write()

    assert forked(make)[0] == 0
    return home


def fresh(home: Home) -> Iterator[Home]:
    """Copies of a home in its own place, as its catalog names paths."""
    before = home.folder.with_name("before")
    shutil.copytree(home.folder, before)
    while True:
        shutil.rmtree(home.folder)
        shutil.copytree(before, home.folder)
        yield home


def tried(home: Home, name: str, owner: str) -> list[str]:
    """What is wrong with a command beside an owner."""
    start, end = OWNERS[owner]
    words, done = COMMANDS[name]
    places = {"file": home.folder / "LichtG.txt", "slow": home.slow, "folder": home.folder}
    owning = start(home)
    known = len(home.jobs())
    command = home.command(*(each.format(**places) for each in words))
    try:
        until(
            lambda: any(status != QUEUED for *_, status in home.jobs()[known:]),
            lambda: command.wait(0.0) is not None,
        )
        end(home, owning)
        # What the owner left is not held up with whoever takes over.
        owning.wait()
        home.hold.unlink(missing_ok=True)
        return list(_problems(home, owning, command, done))
    finally:
        home.end_all()


def _problems(home: Home, owner: Running, command: Running, done: str) -> Iterator[str]:
    if owner.status is None:
        yield "the owner has not ended"
    status = command.wait()
    if status is None:
        yield f"has not ended within {LIMIT_S} s"
    elif status != 0 and "Continue with: rabbithole resume" not in command.said:
        yield f"exit status {status}: {command.said[-300:]}"
    elif status == 0 and not home.rows(done):
        yield f"exit status 0, and not done: {command.said[-300:]}"
    if "Traceback" in command.said:
        yield command.said[-800:]
    if (next_one := home.command("search", "Lärm")).wait() != 0:
        yield f"the next command ended with {next_one.status}: {next_one.said[-300:]}"
    running = [each for each in home.jobs() if each[2] == "running"]
    if running:
        yield f"left running: {running}"
    if waiting := list((home.home / "waiting").glob("*")):
        yield f"{len(waiting)} lock files of those who wait are left"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("commands", nargs="*", choices=[*COMMANDS, []])
    options: Any = parser.parse_args(arguments)
    count = bad = 0
    with tempfile.TemporaryDirectory() as folder:
        homes = fresh(prepared(Path(folder)))
        for name in options.commands or COMMANDS:
            for owner in OWNERS:
                problems = tried(next(homes), name, owner)
                count, bad = count + 1, bad + bool(problems)
                row = {"command": name, "owner": owner, "problems": problems}
                print(json.dumps(row, ensure_ascii=False), flush=True)
    print(f"{count - bad} of {count} survived")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
