"""Runs a command and says what its process tree held in memory at most.

    python watch.py OUT.jsonl NAME COMMAND...

Resident memory is summed over the tree every half second, so pages shared by its processes count
more than once. The model server is no part of it.
"""

import json
import subprocess
import sys
import time
from pathlib import Path

EVERY_S = 0.5


def tree_mb(root: int) -> float:
    """Resident megabytes of a process and all below it."""
    parents, resident = {}, {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text = status.read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        fields = dict(line.split(":\t", 1) for line in text.splitlines() if ":\t" in line)
        pid = int(fields["Pid"])
        parents[pid] = int(fields["PPid"])
        resident[pid] = int(fields.get("VmRSS", "0 kB").split()[0])
    below, grown = {root}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in below} - below
        below, grown = below | more, bool(more)
    return sum(resident.get(pid, 0) for pid in below) / 1000


def main() -> None:
    out, name, *command = sys.argv[1:]
    running, peak = subprocess.Popen(command), 0.0
    while running.poll() is None:
        peak = max(peak, tree_mb(running.pid))
        time.sleep(EVERY_S)
    with Path(out).open("a", encoding="utf-8") as lines:
        lines.write(json.dumps({"system": name, "peak_mb": round(peak)}) + "\n")
    sys.exit(running.returncode)


if __name__ == "__main__":
    main()
