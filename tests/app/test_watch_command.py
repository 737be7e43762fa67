"""`rabbithole watch`: a collection follows a folder."""

from pathlib import Path
from typing import Any

import pytest
import watchfiles

from app.cli import ingest
from services.domain.errors import StoresBusy
from tests.support.shell import Shell

TEXT = "Merkblatt\n\n§ 1 Messung\n\nDer Lärm ist {} zu messen.\n"


def write(file: Path, how_often: str) -> None:
    file.write_text(TEXT.format(how_often), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    write(folder / "a.txt", "jährlich")
    write(folder / "b.txt", "monatlich")
    return folder


def listed(shell: Shell) -> set[str]:
    rows = shell.json("documents", "list", "--collection", "laerm")["documents"]
    return {row["document"] for row in rows}


def test_a_round_makes_the_collection_equal_to_the_folder(own_shell: Shell, folder: Path) -> None:
    def follow() -> dict[str, str]:
        report = own_shell.json("watch", folder, "--collection", "laerm", "--once")
        return {Path(file["path"]).name: file["status"] for file in report["files"]}

    for change, statuses in (
        (lambda: None, {"a.txt": "added", "b.txt": "added"}),
        (lambda: write(folder / "a.txt", "täglich"), {"a.txt": "updated", "b.txt": "unchanged"}),
        (lambda: write(folder / "c.txt", "stets"), {"c.txt": "added"}),
        (lambda: (folder / "b.txt").unlink(), {"a.txt": "unchanged"}),
        (lambda: (folder / "c.txt").rename(folder / "d.txt"), {"a.txt": "unchanged"}),
    ):
        change()
        assert statuses.items() <= follow().items()
        there = {file.name for file in folder.iterdir()}
        assert listed(own_shell) == there | {"LaermG.txt"}


def test_a_change_is_taken_in_while_it_waits(
    own_shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = watchfiles.watch
    seen: list[set[Any]] = []

    def two_rounds(*paths: Path, **options: Any) -> Any:
        for changes in real(*paths, **options | {"rust_timeout": 300}):
            yield changes
            if changes:
                seen.append(changes)
            elif seen:
                return
            else:
                write(folder / "late.txt", "nachts")

    monkeypatch.setattr(watchfiles, "watch", two_rounds)
    done = own_shell.run("watch", folder, "--collection", "laerm")
    assert done.exit_code == 0 and seen
    assert listed(own_shell) == {"a.txt", "b.txt", "late.txt", "LaermG.txt"}
    assert done.stdout.count(" in laerm; ") == 2


def test_a_file_is_taken_in_when_it_is_whole_or_long_after(
    own_shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow_copy(*_: Path, **options: Any) -> Any:
        yield set()
        for text in ("half", "whole"):
            write(folder / "c.txt", text)
            yield {("modified", "c.txt")}
        yield set()

    monkeypatch.setattr(watchfiles, "watch", slow_copy)
    for patience_s, rounds in ((60.0, 2), (0.0, 3)):
        monkeypatch.setattr(ingest, "RESTLESS_S", patience_s)
        done = own_shell.run("watch", folder, "--collection", "laerm")
        assert done.stdout.count(" in laerm; ") == rounds, done.stdout


def test_what_may_work_later_is_tried_again(
    own_shell: Shell, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, rounds = ingest.take_in, iter(range(9))

    def away_at_first(*given: Any, **options: Any) -> Any:
        if next(rounds) < 2:
            raise StoresBusy("Another process is at work.")
        return real(*given, **options)

    monkeypatch.setattr(ingest, "take_in", away_at_first)
    monkeypatch.setattr(watchfiles, "watch", lambda *_, **options: iter([set()] * 5))
    done = own_shell.run("watch", folder, "--collection", "laerm")
    assert done.exit_code == 0 and done.stdout.count(" in laerm; ") == 1
    assert done.stderr.count("Another process is at work.") == 1, "said once"
    assert listed(own_shell) == {"a.txt", "b.txt", "LaermG.txt"}
