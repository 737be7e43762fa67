"""What is kept is its user's alone, whatever the umask; what is exported goes by the umask."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.desk import LAW, QUESTION
from tests.support.shell import Shell

pytestmark = pytest.mark.skipif(os.name == "nt", reason="a profile of Windows is closed by itself")


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """Others may read and write whatever this process creates."""
    before = os.umask(0)
    yield
    assert os.umask(before) == 0, "a command leaves the umask as it was"


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_all_that_commands_keep_is_closed_and_a_report_is_not(tmp_path: Path) -> None:
    (file := tmp_path / "LaermG.txt").write_text(LAW, encoding="utf-8")
    shell = Shell(tmp_path / "home")
    shell.json("ingest", file, "--collection", "laerm")
    thread = shell.json("ask", QUESTION)["thread_id"]
    report, archive, backup = (tmp_path / name for name in ("answer.md", "laerm.zip", "all.zip"))
    shell.json("export", thread, "--format", "md", "-o", report)
    shell.json("collections", "export", "laerm", "-o", archive)
    shell.json("backup", backup)
    kept = [shell.home, *shell.home.rglob("*")]
    assert {"originals", "vectors", "keywords", "archive.key"} <= {path.name for path in kept}
    assert {mode(path) for path in kept if path.is_dir()} == {0o700}
    assert {mode(path) for path in kept if path.is_file()} == {0o600}
    assert [mode(each) for each in (report, archive, backup)] == [0o666, 0o600, 0o600]
    copy = Shell(tmp_path / "copy")
    copy.json("restore", backup)
    assert not any(mode(path) & 0o77 for path in (copy.home, *copy.home.rglob("*")))


def test_an_old_home_is_closed_when_it_is_opened(own_shell: Shell) -> None:
    for path in (own_shell.home, *own_shell.home.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    assert own_shell.json("doctor")["home"] is None
    assert not any(mode(path) & 0o77 for path in (own_shell.home, *own_shell.home.rglob("*")))
    assert own_shell.json("search", "Lärm")["hits"]


def test_a_home_that_is_not_closed_works_and_the_doctor_says_it(own_shell: Shell) -> None:
    own_shell.home.chmod(0o1777)
    checked = own_shell.run("doctor")
    assert checked.exit_code == 0 and "data folder: Other users of this machine" in checked.stdout
    assert own_shell.json("search", "Lärm")["hits"]
    assert mode(own_shell.home) == 0o1777, "what is everybody's by its sticky bit stays so"
