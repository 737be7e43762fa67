"""One damaged thread is one error that says so; the others go on."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent.engine.engine import Engine
from agent.models import RunOptions
from services.domain.errors import Broken, IncompatibleThread
from tests.support.desk import QUESTION, open_desk, until_ended, until_waiting

HALVED = "substr({0}, 1, length({0}) / 2)"


def waiting_threads(home: Path) -> list[str]:
    """Two researches that wait for the approval of their plans, with none of their pages in common.

    They come one after the other, and one between them is deleted: else a page may hold rows of
    both.
    """
    with open_desk(home) as desk:
        threads = []
        for _ in range(3):
            threads.append(desk.threads.start(QUESTION, options=RunOptions(clarify=False)))
            until_waiting(desk, threads[-1])
        desk.threads.delete(threads.pop(1))
    return threads


def approve(desk: Engine, thread: str) -> None:
    pending = desk.threads.run(thread).pending
    assert pending is not None
    desk.threads.approve(thread, pending.interrupt_id)


@pytest.mark.parametrize(
    ("table", "column"),
    [("checkpoints", "checkpoint"), ("checkpoints", "metadata"), ("writes", "value")],
)
@pytest.mark.parametrize("harm", [HALVED, "x'00ff'", "zeroblob(9)"])
def test_a_damaged_thread_is_one_typed_error(
    tmp_path: Path, table: str, column: str, harm: str
) -> None:
    first, second = waiting_threads(tmp_path)
    with closing(sqlite3.connect(tmp_path / "checkpoints.sqlite3")) as file, file:
        change = f"UPDATE {table} SET {column} = {harm.format(column)} WHERE thread_id = ?"
        assert file.execute(change, [first]).rowcount
    with open_desk(tmp_path) as desk:
        with pytest.raises(IncompatibleThread, match=r"damaged.*start a new thread"):
            approve(desk, first)
        with pytest.raises(IncompatibleThread, match="damaged"):
            desk.threads.checkpoints(first)
        approve(desk, second)
        assert until_ended(desk, second) == "done"
        desk.threads.delete(first)
        assert [each.thread_id for each in desk.threads.runs()] == [second]


PAGE = 4096


def overwrite(file: Path, pages: list[int]) -> None:
    assert pages
    data = bytearray(file.read_bytes())
    for page in pages:
        data[page * PAGE : (page + 1) * PAGE] = b"\xa5" * PAGE
    file.write_bytes(data)


def damaged_pages(file: Path, thread: str, other: str) -> None:
    """Overwrites the pages that hold something of one thread and nothing of another."""
    with closing(sqlite3.connect(file)) as steps:
        steps.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    data = file.read_bytes()
    pages = [data[start : start + PAGE] for start in range(0, len(data), PAGE)]
    damaged = [n for n, page in enumerate(pages) if thread.encode() in page]
    overwrite(file, [n for n in damaged if n and other.encode() not in pages[n]])


def test_a_file_that_is_damaged_further_in_is_set_aside_and_what_can_be_read_is_kept(
    tmp_path: Path,
) -> None:
    first, second = waiting_threads(tmp_path)
    damaged_pages(tmp_path / "checkpoints.sqlite3", first, second)
    with open_desk(tmp_path) as desk:
        with pytest.raises(Broken, match="doctor --repair"):
            approve(desk, first)
        assert "doctor --repair" in str(desk.library.check().steps)
        mended = str(desk.library.check(repair=True).steps)
        assert f"kept: 1; threads that start over when resumed: {first}" in mended
        assert list(tmp_path.glob("checkpoints-damaged-*.sqlite3"))
        assert desk.library.check().steps is None
        run = desk.threads.run(first)
        assert run.status == "failed" and "starts over" in str(run.error)
        desk.threads.resume(first)
        until_waiting(desk, first)
        approve(desk, second)
        assert until_ended(desk, second) == "done"


def test_where_an_index_alone_is_damaged_every_thread_is_kept(tmp_path: Path) -> None:
    threads = waiting_threads(tmp_path)
    file = tmp_path / "checkpoints.sqlite3"
    with closing(sqlite3.connect(file)) as steps:
        steps.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'sqlite_autoindex_checkpoints_1'"
        ((root,),) = steps.execute(query).fetchall()
    overwrite(file, [root - 1])
    with open_desk(tmp_path) as desk:
        assert "kept: 2;" in str(desk.library.check(repair=True).steps)
        for thread in threads:
            approve(desk, thread)
            assert until_ended(desk, thread) == "done"
