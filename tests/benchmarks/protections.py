"""Takes every protection out once, in a copy of the tree: does the test that guards it fail?

    python -m tests.benchmarks.protections [--only NAME]

``data/protections.yaml`` has an entry for each: its ``name``, what it is ``against``, the ``file``,
the ``text`` that protects and what stands ``instead`` of it (nothing, where that is left out), and
the ``test``, as pytest calls it, that must then fail. ``--only`` takes the entries that have NAME
in their name, file or test.

Every test must first pass unchanged. A removal counts where the test itself then fails: not one
that cannot be collected or set up, and not one that fails for a name that the removal left unknown.

Most of the time of such a test would be the start of its libraries: each runs in a process forked
from this one, which has loaded them and nothing of the tree.
"""

import argparse
import importlib
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

import pytest

from tests.support.tables import read_yaml

ROOT = Path(__file__).resolve().parents[2]
TABLE = Path(__file__).with_name("data") / "protections.yaml"
OURS = ("agent", "app", "services", "tests")
LIBRARIES = (
    *("alembic", "bs4", "chromadb", "click.testing", "fastapi.testclient", "httpx", "hypothesis"),
    *("langchain_core.messages", "langgraph.graph", "numpy", "openai", "pydantic_settings"),
    *("pypdf", "pytest_asyncio.plugin", "pytest_timeout", "reportlab.platypus", "sqlalchemy.orm"),
    *("streamlit.testing.v1", "streamlit.starlette", "tantivy"),
)
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
    entries: list[dict[str, Any]] = read_yaml(TABLE)
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
        sys.stdout.flush()
        child = os.fork()
        if not child:
            try:
                self._become(test, report)
            finally:
                os._exit(9)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if not report.exists():
            return Outcome("broken", f"pytest ended with {status}")
        return outcome(ElementTree.parse(report).getroot(), status)

    def _become(self, test: str, report: Path) -> None:
        """Runs a test of the copy in this process, which has begun as one of ours."""
        with (self._folder / "protections-output.txt").open("w") as said:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
        os.chdir(self._folder)
        os.environ["PYTHONPATH"] = str(self._folder)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
        others = [each for each in sys.path if Path(each).resolve() != ROOT]
        sys.path[:] = [str(self._folder), *others]
        for name in [each for each in sys.modules if each.partition(".")[0] in OURS]:
            del sys.modules[name]
        options = ["-pno:cacheprovider", "-x", "-m", "", f"--timeout={LIMIT_S}"]
        os._exit(pytest.main([*options, f"--junitxml={report}", test]))


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


def judged(protection: Protection, tree: Tree) -> tuple[str, str]:
    """What is wrong with an entry, "" where nothing is, and how its test failed."""
    before = tree.unchanged(protection.test)
    if before.ended != "passed":
        return f"its test does not pass unchanged: {before.words}", ""
    try:
        after = tree.taken_out(protection)
    except ValueError as error:
        return str(error), ""
    wrong = {"passed": "no test fails", "broken": "its test cannot say"}
    return wrong.get(after.ended, ""), after.words


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", metavar="NAME")
    only = parser.parse_args(arguments).only
    wanted = [each for each in read_table() if only in f"{each.name}\n{each.file}\n{each.test}"]
    for library in LIBRARIES:
        importlib.import_module(library)
    started, noticed = time.monotonic(), 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Tree(Path(folder))
        for number, protection in enumerate(wanted, start=1):
            wrong, words = judged(protection, tree)
            noticed += not wrong
            told = f"WRONG: {wrong}" if wrong else "noticed"
            print(f"{number:3} {told}: {protection.name} [{words}]", flush=True)
    print(f"{noticed} of {len(wanted)} noticed, {time.monotonic() - started:.0f} s")
    return int(noticed < len(wanted) or not wanted)


if __name__ == "__main__":
    sys.exit(main())
