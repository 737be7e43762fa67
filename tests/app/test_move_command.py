"""`rabbithole move`: a home to PostgreSQL and back; everything opens, goes on and verifies."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL

from agent.engine.moving import move
from services.catalog import Catalog
from services.domain.errors import InvalidInput, StoresBusy
from services.ownership import OwnerLock
from services.settings import Settings
from tests.support import postgres
from tests.support.shell import Shell

SAME = (
    ("documents", "list"),
    ("runs", "list"),
    ("plans", "list"),
    ("collections", "list"),
    ("search", "Lärm messen"),
)


@pytest.fixture
def url(postgresql: URL) -> Iterator[str]:
    with postgres.database(postgresql) as address:
        yield address


def said(shell: Shell) -> list[dict[str, Any]]:
    return [shell.json(*arguments) for arguments in SAME]


@postgres.needs_postgres
def test_a_home_moves_to_postgresql_and_back(
    own_shell: Shell, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_shell.json("ask", "Wer misst den Lärm?", "--collection", "laerm")
    done = own_shell.json("research", "Wer misst den Lärm?", "--collection", "laerm", "--yes")
    waits = own_shell.json("research", "Welcher Lärm ist erlaubt?", "--collection", "laerm")
    before = said(own_shell)
    there = own_shell.json("move", "--to", url)
    assert there["threads"] == 3 and there["steps"] > 20 and there["rows"]["runs"] == 3
    assert [Path(file).name.partition("-")[0] for file in there["set_aside"]] == [
        "catalog", "checkpoints",
    ]  # fmt: skip

    monkeypatch.setenv("RABBITHOLE_DATABASE", url)
    assert said(own_shell) == before
    (report := own_shell.home / "report.json").write_text(json.dumps(done))
    assert own_shell.run("verify", report).exit_code == 0
    ended = own_shell.json("resume", waits["thread_id"], "--approve")
    assert ended["answer"], "a thread goes on from where it waited"
    after = said(own_shell)

    own_shell.json("move", "--to", f"sqlite:///{own_shell.home / 'catalog.sqlite3'}")
    monkeypatch.delenv("RABBITHOLE_DATABASE")
    assert said(own_shell) == after
    own_shell.json("ask", "Wer misst den Lärm?", "--thread", asked_thread(after))


def asked_thread(after: list[dict[str, Any]]) -> str:
    runs = after[1]["runs"]
    return str(next(run["thread_id"] for run in runs if run["kind"] == "ask"))


@postgres.needs_postgres
def test_a_database_that_holds_something_is_left_alone(own_shell: Shell, url: str) -> None:
    own_shell.json("move", "--to", url)
    other = Shell(own_shell.home.parent / "other")
    other.json("collections", "create", "law")
    refused = other.run("move", "--to", url)
    assert refused.exit_code == 1 and "Name an empty one" in refused.stderr
    assert other.json("collections", "list")["collections"], "nothing was set aside"


SPOIL = """
CREATE FUNCTION spoil() RETURNS trigger AS $$ BEGIN NEW.name = upper(NEW.name); RETURN NEW; END $$
LANGUAGE plpgsql; CREATE TRIGGER spoil BEFORE INSERT ON collections
FOR EACH ROW EXECUTE FUNCTION spoil();
"""


@postgres.needs_postgres
def test_what_does_not_arrive_as_it_was_is_an_error_and_not_kept(
    own_shell: Shell, url: str
) -> None:
    Catalog.open(url).close()
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(SPOIL)
    failed = own_shell.run("move", "--to", url)
    assert failed.exit_code == 1 and "Of table collections" in failed.stderr
    with engine.begin() as connection:
        assert connection.scalar(text("SELECT count(*) FROM texts")) == 0
    engine.dispose()
    assert own_shell.json("collections", "list")["collections"]


def test_nobody_may_work_in_the_home(own_shell: Shell) -> None:
    lock = OwnerLock(own_shell.home)
    assert lock.acquire()
    try:
        with pytest.raises(StoresBusy, match="End it first"):
            move(Settings(home=own_shell.home), "postgresql+psycopg://nobody@localhost/none")
    finally:
        lock.release()
    with pytest.raises(InvalidInput, match="already"):
        move(Settings(home=own_shell.home), Settings(home=own_shell.home).catalog_url)


def test_from_file_to_file_nothing_is_moved(own_shell: Shell, tmp_path: Path) -> None:
    thread = own_shell.json("ask", "Wer misst den Lärm?", "--collection", "laerm")["thread_id"]
    refused = own_shell.run("move", "--to", f"sqlite:///{tmp_path / 'other.sqlite3'}")
    assert refused.exit_code == 1 and "PostgreSQL server only" in refused.stderr
    assert own_shell.json("ask", "Und wann?", "--thread", thread)["answer"]
    assert not list(own_shell.home.glob("*-moved-*"))


@postgres.needs_postgres
def test_steps_that_are_there_are_not_mixed_with_those_that_come(
    own_shell: Shell, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_shell.json("move", "--to", url)
    monkeypatch.setenv("RABBITHOLE_DATABASE", url)
    (own_shell.home / "checkpoints.sqlite3").touch()
    refused = own_shell.run("move", "--to", f"sqlite:///{own_shell.home / 'catalog.sqlite3'}")
    assert refused.exit_code == 1 and "Move that file away first" in refused.stderr
    assert not (own_shell.home / "catalog.sqlite3").exists()
