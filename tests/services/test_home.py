"""A home that has lost its catalog is no new one."""

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from services.domain import Principal
from services.domain.errors import CorruptCatalog, InvalidInput
from services.home import RESTORING, exposure, make_private, open_catalog
from services.library.backup import restore_backup, write_backup
from services.settings import Settings
from tests.support.desk import LAW, open_desk
from tests.support.shell import Shell


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """With one document, and a backup beside it."""
    home = tmp_path / "home"
    with open_desk(home):
        pass
    write_backup(Settings(home=home), tmp_path / "backup.zip")
    return home


def lose(home: Path) -> None:
    (home / "catalog.sqlite3").unlink()


def empty(home: Path) -> None:
    (home / "catalog.sqlite3").write_bytes(b"")


@pytest.mark.parametrize("harm", [lose, empty])
def test_it_is_refused_unchanged_and_restored_in_place(
    home: Path, harm: Callable[[Path], None]
) -> None:
    harm(home)
    log = home / "catalog.sqlite3-wal"
    log.write_bytes(b"what the lost catalog had not written yet")
    before = {file: file.read_bytes() for file in home.rglob("*") if file.is_file()}
    with pytest.raises(CorruptCatalog, match=r"document files \(1\).*restore FILE"):
        open_catalog(Settings(home=home))
    assert {file: file.read_bytes() for file in home.rglob("*") if file.is_file()} == before
    assert restore_backup(Settings(home=home), home.parent / "backup.zip").documents == 1
    (kept,) = home.glob("catalog-lost-*-wal")
    assert kept.read_bytes() == before[log]
    with open_catalog(Settings(home=home)) as catalog:
        assert [each.name for each in catalog.collections.list(Principal())] == ["laerm"]


def test_where_a_restoration_was_cut_short_nothing_is_begun(tmp_path: Path) -> None:
    (tmp_path / RESTORING).mkdir()
    with pytest.raises(CorruptCatalog, match="Run it again"):
        open_catalog(Settings(home=tmp_path))
    shutil.rmtree(tmp_path / RESTORING)
    open_catalog(Settings(home=tmp_path)).close()


def test_what_is_in_use_is_not_overwritten(home: Path) -> None:
    with pytest.raises(InvalidInput, match="already contains data"):
        restore_backup(Settings(home=home), home.parent / "backup.zip")


needs_modes = pytest.mark.skipif(os.name == "nt", reason="Windows closes a profile itself")


@needs_modes
def test_an_open_home_is_closed_once_with_what_it_holds(tmp_path: Path) -> None:
    elsewhere, home = tmp_path / "mine.txt", tmp_path / "home"
    elsewhere.touch(0o644)
    make_private(home)
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    (home / "originals").mkdir(0o755)
    for name, mode in (("catalog.sqlite3", 0o644), ("originals/tool", 0o755), ("mine", 0o644)):
        (home / name).touch()
        (home / name).chmod(mode)
    (home / "originals" / "link").symlink_to(elsewhere)
    make_private(home)
    assert stat.S_IMODE((home / "catalog.sqlite3").stat().st_mode) == 0o644, (
        "a closed home is not walked"
    )
    home.chmod(0o755)
    assert exposure(home) is not None
    make_private(home)
    assert exposure(home) is None
    names = ("", "catalog.sqlite3", "originals", "originals/tool", "mine")
    assert [stat.S_IMODE((home / name).stat().st_mode) for name in names] == [
        0o700, 0o600, 0o700, 0o700, 0o644,
    ]  # fmt: skip
    assert stat.S_IMODE(elsewhere.stat().st_mode) == 0o644, "no link is followed out of it"


@needs_modes
def test_a_home_that_cannot_be_closed_is_said_and_used(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tmp_path.chmod(0o1777)
    make_private(tmp_path)
    assert "Other users of this machine can read" in caplog.text
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o1777


def test_a_read_only_home_is_read_over_a_copy_and_takes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (law := tmp_path / "LaermG.txt").write_text(LAW, encoding="utf-8")
    shell = Shell(tmp_path / "home")
    shell.json("ingest", law, "--collection", "laerm")
    home, before = shell.home.resolve(), state(shell.home)

    def access(path: str, mode: int, **_: object) -> bool:
        return mode != os.W_OK or home not in (Path(path).resolve(), *Path(path).resolve().parents)

    monkeypatch.setattr(os, "access", access)
    for command in (("search", "Lärm"), ("ask", "Was gilt bei Lärm?"), ("documents", "list"),
                    ("collections", "list"), ("runs", "list"), ("doctor",)):  # fmt: skip
        result = shell.run(*command)
        assert result.exit_code == 0, result.stderr
    for command in (("ingest", law, "--collection", "laerm"), ("doctor", "--repair"),
                    ("collections", "create", "neu"), ("research", "Lärm")):  # fmt: skip
        result = shell.run(*command)
        assert result.exit_code == 1 and "is read-only" in result.stderr.splitlines()[-1]
    assert state(shell.home) == before


def state(home: Path) -> dict[Path, tuple[int, int]]:
    files = [file for file in home.rglob("*") if file.is_file()]
    return {file: (file.stat().st_mtime_ns, file.stat().st_size) for file in files}
