"""A full disk ends what somebody waits for with a reason, and loses nothing."""

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy.orm import Session

from agent.engine.engine import Engine, connect_to
from services.catalog import Catalog
from services.catalog.database import Database
from services.domain import Principal
from services.domain.errors import AskPerson
from tests.support.app_server import ROOT
from tests.support.desk import LAW, make_services, open_desk
from tests.support.fakes_retrieval import WordIndex
from tests.support.waiting import until

WAIT_S = 20.0


class FullDisk(Database):
    """Takes some more transactions, and then none."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.left: int | None = None

    @contextmanager
    def write(self, *, journal: bool = False) -> Iterator[Session]:
        with super().write(journal=journal) as session:
            yield session
            if self.left is not None:
                self.left -= 1
                if self.left < 0:
                    full = sqlite3.OperationalError("database or disk is full")
                    full.sqlite_errorcode = sqlite3.SQLITE_FULL
                    raise full


def within(action: Callable[[], object]) -> BaseException | None:
    """What an action raises; it must end."""
    raised: list[BaseException | None] = []

    def act() -> None:
        try:
            action()
        except Exception as problem:  # noqa: BLE001 - told to whoever waits
            raised.append(problem)
        else:
            raised.append(None)

    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    thread.join(WAIT_S)
    assert raised, "it never returns"
    return raised[0]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one document, to copy."""
    home = tmp_path_factory.mktemp("filled") / "home"
    open_desk(home).close()
    return home


@pytest.mark.parametrize("left", [0, 1, 2, 5, 9, 13])
def test_an_ingestion_ends_wherever_the_disk_is_full(
    filled: Path, tmp_path: Path, left: int
) -> None:
    home = Path(shutil.copytree(filled, tmp_path / "home"))
    services = make_services(home)
    disk = FullDisk(services.settings.catalog_url)
    with connect_to(services.replaced(catalog=lambda: Catalog(disk)), Principal()) as desk:
        assert desk.settings.model_state() and desk.owner
        file = tmp_path / "a.txt"
        file.write_text("§ 1 Zweck\n\nDie Datei handelt von Lärm.\n", encoding="utf-8")
        disk.left = left
        problem = within(lambda: desk.library.ingest([file], "neu"))
        assert isinstance(problem, AskPerson) and "Free some space" in str(problem)
        disk.left = None
        (outcome,) = desk.library.ingest([file], "neu").files
        assert outcome.status in ("added", "unchanged")
        assert settled(desk)
        assert [each.document for each in desk.library.documents("neu")] == ["a.txt"]
        assert [each.document for each in desk.library.documents("laerm")] == ["LaermG.txt"]


def test_a_research_ends_for_who_follows_it_and_is_recorded_when_there_is_room(
    filled: Path, tmp_path: Path
) -> None:
    services = make_services(Path(shutil.copytree(filled, tmp_path / "home")))
    disk = FullDisk(services.settings.catalog_url)
    with connect_to(services.replaced(catalog=lambda: Catalog(disk)), Principal()) as desk:
        desk.threads.start("Was gilt bei Lärm?", thread_id="t")
        disk.left = 0
        problem = within(lambda: list(desk.threads.follow("t")))
        assert isinstance(problem, AskPerson) and "Free some space" in str(problem)
        disk.left = None
        assert within(lambda: list(desk.threads.follow("t"))) in (None, problem)
        until(lambda: desk.threads.run("t").status != "running", seconds=WAIT_S)
        assert "Free some space" in str(desk.threads.run("t").error)


def settled(desk: Engine) -> bool:
    """Whether every work has an outcome soon after there is room again."""
    return bool(until(lambda: not desk.open_jobs(), seconds=WAIT_S))


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)]
    if sys.platform != "linux" or os.getuid() or subprocess.run(mount).returncode:
        pytest.skip("only root can mount a small disk")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.mark.slow
def test_the_command_ends_with_one_line_and_goes_on_when_there_is_room(
    small_disk: Path, tmp_path: Path
) -> None:
    files = tmp_path / "files"
    files.mkdir()
    for number in range(20):
        text = LAW.replace("§ ", f"§ {number}").replace("Lärm", f"Lärm{number}") * 12
        (files / f"{number:02}.txt").write_text(text, encoding="utf-8")
    environment = {**os.environ, "RABBITHOLE_HOME": str(small_disk), "RABBITHOLE_LLM": "none"}
    command = [sys.executable, "-m", "app.cli.main", "ingest", str(files), "--collection", "laws"]

    def ingest() -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300
        )

    full = ingest()
    lines = full.stderr.splitlines()
    assert full.returncode == 1 and lines[-1].startswith("rabbithole: "), full.stderr
    assert "Free some space" in lines[-1]
    for file in sorted(files.iterdir())[5:]:  # as many as it takes to see that it goes on
        file.unlink()
    subprocess.run(["mount", "-o", "remount,size=200m", str(small_disk)], check=True)
    whole = ingest()
    assert whole.returncode == 0 and "failed" not in whole.stdout, whole.stderr


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_store_that_takes_nothing_is_one_line(filled: Path, tmp_path: Path, code: int) -> None:
    class Closed(WordIndex):
        def ids(self, collection_id: str) -> list[str]:
            raise OSError(code, os.strerror(code), "keywords")

    services = make_services(Path(shutil.copytree(filled, tmp_path / "home")), lexical=Closed)
    with connect_to(services, Principal()) as desk:
        with pytest.raises(AskPerson, match=r"^keywords cannot be written.*Free some space"):
            desk.library.check(repair=True)
        assert [each.document for each in desk.library.documents("laerm")] == ["LaermG.txt"]
