"""Takes every protection out once, in a copy of the tree: does the test that guards it fail?

    python -m tests.benchmarks.protections [--only NAME]

``data/protections.yaml`` has an entry for each: its ``name``, what it is ``against``, the ``file``,
the ``text`` that protects and what stands ``instead`` of it (nothing, where that is left out), and
the ``test``, as pytest calls it, that must then fail. ``--only`` takes the entries whose name
contains NAME, or that a file or test of that name belongs to.

Every test must first pass unchanged. A removal counts where the test itself then fails: not one
that cannot be collected or set up, and not one that fails for a name that the removal left unknown.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import cache
from importlib.util import cache_from_source
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import yaml

from tests.benchmarks import common

ROOT = Path(__file__).resolve().parents[2]
TABLE = common.DATA / "protections.yaml"
LIMIT_S = 240
"""Of one test; a removal that has it go on for ever counts as noticed."""
ACCIDENTS = ("ImportError", "ModuleNotFoundError", "NameError", "SyntaxError", "UnboundLocalError")


class Protection(NamedTuple):
    """A protection and how it is taken out."""

    name: str
    against: str
    file: str
    text: str
    test: str
    instead: str = ""

    def without(self, source: str) -> str:
        """The source of its file without it.

        Raises:
            ValueError: its text does not stand there exactly once.
        """
        found = source.count(self.text)
        if found != 1:
            raise ValueError(f"{self.name}: its text stands {found} times in {self.file}")
        return source.replace(self.text, self.instead)


class Outcome(NamedTuple):
    """How a test ended: ``passed``, ``failed`` or ``broken``, and in which words."""

    ended: str
    words: str = ""


def read_table() -> list[Protection]:
    entries: list[dict[str, Any]] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    return [Protection(**each) for each in entries]


class Tree:
    """A copy of the files that git knows, in which protections are taken out and put back."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        listed = subprocess.run(
            ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        for name in filter(None, listed.stdout.split("\0")):
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
        self.unchanged = cache(self._run)

    def taken_out(self, protection: Protection) -> Outcome:
        """How its test ends without the protection."""
        file = self._folder / protection.file
        source = file.read_bytes()
        _write(file, protection.without(source.decode()).encode())
        try:
            return self._run(protection.test)
        finally:
            _write(file, source)

    def _run(self, test: str) -> Outcome:
        report = self._folder / "protections-report.xml"
        report.unlink(missing_ok=True)
        options = ["-q", "-x", "-p", "no:cacheprovider", "-m", "", f"--timeout={LIMIT_S}"]
        ran = subprocess.run(
            [sys.executable, "-m", "pytest", *options, f"--junitxml={report}", test],
            cwd=self._folder,
            env={**os.environ, "PYTHONPATH": str(self._folder), "PYTHONDONTWRITEBYTECODE": ""},
            capture_output=True,
            text=True,
        )
        if not report.exists():
            return Outcome("broken", (ran.stdout + ran.stderr).strip()[-200:])
        return outcome(ElementTree.parse(report).getroot(), ran.returncode)


def _write(file: Path, source: bytes) -> None:
    """Write a file so that nobody runs what was compiled of it before."""
    file.write_bytes(source)
    Path(cache_from_source(str(file))).unlink(missing_ok=True)


def outcome(report: ElementTree.Element, status: int) -> Outcome:
    """What a report of pytest (JUnit's XML) and its exit status say."""
    for fault in report.iter("error"):
        return Outcome("broken", _said(fault))
    for fault in report.iter("failure"):
        words = _said(fault)
        return Outcome("broken" if words.startswith(ACCIDENTS) else "failed", words)
    passed = [case for case in report.iter("testcase") if case.find("skipped") is None]
    if status == 0 and passed:
        return Outcome("passed")
    return Outcome("broken", "nothing ran")


def _said(fault: ElementTree.Element) -> str:
    return " ".join(fault.get("message", "").split())[:100]


def judged(protection: Protection, tree: Tree) -> str:
    """What is wrong with an entry, "" where its test passes, and fails without the protection."""
    before = tree.unchanged(protection.test)
    if before.ended != "passed":
        return f"its test does not pass unchanged: {before.words}"
    try:
        after = tree.taken_out(protection)
    except ValueError as error:
        return str(error)
    if after.ended == "passed":
        return "NO TEST FAILS"
    print(f"    {after.words}", flush=True)
    return "" if after.ended == "failed" else f"its test cannot say: {after.words}"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", metavar="NAME")
    only = parser.parse_args(arguments).only
    wanted = [each for each in read_table() if any(only in part for part in each[0::2])]
    started, faults = time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder))
        for number, protection in enumerate(wanted, start=1):
            print(f"{number:3} {protection.name} ({protection.test})", flush=True)
            if wrong := judged(protection, tree):
                faults += 1
                print(f"    WRONG: {wrong}", flush=True)
    noticed, seconds = len(wanted) - faults, time.monotonic() - started
    print(f"{noticed} of {len(wanted)} noticed, {seconds:.0f} s")
    return 1 if faults or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
