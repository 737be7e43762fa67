"""Kills a grid and a sweep at points all over them, and has another process go on.

    python -m tests.benchmarks.grid_kills [grid] [sweep] [--points 10] [--point TEXT]

One survives if it ends like one that was never killed, and no row that was stored is read again.
"""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks import common
from tests.support.deadly_grids import make_home

KINDS = {
    "grid": ("grids.set_rows", "model.fill_in", "model.verify", "grids.put", "checkpoint"),
    "sweep": (
        "grids.set_rows",
        "model.look_through",
        "model.verify",
        "grids.put",
        "model.group",
        "checkpoint",
    ),
}
"""Where they are killed; the points of each are taken from the beginning to the end."""


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.support.deadly_grids", str(home), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def whole(home: Path, thread: str) -> dict[str, Any]:
    """What comes of a thread that is not killed (any more)."""
    ended = run(home, thread)
    assert ended.returncode == 0, ended.stderr[-2000:]
    return dict(json.loads(ended.stdout))


def spread(thread: str, passed: list[str], most: int) -> list[str]:
    """So many of the points that were passed, alike of all kinds, spread over the whole run."""
    chosen: list[str] = []
    kinds = KINDS[thread]
    for n, kind in enumerate(kinds):
        of_kind = [point for point in passed if point.startswith(f"{kind}#")]
        share = most // len(kinds) + (n < most % len(kinds))
        chosen += [of_kind[(2 * i + 1) * len(of_kind) // (2 * share)] for i in range(share)]
    return chosen


def faults_of(template: Path, home: Path, thread: str, point: str, end: Any) -> list[str]:
    """What is wrong with a thread that was killed at a point."""
    shutil.copytree(template, home)
    died = run(home, thread, point)
    if died.returncode != -signal.SIGKILL:
        return [f"it is not reached: {died.stderr[-500:]}"]
    again = whole(home, thread)
    twice = set(again["stored"]) & set(again["rows"])
    faults = [f"{len(twice)} stored rows are read again"] if twice else []
    return faults + ([] if again["end"] == end else ["another end"])


def survived(thread: str, most: int, only: list[str]) -> tuple[int, int]:
    """How many points a thread survives, of how many."""
    with tempfile.TemporaryDirectory() as folder:
        template = Path(folder) / "template"
        make_home(template)
        shutil.copytree(template, Path(folder) / "whole")
        expected = whole(Path(folder) / "whole", thread)
        points = spread(thread, expected["passed"], most)
        points = [point for point in points if any(text in point for text in only)]
        good = 0
        for n, point in enumerate(points):
            faults = faults_of(template, Path(folder) / str(n), thread, point, expected["end"])
            good += not faults
            print(f"{thread}, {point}: {'; '.join(faults) or 'survived'}", flush=True)
    print(f"{thread}: {good} of {len(points)} points survived", flush=True)
    return good, len(points)


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("names", nargs="*", choices=[*KINDS, []])
    parser.add_argument("--points", type=int, default=10)
    parser.add_argument("--point", action="append", help="only those with this in their name")
    options = parser.parse_args()
    counts = [survived(n, options.points, options.point or [""]) for n in options.names or KINDS]
    sys.exit(any(good < points for good, points in counts))


if __name__ == "__main__":
    main()
