"""What a kill -9 halfway costs: a command is killed after so many seconds and then run to its end.

    python kill.py --after 20 --calls CALLS.jsonl -- PYTHON ask_langchain.py … --only

``--only`` without an id takes the files in and asks nothing. The log of the model server tells what
was asked of it before the kill and after; a system that goes on asks the rest alone.
"""

import argparse
import json
import os
import signal
import subprocess
import time
from pathlib import Path


def asked(calls: Path, begun: float, ended: float) -> dict[str, int]:
    """Calls of the model and tokens that were read, written and embedded."""
    said = {"chats": 0, "read": 0, "written": 0, "embedded": 0}
    for call in map(json.loads, calls.read_text(encoding="utf-8").splitlines()):
        if not begun <= call["begun"] <= ended:
            continue
        if call["kind"] == "embedding":
            said["embedded"] += call["prompt_tokens"]
        else:
            said["chats"] += 1
            said["read"] += call.get("read_tokens", 0)
            said["written"] += call.get("completion_tokens", 0)
    return said


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--after", type=float, required=True)
    parser.add_argument("--calls", type=Path, required=True)
    parser.add_argument("command", nargs="+")
    given = parser.parse_args()
    for after in (given.after, None):
        begun = time.time()
        running = subprocess.Popen(given.command, start_new_session=True)
        try:
            running.wait(after)
        except subprocess.TimeoutExpired:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
        ended = time.time()
        told = {"ended": running.returncode, "seconds": round(ended - begun, 1)}
        print(json.dumps({**told, **asked(given.calls, begun, ended)}), flush=True)


if __name__ == "__main__":
    main()
