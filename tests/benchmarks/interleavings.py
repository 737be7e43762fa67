"""Orders in which owners and those who wait for them go away, each with real processes.

    python -m tests.benchmarks.interleavings [NAME] ...

One is survived if all that was not killed ends within 20 seconds with the status that it should,
what nobody waited for was not done, and the next command leaves nothing running.
"""

import json
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from agent.engine.connection import ANSWERS_WITHIN_S
from tests.benchmarks import common
from tests.benchmarks.two_processes import MEMBER, QUEUED, fresh, prepared
from tests.support.beside import LAWS, LIMIT_S, Home, Running, until

Problems = Iterator[str]
REMOVE: Final = ("documents", "remove", "StaubG.txt", "--collection", LAWS)
DOCTOR: Final = ("doctor", "--collection", LAWS)
REPAIR: Final = (*DOCTOR, "--repair")
GRAPH: Final = ("graph", "build", "--collection", LAWS)


def waiting(home: Home, *command: str) -> Running:
    """A command whose job the owner has claimed."""
    known = len(home.jobs())
    running = home.command(*command)
    until(
        lambda: any(status != QUEUED for *_, status in home.jobs()[known:]),
        lambda: running.wait(0.0) is not None,
    )
    return running


def ended(process: Running, status: int | None = 0, said: str = "") -> Problems:
    if process.wait() is None:
        yield f"{process.name} has not ended"
    elif status is not None and process.status != status:
        yield f"{process.name} ended with {process.status}: {process.said[-300:]}"
    if said not in process.said:
        yield f"{process.name} does not say {said!r}: {process.said[-300:]}"
    if "Traceback" in process.said:
        yield process.said[-800:]


def afterwards(home: Home, *, removed: bool) -> Problems:
    """What is wrong once the next command has ended."""
    home.hold.unlink(missing_ok=True)
    yield from ended(home.command("search", "Lärm"))
    yield from ended(home.command(*REPAIR))
    if removed == bool(home.rows(MEMBER.format("StaubG.txt"))):
        yield "the removal was not done" if removed else "the removal was done though nobody waited"
    if running := [each for each in home.jobs() if each[2] == "running"]:
        yield f"left running: {running}"


def gone(process: Running) -> None:
    process.signal(signal.SIGKILL)
    process.wait()


def three(home: Home) -> Problems:
    """The owner is killed, two wait."""
    owner = home.ingest()
    removing, checking = waiting(home, *REMOVE), waiting(home, *DOCTOR)
    gone(owner)
    home.hold.unlink()
    yield from (*ended(removing), *ended(checking), *afterwards(home, removed=True))


def crowd(home: Home) -> Problems:
    """Five take over at once when a server is killed."""
    owner = home.server()
    words = (REMOVE, REPAIR, GRAPH, DOCTOR, ("search", "Lärm"))
    crowd = [waiting(home, *each) for each in words]
    gone(owner)
    home.hold.unlink()
    for each in crowd:
        yield from ended(each)
    yield from afterwards(home, removed=True)


def waiter_killed(home: Home) -> Problems:
    """Who waits is killed while the owner ends."""
    owner = home.ingest()
    removing = waiting(home, *REMOVE)
    gone(removing)
    home.hold.unlink()
    yield from (*ended(owner), *afterwards(home, removed=False))


def both_killed(home: Home) -> Problems:
    """Owner and waiter are killed; the next command does not begin what was waited for."""
    owner = home.ingest()
    removing = waiting(home, *REMOVE)
    gone(owner)
    gone(removing)
    yield from afterwards(home, removed=False)


def during_take_over(home: Home) -> Problems:
    """Who takes over is told to end as soon as it owns the home; another goes on."""
    owner = home.ingest()
    removing, checking = waiting(home, *REMOVE), waiting(home, *DOCTOR)
    gone(owner)
    pid = home.home / "owner.pid"
    until(lambda: pid.exists() and pid.read_text() in (str(removing.pid), str(checking.pid)))
    first, other = (removing, checking)[:: 1 if pid.read_text() == str(removing.pid) else -1]
    first.signal(signal.SIGTERM)
    home.hold.unlink()
    yield from (*ended(first, -signal.SIGTERM), *ended(other))
    removed = not home.rows(MEMBER.format("StaubG.txt"))
    yield from afterwards(home, removed=removed)


def stopped(home: Home) -> Problems:
    """The owner is stopped: who asks is told so, and nothing is done once it goes on."""
    owner = home.ingest()
    owner.signal(signal.SIGSTOP)
    removing = home.command(*REMOVE)
    removing.wait(ANSWERS_WITHIN_S + LIMIT_S)
    yield from ended(removing, 1, "does not respond")
    owner.signal(signal.SIGCONT)
    home.hold.unlink()
    yield from (*ended(owner), *afterwards(home, removed=False))


def stopped_behind(home: Home) -> Problems:
    """The owner is stopped with a job that waits its turn, and killed."""
    owner = home.ingest()
    removing = waiting(home, *REMOVE)
    owner.signal(signal.SIGSTOP)
    gone(owner)
    home.hold.unlink()
    yield from (*ended(removing), *afterwards(home, removed=True))


def twice(home: Home) -> Problems:
    """Ctrl+C twice of who waits."""
    owner = home.ingest()
    removing = waiting(home, *REMOVE)
    removing.signal(signal.SIGINT)
    removing.signal(signal.SIGINT)
    yield from ended(removing, None)
    home.hold.unlink()
    yield from (*ended(owner), *afterwards(home, removed=False))


def once(home: Home) -> Problems:
    """Ctrl+C of who waits, while the job of another process waits too."""
    owner = home.ingest()
    removing, checking = waiting(home, *REMOVE), waiting(home, *DOCTOR)
    removing.signal(signal.SIGINT)
    yield from ended(removing, 1, "stopped before it began; nothing was changed.")
    home.hold.unlink()
    yield from (*ended(owner), *ended(checking), *afterwards(home, removed=False))


def begun(home: Home) -> Problems:
    """Ctrl+C of an ingestion that a server has begun: it says who finishes it."""
    owner = home.server()
    home.hold.unlink()
    until(lambda: all(status == "done" for *_, status in home.jobs()))
    home.held.unlink(missing_ok=True)  # by the second slow file
    home.hold.touch()
    (home.slow / "neu.txt").write_text("Langsam ist dies.\n")
    ingesting = home.command("ingest", home.slow, "--collection", "neu")
    until(home.held.exists)
    ingesting.signal(signal.SIGINT)
    yield from ended(ingesting, 1, f"process {owner.pid} finishes what it has begun")
    home.hold.unlink()
    until(lambda: bool(home.rows(MEMBER.format("neu.txt"))))
    owner.signal(signal.SIGTERM)
    yield from (*ended(owner), *afterwards(home, removed=False))


def owner_interrupted(home: Home) -> Problems:
    """Ctrl+C of the owner while another waits."""
    owner = home.ingest()
    removing = waiting(home, *REMOVE)
    owner.signal(signal.SIGINT)
    home.hold.unlink()
    yield from (*ended(owner, None), *ended(removing), *afterwards(home, removed=True))


def owner_interrupted_twice(home: Home) -> Problems:
    """Ctrl+C twice of the owner while another waits."""
    owner = home.ingest()
    removing = waiting(home, *REMOVE)
    owner.signal(signal.SIGINT)
    until(lambda: (home.folder / "hold").exists())
    owner.signal(signal.SIGINT)
    home.hold.unlink()
    yield from (*ended(owner, None), *ended(removing), *afterwards(home, removed=True))


def server_told_twice(home: Home) -> Problems:
    """A server is told to end twice while another waits."""
    owner = home.server()
    removing = waiting(home, *REMOVE)
    owner.signal(signal.SIGTERM)
    owner.signal(signal.SIGTERM)
    home.hold.unlink()
    yield from (*ended(owner), *ended(removing), *afterwards(home, removed=True))


def deletion_killed(home: Home) -> Problems:
    """A deletion is killed with the owner that it waits for; the next command finishes it."""
    owner = home.ingest()
    deleting = waiting(home, "collections", "delete", "laerm", "--yes")
    gone(owner)
    gone(deleting)
    home.hold.unlink()
    yield from ended(home.command("search", "Langsam"))
    if home.rows("SELECT * FROM deletions"):
        yield "the deletion is not finished"


def chain(home: Home) -> Problems:
    """Each that takes over is killed, until the last."""
    owner = home.ingest()
    waiters = [waiting(home, *each) for each in (REPAIR, GRAPH, REMOVE)]
    pid = home.home / "owner.pid"
    for _ in waiters[:-1]:
        gone(owner)
        pids = {str(each.pid): each for each in waiters if each.status is None}
        until(
            lambda: any(each.wait(0.0) is not None for each in waiters),
            lambda pids=pids: pid.exists() and pid.read_text() in pids,
        )  # type: ignore[misc]
        owner = pids.get(pid.read_text() if pid.exists() else "", owner)
    home.hold.unlink()
    for each in waiters:
        yield from ended(each, None)
    yield from afterwards(home, removed=not home.rows(MEMBER.format("StaubG.txt")))


ALL: Final[dict[str, Callable[[Home], Problems]]] = {
    each.__name__: each
    for each in (
        three, crowd, waiter_killed, both_killed, during_take_over, stopped, stopped_behind, twice,
        once, begun, owner_interrupted, owner_interrupted_twice, server_told_twice,
        deletion_killed, chain,
    )
}  # fmt: skip


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("names", nargs="*", choices=[*ALL, []])
    options: Any = parser.parse_args()
    bad = 0
    names = options.names or list(ALL)
    with tempfile.TemporaryDirectory() as folder:
        homes = fresh(prepared(Path(folder)))
        for name in names:
            home = next(homes)
            try:
                problems = list(ALL[name](home))
            except AssertionError as problem:
                problems = [f"{problem} {home.jobs()}"]
            finally:
                home.end_all()
            bad += bool(problems)
            row = {"name": name, "what": ALL[name].__doc__, "problems": problems}
            print(json.dumps(row, ensure_ascii=False), flush=True)
    print(f"{len(names) - bad} of {len(names)} survived")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
