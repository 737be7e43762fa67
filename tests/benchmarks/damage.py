"""Damages every file of a home in several ways, and says what the commands then do.

    python -m tests.benchmarks.damage [--rounds N] [--only TEXT]

Each damage is done to a copy of a home with two threads and one collection, in a process of its
own; to the indexes also in a home of 1,300 passages, where Chroma keeps its graph in files. It
survived when no command crashes, and after ``doctor --repair`` a search finds what it found before;
a damaged catalog is not mended, and has to be named.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.support.desk import LAW
from tests.support.shell import Shell

COMMANDS = (("runs", "list"), ("search", "Lärm"), ("ask", "Was gilt bei Lärm?"), ("doctor",))


PER_FILE = 50
BIG = 1300
"""Passages of a home in which Chroma keeps the graph in files: from a thousand on."""


def flipped(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(1 + len(data) // 500):
        changed[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(changed)


DAMAGES: dict[str, Callable[[bytes, random.Random], bytes | None]] = {
    "halved": lambda data, _: data[: len(data) // 2],
    "empty": lambda data, _: b"",
    "garbage": lambda data, _: b"garbage" * (len(data) // 7 + 1),
    "flipped": flipped,
    "body": lambda data, chance: data[:4096] + chance.randbytes(max(0, len(data) - 4096)),
    "gone": lambda data, _: None,
}


def prepared(folder: Path, passages: int = 0) -> tuple[Path, list[str]]:
    """A home with a law, so many passages and two threads; what a search finds there."""
    (files := folder / "files").mkdir(parents=True)
    (files / "LaermG.txt").write_text(LAW, encoding="utf-8")
    for first in range(0, passages, PER_FILE):
        numbers = range(first, first + PER_FILE)
        text = "".join(f"§ {n} Wert\n\nDer Wert der Anlage {n} ist {n}.\n\n" for n in numbers)
        (files / f"Anlage{first}.txt").write_text(text, encoding="utf-8")
    shell = Shell(folder / "home")
    shell.json("ingest", files, "--collection", "laerm")
    for question in ("Was gilt bei Lärm?", "Wer misst den Lärm?"):
        shell.json("ask", question)
    return folder / "home", hits(shell)


def hits(shell: Shell) -> list[str]:
    return [each["chunk_id"] for each in shell.json("search", "Lärm")["hits"]]


def case(home: Path, before: list[str]) -> dict[str, object]:
    """What the commands say in a damaged home; runs in a process of its own."""
    shell, told, faults = Shell(home), {}, []
    for command in (*COMMANDS, ("doctor", "--repair"), *COMMANDS):
        result = shell.run(*command)
        lines = [line for line in result.stderr.splitlines() if line.startswith("rabbithole: ")]
        name = " ".join(command)
        if result.exit_code:
            told[name] = lines[-1:] or [f"exit {result.exit_code}: {result.stdout[-300:]}"]
        if "Traceback" in result.stderr or "unexpected" in result.stderr:
            faults.append(f"{name}: {lines[-1:] or result.stderr[-200:]}")
    try:
        found = hits(shell)
    except (AssertionError, ValueError) as problem:
        found, told["end"] = [], [str(problem)[-200:]]
    return {"mended": found == before, "told": told, "faults": faults}


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--rounds", type=int, default=1)
    options.add_argument("--only", default="")
    options.add_argument("--case", nargs=2)
    chosen = options.parse_args()
    if chosen.case:
        print(json.dumps(case(Path(chosen.case[0]), json.loads(chosen.case[1]))))
        return
    rows = [row for home in HOMES for row in damaged(*home, chosen)]
    print(json.dumps({"cases": len(rows), "mended": sum(bool(row.get("mended")) for row in rows)}))


HOMES = ((0, ("",)), (BIG, ("vectors/", "keywords/")))
"""Passages, and which files are damaged."""


def damaged(
    passages: int, places: tuple[str, ...], chosen: argparse.Namespace
) -> Iterator[dict[str, object]]:
    """Damages the files of a home one by one, and prints what becomes of each."""
    with tempfile.TemporaryDirectory() as place:
        home, before = prepared(Path(place), passages)
        files = sorted(each.relative_to(home) for each in home.rglob("*") if each.is_file())
        for number, file in enumerate(each for each in files if str(each).startswith(places)):
            for name, damage in DAMAGES.items():
                if chosen.only not in f"{file} {name}":
                    continue
                for seed in range(chosen.rounds if name in ("flipped", "body") else 1):
                    copy = Path(shutil.copytree(home, Path(place) / f"c{number}{name}{seed}"))
                    data = damage((copy / file).read_bytes() or b"x", random.Random(seed))
                    (copy / file).write_bytes(data) if data is not None else (copy / file).unlink()
                    row = {"passages": passages, "file": str(file), "damage": name}
                    row |= survived(copy, before)
                    print(json.dumps(row, ensure_ascii=False), flush=True)
                    shutil.rmtree(copy)
                    yield row


def survived(home: Path, before: list[str]) -> dict[str, object]:
    """What a process of its own finds out about a damaged home."""
    command = [sys.executable, "-m", __spec__.name, "--case", str(home), json.dumps(before)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if ran.returncode:
        return {"status": ran.returncode, "crash": ran.stderr[-300:]}
    return {"status": 0} | json.loads(ran.stdout.strip().splitlines()[-1])


if __name__ == "__main__":
    os.environ["RABBITHOLE_DEBUG"] = ""
    main()
