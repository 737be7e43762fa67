"""`rabbithole backup` and `restore` over a real home."""

import errno
import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from services.domain.errors import AskPerson, InvalidInput, StoresBusy
from services.library.backup import restore_backup, write_backup
from services.ownership import OwnerLock
from services.settings import Settings
from tests.support.archives import Change, cut_off, flipped, manifest_with, member, rewritten
from tests.support.desk import LAW
from tests.support.shell import Shell


@pytest.fixture(scope="module")
def filled(shell: Shell) -> Shell:
    """A home with a document, an answer, a report with its plan, and a backup beside it."""
    shell.json("ask", "Wer misst den Lärm?", "--collection", "laerm")
    shell.json("research", "Wer misst den Lärm?", "--collection", "laerm", "--yes")
    file = shell.home.parent / "backup.zip"
    written = shell.json("backup", file)
    counts = {"collections": 1, "documents": 1, "threads": 2, "lost_originals": 0}
    assert counts.items() <= written.items() and written["bytes"] == file.stat().st_size
    return shell


@pytest.fixture
def file(filled: Shell, tmp_path: Path) -> Path:
    return Path(shutil.copy(filled.home.parent / "backup.zip", tmp_path))


def test_a_restored_home_says_what_the_old_one_said(
    filled: Shell, file: Path, tmp_path: Path
) -> None:
    copy = Shell(tmp_path / "copy")
    restored = copy.json("restore", file)
    assert (restored["documents"], restored["threads"], restored["unhealthy"]) == (1, 2, [])
    for arguments in (
        ("documents", "list"),
        ("runs", "list"),
        ("plans", "list"),
        ("search", "Lärm messen"),
        ("graph", "status"),
    ):
        assert copy.json(*arguments) == filled.json(*arguments)
    assert copy.json("doctor")["healthy"]
    assert not list(copy.home.glob("restoring*"))


def test_what_waited_in_a_backup_is_not_done_in_somebodys_name(
    filled: Shell, tmp_path: Path
) -> None:
    home = Path(shutil.copytree(filled.home, tmp_path / "home"))
    with closing(sqlite3.connect(home / "catalog.sqlite3")) as catalog, catalog:
        catalog.execute("UPDATE commands SET status='queued', user='boss' WHERE id=1")
        catalog.execute("UPDATE commands SET status='running' WHERE id=2")
    write_backup(Settings(home=home), tmp_path / "b.zip")
    restore_backup(Settings(home=tmp_path / "copy"), tmp_path / "b.zip")
    with closing(sqlite3.connect(tmp_path / "copy" / "catalog.sqlite3")) as catalog:
        states = catalog.execute("SELECT status FROM commands WHERE id IN (1, 2)").fetchall()
    assert states == [("failed",), ("failed",)]


def test_a_backup_is_taken_while_another_process_writes(filled: Shell, tmp_path: Path) -> None:
    with closing(sqlite3.connect(filled.home / "catalog.sqlite3")) as other:
        other.execute("BEGIN IMMEDIATE")
        other.execute("DELETE FROM runs")
        write_backup(Settings(home=filled.home), tmp_path / "b.zip")
        other.rollback()
    assert restore_backup(Settings(home=tmp_path / "copy"), tmp_path / "b.zip").threads == 2


def test_a_lost_original_is_counted_and_taken_from_where_it_came(
    filled: Shell, tmp_path: Path
) -> None:
    home = Path(shutil.copytree(filled.home, tmp_path / "home"))
    original = next((home / "originals").iterdir())
    original.write_bytes(b"something else")
    assert write_backup(Settings(home=home), tmp_path / "b.zip").lost_originals == 1
    copy = Shell(tmp_path / "copy")
    result = copy.run("restore", tmp_path / "b.zip")
    assert result.exit_code == 0 and "originals missing, with their text kept: 1)" in result.stdout
    assert (copy.home / "originals" / original.name).read_text(encoding="utf-8") == LAW


def told(**values: Any) -> Change:
    """The list of members says something else."""
    return lambda file: rewritten(file, manifest_with(**values))


DAMAGES: dict[str, tuple[Change, str]] = {
    "flipped": (member("catalog.sqlite3", flipped), "has changed"),
    "no catalog": (member("catalog.sqlite3", lambda data: None), "its table of contents"),
    "no manifest": (member("backup.json", lambda data: None), "not a backup"),
    "newer": (told(format=2), "format 2"),
    "empty list": (told(members={}), "catalog.sqlite3 is missing"),
    "size": (told(members={"catalog.sqlite3": {"size": -1, "sha256": "0" * 64}}), "damaged"),
    "path": (told(members={"../evil": {"size": 1, "sha256": "0" * 64}}), "missing"),
    **{f"cut off at {length}": (cut_off(length), "damaged") for length in (0, 100, -100)},
}


@pytest.mark.parametrize(("damage", "fault"), DAMAGES.values(), ids=DAMAGES)
def test_a_damaged_backup_restores_nothing(
    file: Path, tmp_path: Path, damage: Change, fault: str
) -> None:
    with pytest.raises(InvalidInput, match=fault):
        restore_backup(Settings(home=tmp_path / "copy"), damage(file))
    assert [each.name for each in (tmp_path / "copy").iterdir()] == ["owner.lock"]


def test_a_full_disk_is_no_fault_of_the_backup(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(AskPerson, match=r"^\S+/copy cannot be written.*Free some space"):
        restore_backup(Settings(home=tmp_path / "copy"), file)
    assert [each.name for each in (tmp_path / "copy").iterdir()] == ["owner.lock"]


def test_a_restore_that_was_cut_short_is_done_again(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The catalog comes last: before it, the home is still none."""
    home, moved, real = tmp_path / "copy", list[str](), Path.replace

    def dies_at_the_catalog(source: Path, target: Path) -> Path:
        if target.name == "catalog.sqlite3":
            raise KeyboardInterrupt
        done = real(source, target)
        moved.append(target.name)
        return done

    monkeypatch.setattr(Path, "replace", dies_at_the_catalog)
    with pytest.raises(KeyboardInterrupt):
        restore_backup(Settings(home=home), file)
    assert len(moved) == 2
    monkeypatch.undo()
    assert restore_backup(Settings(home=home), file).documents == 1
    assert Shell(home).run("doctor", "--repair").exit_code == 0


def test_what_cannot_be_backed_up_or_restored_is_said(
    filled: Shell, file: Path, tmp_path: Path
) -> None:
    assert "empty folder" in filled.error("restore", file)
    owner = OwnerLock(tmp_path / "copy")
    assert owner.acquire()
    with pytest.raises(StoresBusy, match="Stop it first"):
        restore_backup(Settings(home=tmp_path / "copy"), file)
    owner.release()
    filled.json("collections", "export", "laerm", "-o", tmp_path / "laerm.zip")
    result = Shell(tmp_path / "copy").run("restore", tmp_path / "laerm.zip")
    assert result.exit_code == 1 and "collections restore" in result.stderr
    for settings, target, fault in (
        (Settings(home=filled.home), file, "already exists"),
        (Settings(home=tmp_path / "empty"), tmp_path / "b.zip", "is still empty"),
        (Settings(database="postgresql://x/y"), tmp_path / "b.zip", "its own tools"),
    ):
        with pytest.raises(InvalidInput, match=fault):
            write_backup(settings, target)
