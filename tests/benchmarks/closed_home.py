"""A home on a disk that is read-only, full or nearly so at each of its stores: what commands say.

    python -m tests.benchmarks.closed_home        (needs root: it mounts small disks)

It survived when no command that reads changes the files of the vectors, each command ends within
two minutes in one line or succeeds, and when the home can be written again everything that it had
acknowledged is there, and the command that failed succeeds.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.damage import BIG, hits, prepared
from tests.support.desk import LAW
from tests.support.shell import Shell

STORES = (".", "vectors", "keywords", "originals")
COMMANDS = (
    ("runs", "list"),
    ("search", "Lärm"),
    ("ask", "Was gilt bei Lärm?"),
    ("research", "Was gilt bei Lärm?", "--yes"),
    ("ingest", "{file}", "--collection", "laerm"),
    ("doctor",),
    ("doctor", "--repair"),
    ("collections", "list"),
)


READING = 4
"""The first of them, which only read."""
LEFT = 1_300_000
"""Bytes in which a research can begin, and not end."""


def stamps(home: Path) -> dict[str, tuple[int, int]]:
    """When the files of graphs were written, and how long they are."""
    files = (home / "vectors").glob("*/*")
    return {each.name: (each.stat().st_mtime_ns, each.stat().st_size) for each in files}


def mounted(place: Path, options: str) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], check=True)


def remounted(place: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", place], check=True)


def said(home: Path, command: tuple[str, ...], file: Path) -> dict[str, object]:
    arguments = [each.format(file=file) for each in command]
    environment = {**os.environ, "RABBITHOLE_HOME": str(home), "RABBITHOLE_LLM": "none"}
    ran = subprocess.run(
        [sys.executable, "-m", "app.cli.main", *arguments],
        env=environment, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    lines = [line for line in ran.stderr.splitlines() if line.startswith("rabbithole: ")]
    clean = ran.returncode == 0 or ("Traceback" not in ran.stderr and bool(lines or ran.stdout))
    foreseen = "unexpected" not in ran.stderr + ran.stdout
    return {"status": ran.returncode, "clean": clean and foreseen, "said": (lines or [""])[-1]}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        home, before = prepared(Path(folder), BIG)
        (file := Path(folder) / "neu.txt").write_text(LAW.replace("Lärm", "Staub") * 40)
        count = held = 0
        for closed in ("read-only", "full", "nearly full"):
            for store in STORES:
                copy = Path(folder) / f"{closed}-{store.strip('.')}"
                copy.mkdir()
                place = copy if store == "." else copy / store
                if store != ".":
                    shutil.copytree(home, copy, dirs_exist_ok=True)
                    shutil.rmtree(place)
                    place.mkdir()
                mounted(place, "size=64m")
                source = home if store == "." else home / store
                shutil.copytree(source, place, dirs_exist_ok=True)
                if closed == "read-only":
                    remounted(place, "ro")
                else:
                    left = LEFT if closed == "nearly full" else 0
                    (place / "filler").write_bytes(b"x" * (shutil.disk_usage(place).free - left))
                try:
                    graph = stamps(copy)
                    rows = [(each, said(copy, each, file)) for each in COMMANDS[:READING]]
                    kept = stamps(copy) == graph
                    rows += [(each, said(copy, each, file)) for each in COMMANDS[READING:]]
                    remounted(place, "rw,size=256m")
                    (place / "filler").unlink(missing_ok=True)
                    shell = Shell(copy)
                    again = shell.run("ingest", file, "--collection", "laerm").exit_code
                    whole = set(before) <= set(hits(shell)) and again == 0
                    clean = all(bool(row["clean"]) for _, row in rows)
                    told = {" ".join(name): row["said"] for name, row in rows if not row["clean"]}
                    count, held = count + 1, held + (whole and clean and kept)
                    result = {"closed": closed, "store": store, "whole": whole, "kept": kept}
                    result |= {"unclean": told}
                    print(json.dumps(result, ensure_ascii=False), flush=True)
                finally:
                    subprocess.run(["umount", "--lazy", place], check=True)
        print(json.dumps({"cases": count, "held": held}))


if __name__ == "__main__":
    main()
