"""Every command and every Python block that the documents show runs, on stand-ins for its words.

``tests/data/documents.yaml`` has the words and their stand-ins, and what is not run, with the
reason. Of a line with alternatives (``--format md|pdf``) and optional parts (``[--json]``) each
alternative is run, once without the optional parts and then with them.
"""

import io
import json
import re
import runpy
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest

from app.cli.main import main
from services.build import Services
from services.domain import Principal
from services.settings import Settings
from tests.support.question_sets import write_set
from tests.support.shell import Shell
from tests.support.tables import read_yaml

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "tests/benchmarks/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "tests" / "benchmarks" / "results").glob("*.md")),
]
TABLES: dict[str, Any] = read_yaml(ROOT / "tests" / "data" / "documents.yaml")
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(rabbithole [a-z][^`]*)`")
COMMAND = re.compile(r"(?:[A-Z_]+=\S+ )?(?:rabbithole|python|pip|pytest|ruff|mypy|cp|export) ")
BESIDE = re.compile(r"(?:then|and|home): (?=collections|trace|eval|restore|rabbithole)")
"""What a comment says to go on with."""

LAW = """Strahlenschutzgesetz (StrlSchG)

§ 77 Grenzwerte für die Bevölkerung

(1) Für die Bevölkerung beträgt der Grenzwert der effektiven Dosis 1 Millisievert im Kalenderjahr.

§ 78 Grenzwerte für beruflich exponierte Personen

(1) Für beruflich exponierte Personen beträgt der Grenzwert der effektiven Dosis 20 Millisievert \
im Kalenderjahr. § 77 bleibt unberührt.

(2) Für Personen unter 18 Jahren beträgt der Grenzwert 1 Millisievert im Kalenderjahr. Die \
Freigrenze bestimmt die Behörde.
"""
NOTICE = """Contract of lease

1 Notice

The notice period is one month. Either party can end this contract within a month by a letter.
"""
QUESTION = {
    "id": "eye",
    "lang": "de",
    "q": "Welcher Grenzwert gilt für Personen unter 18 Jahren?",
    "gold": ["StrlSchG § 78"],
    "must": [["1 Millisievert", "1 mSv"]],
    "type": "factual",
}
PAIR = {
    "id": "a",
    "lang": "de",
    "claim": "Die Frist beträgt einen Monat.",
    "quote": "Die Frist beträgt einen Monat.",
    "label": "says",
}


class Desk(NamedTuple):
    """A home with some documents, the folder of its files, and two threads."""

    work: Path
    shell: Shell
    thread: str
    conversation: str


def name_of(document: Path) -> str:
    return document.relative_to(ROOT).as_posix()


def blocks(document: Path, *languages: str) -> Iterator[str]:
    for language, text in BLOCK.findall(document.read_text(encoding="utf-8")):
        if language in languages:
            yield text


def commands(document: Path) -> Iterator[str]:
    """The commands of a document: of its blocks, of their comments, and within its text."""
    text = document.read_text(encoding="utf-8")
    for block in blocks(document, "", "sh", "bash", "console"):
        for line in block.replace("\\\n", " ").splitlines():
            if not COMMAND.match(line):
                continue
            command, _, comment = line.partition(" #")
            yield from command.strip().split(" && ")
            for said in BESIDE.split(comment)[1:]:
                words = said.partition(",")[0].removeprefix("rabbithole ")
                yield f"rabbithole {words}"
    yield from (" ".join(found.split()) for found in INLINE.findall(BLOCK.sub("", text)))


def variants(command: str) -> list[str]:
    """The command without optional parts, and with them; with each of its alternatives."""
    without = re.sub(r" \[[^][]*(?:\[[^][]*\][^][]*)*\](?:\.\.\.)?", "", command)
    plain = re.sub(r"[][]|(?<=\])\.\.\.", "", command.replace("]...", "]"))
    most = max((word.count("|") + 1 for word in plain.split()), default=1)
    forms = [without, *([plain] if plain != without else [])]
    forms += [plain] * (most - len(forms))
    return [
        " ".join(
            word.split("|")[number % (word.count("|") + 1)] if "|" in word else word
            for word in form.split(" ")
        )
        for number, form in enumerate(forms)
    ]


def standing_in(words: list[str], document: str, desk: Desk) -> list[str]:
    """The words with what stands in for them."""
    own = TABLES["stand_ins"].get(document, {})
    table = {**TABLES["stand_ins"]["all"], **own}
    found = []
    for word in words:
        names = [n for n in table if word == n or word.startswith(f"{n}/")]
        name = max(names, key=len, default=None)
        if name is not None:
            word = word.replace(name, table[name], 1)
        found.append(
            word.format(work=desk.work, thread=desk.thread, conversation=desk.conversation)
            if "{" in word
            else word
        )
    return found


def reason_not_to_run(command: str) -> str | None:
    return next((why for begin, why in TABLES["unrun"].items() if command.startswith(begin)), None)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Desk:
    work = tmp_path_factory.mktemp("documents")
    (work / "contracts").mkdir()
    (work / "contracts" / "notice.txt").write_text(NOTICE, encoding="utf-8")
    (work / "StrlSchG.txt").write_text(LAW, encoding="utf-8")
    shutil.copy(ROOT / "kb" / "samples" / "typing-peps" / "pep-0604.txt", work)
    records = {"known": QUESTION, "pairs": PAIR}
    for name, record in records.items():
        (work / f"{name}.jsonl").write_text(json.dumps(record), encoding="utf-8")
    write_set(work / "beir")
    shell = Shell(work / "home")
    shell.json("ingest", work / "contracts", "--collection", "contracts")
    for name in ("strahlenschutz", "law", "laws"):
        shell.json("ingest", work / "StrlSchG.txt", "--collection", name)
    shell.json("ingest", work / "pep-0604.txt", "--collection", "peps")
    asked = (QUESTION["q"], "--collection", "strahlenschutz")
    report = shell.json("research", *asked, "--yes", "--no-clarify")
    (work / "report.json").write_text(json.dumps(report), encoding="utf-8")
    conversation = shell.json("ask", *asked)["thread_id"]
    shell.json("config", "set", "maxDocs", "5", "--profile", "legal")
    return Desk(work, shell, report["thread_id"], conversation)


@pytest.fixture
def desk(filled: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A copy for one document, whose folder is the current one."""
    work = Path(shutil.copytree(filled.work, tmp_path / "work"))
    monkeypatch.chdir(work)
    return filled._replace(work=work, shell=Shell(work / "home"))


def names_a_command(words: list[str]) -> bool:
    """Whether the words are the name of a command without what it needs, but for options."""
    command: click.Command | None = main
    for word in takewhile(lambda word: not word.startswith("-"), words):
        command = isinstance(command, click.Group) and command.get_command(
            click.Context(command), word
        )
    return isinstance(command, click.Command)


def failure(command: str, document: str, desk: Desk) -> str | None:
    """Why a command of ``rabbithole`` does not do what it says; None where it does."""
    words = standing_in(shlex.split(command)[1:], document, desk)
    elsewhere = words[0] == "restore" or words[:2] == ["collections", "restore"]
    shell = Shell(desk.work / f"home for {words[0]}") if elsewhere else desk.shell
    again = ["--force"] if "-o" in words and words[0] in ("export", "trace") else []
    result = shell.run(*words, *again)
    if result.exit_code == 2 and "Missing" in result.output and names_a_command(words):
        return None  # the command as such is meant
    told = " ".join(result.output.split())[-300:]
    return None if result.exit_code == 0 else f"{' '.join(words)}: {result.exit_code} {told}"


def unknown_option(command: str) -> str | None:
    """What a benchmark does not know of the options that a document gives it."""
    words = shlex.split(re.sub(r"[][]|^[A-Z_]+=\S+ ", "", command))
    usage = io.StringIO()
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(usage):
        patched.setattr(sys, "argv", [words[2], "--help"])
        with pytest.raises(SystemExit) as ended:
            runpy.run_module(words[2], run_name="__main__")
    assert not ended.value.code, words[2]
    options = [word for word in words if word.startswith("--")]
    return next((f"{words[2]} {each}" for each in options if each not in usage.getvalue()), None)


def test_every_file_that_a_document_names_exists() -> None:
    """Where the code is; the data folder is made by the first command."""
    named = re.compile(r"`((?:app|agent|services|tests|kb|docs)/[\w./-]+\w)")
    missing = {
        f"{name_of(document)}: {path}"
        for document in DOCUMENTS
        for path in named.findall(document.read_text(encoding="utf-8"))
        if path != "kb/database" and not (ROOT / path).exists()
    }
    assert missing == set()


SLOW = ("answers", "exports", "getting-started", "measuring", "research")
"""Documents whose commands take some seconds each."""


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(each, id=name_of(each), marks=[pytest.mark.slow] * (each.stem in SLOW))
        for each in DOCUMENTS
    ],
)
def test_every_command_runs(document: Path, desk: Desk) -> None:
    name, wrong = name_of(document), []
    for command in commands(document):
        if reason_not_to_run(command):
            continue
        if command.startswith("rabbithole "):
            tried = [each for each in variants(command) if not reason_not_to_run(each)]
            wrong += [failure(each, name, desk) for each in tried]
        elif re.match(r"(?:[A-Z_]+=\S+ )?python -m tests\.benchmarks", command):
            wrong.append(unknown_option(command))
        else:
            wrong.append(f"not run and not said why: {command}")
    assert [each for each in wrong if each] == []


@pytest.mark.parametrize(
    "document", [each for each in DOCUMENTS if any(blocks(each, "python"))], ids=name_of
)
def test_every_block_of_python_runs(document: Path, desk: Desk) -> None:
    services = Services(Settings(home=desk.work / "home", llm="none"))
    scope = services.catalog.collections.scope(Principal(), None)
    for block in blocks(document, "python"):
        exec(block, {"services": services, "scope": scope})
    services.close()


def test_every_reason_not_to_run_is_needed() -> None:
    shown = [command for document in DOCUMENTS for command in commands(document)]
    forms = [form for command in shown for form in (command, *variants(command))]
    needless = [b for b in TABLES["unrun"] if not any(each.startswith(b) for each in forms)]
    assert needless == [] and len(shown) > 60
