"""Steps of threads that are damaged further in: a copy set aside, and what can be read kept."""

import shutil
import sqlite3
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from services.home import aside

TABLES: Final = ("checkpoints", "writes")


def damage(path: Path) -> str | None:
    """What SQLite finds wrong with a file first; None where it is whole or missing."""
    if not path.exists():
        return None
    try:
        with closing(sqlite3.connect(path)) as file:
            (said,) = file.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        return str(error)
    return None if said == "ok" else str(said)


def salvage(path: Path, threads: Iterable[str]) -> tuple[Path, list[str]]:
    """Copy a damaged file aside and overwrite it with the threads that can be read whole.

    Who has it open need not open it again, but must not be at work in it.

    Returns:
        Where the damaged file is now, and the threads of which something cannot be read.
    """
    kept = aside(path, "damaged")
    for end in ("", "-wal"):
        with suppress(FileNotFoundError):
            shutil.copy(path.with_name(path.name + end), kept.with_name(kept.name + end))
    with (
        closing(sqlite3.connect(kept)) as source,
        closing(sqlite3.connect(":memory:")) as whole,
        closing(sqlite3.connect(path)) as target,
    ):
        lost = _copied(source, whole, threads)
        whole.backup(target)
    return kept, lost


def _copied(
    source: sqlite3.Connection, target: sqlite3.Connection, threads: Iterable[str]
) -> list[str]:
    """Copies the threads that can be read whole; the others."""
    lost = []
    for (made,) in source.execute("SELECT sql FROM sqlite_master WHERE name IN (?, ?)", TABLES):
        target.execute(made)
    for thread in threads:
        try:
            rows = {table: _rows(source, table, thread) for table in TABLES}
        except sqlite3.DatabaseError:
            lost.append(thread)
            continue
        for table, found in rows.items():
            marks = ", ".join("?" * len(found[0])) if found else ""
            target.executemany(f"INSERT INTO {table} VALUES ({marks})", found)
    target.commit()
    return lost


def _rows(source: sqlite3.Connection, table: str, thread: str) -> list[tuple[object, ...]]:
    """The rows of a thread; found in the table itself where its index is damaged."""
    for place in (table, f"{table} NOT INDEXED"):
        with suppress(sqlite3.DatabaseError):
            return source.execute(
                f"SELECT * FROM {place} WHERE thread_id = ?",
                [thread],
            ).fetchall()
    raise sqlite3.DatabaseError(table)
