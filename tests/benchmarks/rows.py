"""Runs every founding row in a fresh home, with and without a model, and writes a page of it.

    python -m tests.benchmarks.rows --home DIR --out ROWS.md [--llm none] [--only R1,Q3]

DIR gets a home, a work folder and the results of each model; the page is written from all results
that are there. With ``--only`` the rows that a row needs run as well, in a home that may be there.
What each row promises, runs, shows and has to fulfil stands in ``data/rows.yaml``:

- ``do``: steps, one after the other. A step is a command (``run``), a command that is killed at an
  event (``kill``, ``after``), a page of the app (``page``, ``where``), a call of the engine
  (``engine``: an expression), a request of a program (``http``: method and path, ``token``,
  ``body``), or ``files`` to write into the work folder.
- ``check``: expressions over ``d`` (the JSON that came, by attributes), ``text``, ``err``, ``code``
  and ``kept``; a row holds where all of them are true and its tests exist. ``show``: expressions
  whose values stand on the page. ``keep``: values for later steps, as ``{name}`` in words too.
- ``later``: what the row still waits for; such a row is at most in part.
"""

import argparse
import ast
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from click.testing import CliRunner
from fastapi.testclient import TestClient

from agent.engine.engine import connect
from app.api.gateway import ApiGateway
from app.api.server import make_app
from app.cli.main import main as rabbithole
from services.domain import SearchRequest
from services.domain.errors import NotFound
from services.settings import Settings
from tests.benchmarks import common
from tests.benchmarks.rows_page import page_of
from tests.support.pages import open_app, texts_of
from tests.support.tables import read_yaml

ROOT = Path(__file__).resolve().parents[2]
MODELS = ("none", "embedded")
SAFE = {
    each.__name__: each
    for each in (abs, all, any, bool, dict, float, int, isinstance, len, list, max, min, range)
} | {each.__name__: each for each in (round, set, sorted, str, sum, tuple, zip)}

Row = dict[str, Any]


class Json(dict[str, Any]):
    """A mapping whose keys are attributes; a missing one is None."""

    def __getattr__(self, name: str) -> Any:
        return self.get(name)


def by_attributes(value: Any) -> Any:
    match value:
        case dict():
            return Json({key: by_attributes(each) for key, each in value.items()})
        case list() | tuple():
            return [by_attributes(each) for each in value]
        case _:
            return value


class Bench:
    """One home with one model, and what was kept of the steps so far."""

    def __init__(self, folder: Path, llm: str) -> None:
        self.home, self.work, self.llm = folder / llm, folder / f"{llm}-work", llm
        kept = {"work": str(self.work), "samples": str(ROOT / "kb" / "samples")}
        self.kept = Json(kept | {"llm": llm, "home": str(self.home)})
        self.env = {"RABBITHOLE_HOME": str(self.home), "RABBITHOLE_LLM": llm}

    def fresh(self) -> None:
        for folder in (self.home, self.work):
            shutil.rmtree(folder, ignore_errors=True)
        self.work.mkdir(parents=True)

    def row(self, row: Row) -> Row:
        """What came of a row: what its steps showed, what failed, and how long it took."""
        begin, steps, failed = time.monotonic(), [], []
        for step in row.get("do", ()):
            shown, wrong = self.step(step)
            steps.append(shown)
            failed += wrong
        failed += [f"no test {each}" for each in row.get("tests", ()) if not exists(each)]
        seconds = round(time.monotonic() - begin, 1)
        return {"id": row["id"], "steps": steps, "failed": failed, "seconds": seconds}

    def step(self, step: Row) -> tuple[Row, list[str]]:
        """The words of a step with what it showed, and what was not as it has to be."""
        for name, text in step.get("files", {}).items():
            (self.work / name).parent.mkdir(parents=True, exist_ok=True)
            (self.work / name).write_text(text, encoding="utf-8")
        try:
            came = self.came_of(step)
        except Exception as error:  # noqa: BLE001 - a row that cannot be run is a row that fails
            came = Json(d=Json(), text="", err=f"{type(error).__name__}: {error}", code=-1)
        wrong = []
        if came.code != step.get("exit", 0):
            wrong.append(f"exit {came.code}: {common_line(came.err or came.text)}")
        names = {**SAFE, **came, "kept": self.kept, "re": re}
        for name, each in step.get("keep", {}).items():
            self.kept[name] = by_attributes(valued(each, names))
        wrong += [
            f"{each} [{why}]" for each in step.get("check", ()) if (why := untrue(each, names))
        ]
        shown = {label: told(valued(each, names)) for label, each in step.get("show", {}).items()}
        return {"words": self.words(step), "shown": shown}, wrong

    def words(self, step: Row) -> str:
        """A step as a person would do it, without folders of this machine."""
        match step:
            case {"run": command} | {"kill": command}:
                ending = "   # kill -9" if "kill" in step else ""
                return f"rabbithole {self.filled(command, told=True)}{ending}"
            case {"page": page}:
                query = "&".join(f"{k}={self.filled(v)}" for k, v in step.get("where", {}).items())
                return f"page /{page}{'?' if query else ''}{query}"
            case {"engine": call}:
                return f"engine.{call}"
            case {"http": call}:
                return f"http {self.filled(call)}"
        return ""

    def filled(self, text: str, *, told: bool = False) -> str:
        """Words with what was kept in the place of its names."""
        folders = {"work": ".", "samples": "kb/samples", "home": "HOME"} if told else {}
        values = {**self.kept, **folders}
        return re.sub(r"\{(\w+)\}", lambda found: str(values.get(found[1], found[0])), text)

    def came_of(self, step: Row) -> Json:
        match step:
            case {"run": command}:
                return self.run(self.arguments(command, step), step.get("env", {}))
            case {"kill": command, "after": kind}:
                return self.killed(self.arguments(command, step), kind)
            case {"page": page}:
                return self.page(page, step)
            case {"engine": call}:
                with connect(Settings(home=self.home, llm=self.llm)) as engine:
                    names = {"engine": engine, "request": request, **self.kept}
                    value = eval(f"engine.{self.filled(call)}", names)
                    if isinstance(value, Iterator):
                        value = list(value)
                return Json(d=by_attributes(plain(value)), text=str(value), err="", code=0)
            case {"http": call}:
                return self.http(*self.filled(call).split(" ", 1), step)
        return Json(d=Json(), text="", err="", code=0)

    def http(self, method: str, path: str, step: Row) -> Json:
        """An answer of the API; its status is the code."""
        settings = Settings(home=self.home, llm=self.llm)
        shown = {"Authorization": f"Bearer {self.filled(step.get('token', ''))}"}
        asks = {"Accept": "application/json, text/event-stream", **shown}
        with connect(settings) as engine:
            app = make_app(ApiGateway(lambda: engine, settings))
            with TestClient(app, "http://127.0.0.1") as program:
                body = json.loads(self.filled(json.dumps(step.get("body"))))
                came = program.request(method, path, json=body, headers=asks)
        kind = came.headers.get("content-type", "")
        value = came.json() if "json" in kind else {}
        return Json(d=by_attributes(value), text=came.text, err="", code=came.status_code)

    def arguments(self, command: str, step: Row) -> list[str]:
        words = [self.filled(word) for word in shlex.split(command)]
        return words if step.get("plain") else [*words, "--json"]

    def run(self, words: list[str], env: Mapping[str, str]) -> Json:
        own = {name: self.filled(value) for name, value in env.items()}
        came = CliRunner().invoke(rabbithole, words, env={**self.env, **own})
        error = came.exception if not isinstance(came.exception, SystemExit) else None
        lines = came.stdout.strip().splitlines()
        try:
            value = json.loads(lines[-1]) if lines else {}
        except json.JSONDecodeError:
            value = {}
        err = f"TRACEBACK {error!r}" if error else came.stderr
        return Json(d=by_attributes(value), text=came.stdout, err=err, code=came.exit_code)

    def killed(self, words: list[str], kind: str) -> Json:
        """Runs a command of a thread in a process of its own, killed at the first such event."""
        process = subprocess.Popen(
            [sys.executable, "-m", "app.cli.main", *words],
            cwd=ROOT,
            env={**os.environ, **self.env},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        thread = words[words.index("--thread") + 1]
        while process.poll() is None and not self.told_of(thread, kind):
            time.sleep(0.2)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        killed = process.wait() == -signal.SIGKILL
        return Json(d=Json(killed=killed), text="", err="", code=0)

    def told_of(self, thread: str, kind: str) -> bool:
        with connect(Settings(home=self.home, llm=self.llm)) as engine, suppress(NotFound):
            return any(each.event.kind == kind for each in engine.threads.events(thread))
        return False

    def page(self, page: str, step: Row) -> Json:
        where = {name: self.filled(value) for name, value in step.get("where", {}).items()}
        with connect(Settings(home=self.home, llm=self.llm)) as engine:
            at = open_app(engine, page=page, language="en", **where)
            assert not at.exception, at.exception
            labels = [each.label for each in at.get("button")]
            labels += [each.label for each in at.get("download_button")]
            labels += [each.label for each in at.get("selectbox")]
            return Json(d=Json(labels=labels), text=texts_of(at), err="", code=0)


def request(query: str) -> SearchRequest:
    """A search of the law, for calls of the engine."""
    return SearchRequest(query=query, collections=("law",))


def plain(value: Any) -> Any:
    match value:
        case dict():
            return {str(key): plain(each) for key, each in value.items()}
        case list() | tuple() | set() | frozenset():
            return [plain(each) for each in value]
        case _ if hasattr(value, "model_dump"):
            return plain(value.model_dump(mode="json"))
        case _ if hasattr(value, "__dataclass_fields__"):
            return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__}
        case _:
            return value


def valued(expression: str, names: Mapping[str, Any]) -> Any:
    """The value of an expression of the table, or why it has none."""
    try:
        return eval(expression, {"__builtins__": {}, **names})
    except Exception as error:  # noqa: BLE001 - told on the page
        return f"({type(error).__name__}: {error})"


def untrue(expression: str, names: Mapping[str, Any]) -> str:
    """Why a check is not fulfilled; empty where it is."""
    value = valued(expression, names)
    return "" if value is True else common_line(told(value))


def told(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return " ".join(text.split())


def common_line(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else f"{line[:159]}…"


def exists(test: str) -> bool:
    """Whether a test, as pytest names it, is there."""
    file, _, name = test.partition("::")
    path = ROOT / file
    return path.is_file() and any(
        isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef) and each.name == name
        for each in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def wanted(rows: list[Row], only: str | None) -> list[Row]:
    """The rows that are named, or all, each after those that it needs."""
    by_id = {row["id"]: row for row in rows}
    found: dict[str, Row] = {}

    def add(name: str) -> None:
        for each in by_id[name].get("needs", ()):
            add(each)
        found[name] = by_id[name]

    for name in only.split(",") if only else by_id:
        add(name)
    return list(found.values())


def run_all(table: Row, folder: Path, llm: str, only: str | None) -> None:
    """Runs the rows with a model and keeps what came of them; rows that did not run stay."""
    bench, file = Bench(folder, llm), folder / f"{llm}.json"
    fresh = only is None or not bench.home.exists()
    results = {} if fresh or not file.exists() else common.read_json(file)["rows"]
    kept = {} if fresh or not file.exists() else common.read_json(file)["kept"]
    bench.kept |= by_attributes(kept)
    os.environ |= bench.env
    if fresh:
        bench.fresh()
        results["setup"] = bench.row({"id": "setup", **table["setup"]})
    for row in wanted(table["rows"], only):
        results[row["id"]] = result = bench.row(row)
        verdict = "; ".join(result["failed"]) or "ok"
        print(f"{llm} {row['id']:4} {result['seconds']:6.1f} s  {verdict}", flush=True)
        kept = {name: value for name, value in bench.kept.items() if name not in ("work", "home")}
        came = {"rows": results, "kept": kept}
        file.write_text(json.dumps(came, ensure_ascii=False, default=str), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--home", type=Path, required=True, help="folder for homes and results")
    parser.add_argument("--out", type=Path, help="the page")
    parser.add_argument("--llm", choices=MODELS, action="append", help="both without it")
    parser.add_argument("--only", help="rows, separated by commas")
    parser.add_argument("--no-run", action="store_true", help="write the page alone")
    options = parser.parse_args()
    options.home = options.home.resolve()
    options.home.mkdir(parents=True, exist_ok=True)
    table = read_yaml(common.DATA / "rows.yaml")
    for llm in () if options.no_run else options.llm or MODELS:
        run_all(table, options.home, llm, options.only)
    if options.out:
        files = {llm: options.home / f"{llm}.json" for llm in MODELS}
        results = {llm: common.read_json(f)["rows"] for llm, f in files.items() if f.exists()}
        options.out.write_text(page_of(table, results), encoding="utf-8")


if __name__ == "__main__":
    main()
