"""Kills a session at every point of every node that it passes, and takes it up again.

    python -m tests.benchmarks.fault_points [--session research --session fast ...]

Ten seconds a point. A session survives if it ends with the report of one that was never killed.
"""

import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.benchmarks import common

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


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--session", choices=SESSIONS, action="append")
    bad = 0
    for session in parser.parse_args().session or SESSIONS:
        with tempfile.TemporaryDirectory() as folder:
            expected = whole(Path(folder) / "whole", session)
            points = list(dict.fromkeys(expected["passed"]))
            same = 0
            for point in points:
                try:
                    report = killed(Path(folder) / point.replace(" ", "-"), session, point)[
                        "report"
                    ]
                except AssertionError as error:
                    print(f"{session}, {point}: {error}", flush=True)
                    continue
                same += report == expected["report"]
                if report != expected["report"]:
                    differs = [k for k in report if report[k] != expected["report"].get(k)]
                    print(f"{session}, {point}: another report ({', '.join(differs)})", flush=True)
            print(f"{session}: {same} of {len(points)} points end with the same report", flush=True)
            bad += len(points) - same
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
