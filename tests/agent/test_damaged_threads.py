"""One damaged thread is one error that says so; the others go on."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from agent.models import RunOptions
from services.domain.errors import IncompatibleThread
from tests.support.desk import QUESTION, open_desk, until_ended, until_waiting

HALVED = "substr({0}, 1, length({0}) / 2)"


def waiting_threads(home: Path) -> list[str]:
    """Two researches that wait for the approval of their plans."""
    with open_desk(home) as desk:
        threads = [
            desk.threads.start(QUESTION, options=RunOptions(clarify=False)) for _ in range(2)
        ]
        for thread in threads:
            until_waiting(desk, thread)
    return threads


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
        pending = desk.threads.run(first).pending
        assert pending is not None
        with pytest.raises(IncompatibleThread, match=r"damaged.*start a new run"):
            desk.threads.approve(first, pending.interrupt_id)
        with pytest.raises(IncompatibleThread, match="damaged"):
            desk.threads.checkpoints(first)
        other = desk.threads.run(second).pending
        assert other is not None
        desk.threads.approve(second, other.interrupt_id)
        assert until_ended(desk, second) == "done"
        desk.threads.delete(first)
        assert [each.thread_id for each in desk.threads.runs()] == [second]
