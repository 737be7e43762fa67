"""What the terminal shows of an ingestion, and what the command says about files and jobs."""

import io
import logging
import shutil
from contextlib import redirect_stderr
from pathlib import Path
from typing import get_args
from unittest.mock import MagicMock

import pytest

from app.cli.main import Notices
from app.cli.terminal import ProgressPrinter, ask, bar, clock
from services.domain.events import DocumentProgress, IngestProgress, PlanItem, Waiting, Warned
from services.domain.notices import Notice
from tests.support.desk import LAW
from tests.support.shell import Shell

HALF = IngestProgress(
    documents_done=6,
    documents_failed=1,
    documents_total=12,
    pages=345,
    chunks=1234,
    chunks_per_s=35.24,
    share=0.5,
    eta_s=130.4,
)


def test_the_bar_is_a_line() -> None:
    assert bar(HALF) == (
        "[██████████··········] 6/12 documents (1 failed), 345 pages, 1234 passages, "
        "35.2 passages/s, 2:10 left"
    )
    start = HALF.model_copy(update={"share": 0.0, "eta_s": None, "pages": 0, "documents_failed": 0})
    assert bar(start) == "[····················] 6/12 documents, 1234 passages, 35.2 passages/s"
    assert bar(HALF.model_copy(update={"share": 1.0})).startswith("[████████████████████]")


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (7.4, "0:07"), (59.6, "1:00"), (3730, "1:02:10")]
)
def test_the_time_that_is_left(seconds: float, text: str) -> None:
    assert clock(seconds) == text


class Terminal(io.StringIO):
    def __init__(self, *, live: bool) -> None:
        super().__init__()
        self._live = live

    def isatty(self) -> bool:
        return self._live


def shown(live: bool) -> str:
    """What an ingestion writes to standard error."""
    terminal = Terminal(live=live)
    with redirect_stderr(terminal), ProgressPrinter() as progress:
        progress.show(DocumentProgress(document="a.txt", stage="embed", done=3, total=9))
        progress.show(HALF)
        progress.show(DocumentProgress(document="a.txt", stage="embed", done=6, total=9))
        progress.show(DocumentProgress(document="a.txt", stage="done", done=9, total=9))
    return terminal.getvalue()


def test_a_terminal_gets_a_bar_that_is_overwritten() -> None:
    text, width = shown(live=True), shutil.get_terminal_size().columns - 1
    assert "a.txt: embedding 3/9 passages" in text and "6/9" not in text
    moving = [line for line in text.split("\r\x1b[2K") if line.startswith("[")]
    assert moving == [bar(HALF)[:width]] * 2
    assert text.endswith("\r\x1b[2K") and text.count("\n") == 1


def test_without_a_terminal_there_are_plain_lines() -> None:
    text = shown(live=False)
    assert text.split()[1:] == ["a.txt:", "done"] and text.count("\n") == 1
    assert "\x1b" not in text and "█" not in text


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "LaermG.txt").write_text(LAW, encoding="utf-8")
    (folder / "Merkblatt.txt").write_text("§ 1 Messung\n\nDer Lärm ist zu messen.\n")
    return folder


@pytest.fixture
def shell(tmp_path: Path, folder: Path) -> Shell:
    shell = Shell(tmp_path / "home")
    shell.json("ingest", folder, "--collection", "laerm")
    return shell


def test_files_that_are_gone_are_named_kept_and_pruned(shell: Shell, folder: Path) -> None:
    (folder / "Merkblatt.txt").unlink()
    report = shell.json("ingest", folder, "--collection", "laerm")
    (removed,) = report["removed_from_disk"]
    assert removed["path"] == str(folder / "Merkblatt.txt") and not removed["pruned"]
    kept = shell.run("ingest", folder, "--collection", "laerm")
    assert "kept although the file is no longer on disk (1; see --prune)" in kept.stdout
    assert str(folder / "Merkblatt.txt") in kept.stdout
    assert len(shell.json("documents", "list")["documents"]) == 2
    pruned = shell.run("ingest", folder, "--collection", "laerm", "--prune")
    assert "removed because the file is no longer on disk (1)" in pruned.stdout
    (left,) = shell.json("documents", "list")["documents"]
    assert left["document"] == "LaermG.txt"
    assert {hit["document"] for hit in shell.json("search", "Lärm messen")["hits"]} == {
        "LaermG.txt"
    }
    assert shell.json("doctor")["healthy"]


def test_jobs_are_listed(shell: Shell, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing follows")
    shell.run("ingest", folder / "broken.pdf", "--collection", "laerm")
    second, first = shell.json("jobs", "list")["jobs"]
    assert (first["status"], first["files_total"], first["files_done"]) == ("done", 2, 2)
    assert first["chunks"] > 2 and first["ended_at"] >= first["started_at"]
    assert (second["status"], second["files_failed"]) == ("failed", 1)
    lines = shell.run("jobs", "list").stdout.splitlines()
    assert (
        "failed" in lines[0] and "0/1 files" not in lines[0] and "1/1 files, 1 failed" in lines[0]
    )
    assert "2/2 files" in lines[1] and lines[1].endswith("laerm")
    assert shell.json("jobs", "list", "--user", "ben") == {"jobs": []}
    assert len(shell.json("jobs", "list", "--user", "ben", "--admin")["jobs"]) == 2
    assert "No ingestions yet" in shell.run("jobs", "list", "--user", "ben").stdout


def test_what_a_person_set_stays_with_a_newer_version(shell: Shell, folder: Path) -> None:
    shell.json("documents", "edit", "LaermG.txt", "--collection", "laerm", "--tag", "mein")
    path = folder / "LaermG.txt"
    path.write_text(LAW.replace("85 Dezibel", "80 Dezibel"), encoding="utf-8")
    report = shell.json("ingest", folder, "--collection", "laerm")
    assert report["files"][0]["status"] == "updated"
    assert shell.json("documents", "show", "LaermG.txt")["tags"] == ["mein"]
    shutil.copy(path, folder.parent / "copy.txt")
    other = shell.json("ingest", folder.parent / "copy.txt", "--collection", "other")
    assert other["files"][0]["status"] == "added"
    assert shell.json("documents", "show", "copy.txt", "--collection", "other")["tags"] == []


def test_no_event_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b[2Jgone\x9b1m"
    for lasting in (True, False):
        with ProgressPrinter(lasting=lasting) as progress:
            progress.show(DocumentProgress(document=evil, stage="failed", error=Notice.of(evil)))
            progress.show(Warned(message=Notice.of(evil)))
    Notices().emit(logging.LogRecord("x", logging.WARNING, "", 0, evil, None, None))
    told = capsys.readouterr().err
    assert told.count("gone") == 5 and not {"\x1b", "\x9b"} & set(told)


def test_no_question_and_no_plan_steers_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    evil = "\x1b[2Jgone\x9b1m"
    monkeypatch.setattr("click.prompt", lambda *_, **__: "/end")
    monkeypatch.setattr("click.confirm", lambda *_, **__: True)
    said = {"questions": (evil,), "items": (PlanItem(id=1, task=evil),), "assumed": (evil,)}
    for interrupt in get_args(Waiting.model_fields["interrupt"].annotation):
        ask(MagicMock(), "t", Waiting(interrupt=interrupt, interrupt_id="i", **said))
    told = capsys.readouterr().out
    assert told.count("gone") == 4 and not {"\x1b", "\x9b"} & set(told)
