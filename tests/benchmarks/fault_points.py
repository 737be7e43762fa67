"""Kills sessions at every point of every node that they pass, and works of the library at every
point of every step, and has another process go on.

    python -m tests.benchmarks.fault_points [research] [fast] ... [ingest] ... [--point TEXT]

A session (ten seconds a point) survives if it ends with the report of one that was never killed; a
work (a second a point) if the home, and the archive beside it, end like those of one that was not.
"""

import json
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.benchmarks import common
from tests.support.deadly_moves import MOVES
from tests.support.deadly_trial import Trial
from tests.support.deadly_works import WORKS

SESSIONS = ("research", "fast", "enhanced", "structured")


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.support.fault_points", str(home), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def whole(home: Path, session: str) -> dict[str, Any]:
    """What a session comes to that is not killed (any more)."""
    ended = run(home, session)
    assert ended.returncode == 0, ended.stderr[-2000:]
    return dict(json.loads(ended.stdout))


def killed(home: Path, session: str, point: str) -> dict[str, Any]:
    """The same of one that dies at a point and is taken up by another process."""
    died = run(home, session, *point.split())
    assert died.returncode == -signal.SIGKILL, f"{point} is not reached\n{died.stderr[-2000:]}"
    return whole(home, session)


def matching(name: str, points: Iterable[str], wanted: list[str]) -> list[str]:
    return [each for each in points if any(some in f"{name}, {each}" for some in wanted)]


def survived(session: str, only: list[str]) -> tuple[int, int]:
    """How many points with one of ``only`` in their names a session survives, of how many."""
    with tempfile.TemporaryDirectory() as folder:
        expected = whole(Path(folder) / "whole", session)
        points = matching(session, dict.fromkeys(expected["passed"]), only)
        same = 0
        for point in points:
            try:
                report = killed(Path(folder) / point.replace(" ", "-"), session, point)["report"]
            except AssertionError as error:
                print(f"{session}, {point}: {error}", flush=True)
                continue
            same += report == expected["report"]
            if report != expected["report"]:
                differs = [k for k in report if report[k] != expected["report"].get(k)]
                print(f"{session}, {point}: another report ({', '.join(differs)})", flush=True)
    print(f"{session}: {same} of {len(points)} points end with the same report", flush=True)
    return same, len(points)


def outlived(work: str, only: list[str]) -> tuple[int, int]:
    """The same of a work of the library."""
    ways: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        trial = Trial(Path(folder), work)
        points = matching(work, trial.points, only)
        for point in points:
            how, differs = trial.killed(point)
            ways["another end" if differs else how] += 1
            if differs:
                print(f"{work}, {point}, {how}:", *(each[:90] for each in differs[:4]), flush=True)
    same = ways["by itself"] + ways["again"]
    said = ", ".join(f"{count} {how}" for how, count in sorted(ways.items()))
    print(f"{work}: {same} of {len(points)} points end the same ({said})", flush=True)
    return same, len(points)


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("names", nargs="*", choices=[*SESSIONS, *WORKS, *MOVES, []])
    parser.add_argument("--point", action="append", help="only those with this in 'NAME, POINT'")
    options = parser.parse_args()
    bad = 0
    for name in options.names or [*SESSIONS, *WORKS, *MOVES]:
        tried = survived if name in SESSIONS else outlived
        same, points = tried(name, options.point or [""])
        bad += points - same
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
