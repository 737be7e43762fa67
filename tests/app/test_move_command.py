"""`rabbithole move`: a home to PostgreSQL and back; everything opens, goes on and verifies."""

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import URL

from agent.engine import moving
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

    assert "RABBITHOLE_DATABASE" in own_shell.error("documents", "list")
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
    assert "Choose an empty one" in other.error("move", "--to", url)
    assert other.json("collections", "list")["collections"], "nothing was set aside"


def fails_at(place: str, number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A function of a move breaks off at one of its calls, as a kill would."""
    real, calls = getattr(moving, place), itertools.count(1)

    def broken(*args: Any) -> Any:
        if next(calls) == number:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(moving, place, broken)


@postgres.needs_postgres
@pytest.mark.parametrize(
    ("place", "number"),
    [("_put", 3), *(pytest.param("set_aside", n, marks=pytest.mark.slow) for n in (1, 2))],
)
def test_a_move_that_was_cut_short_goes_on(
    own_shell: Shell, url: str, place: str, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = own_shell.json("research", "Wer misst den Lärm?", "--collection", "laerm")
    before = said(own_shell)
    with monkeypatch.context() as broken:
        fails_at(place, number, broken)
        assert own_shell.run("move", "--to", url).exit_code == 1
    again = own_shell.json("move", "--to", url)
    assert (again["threads"], again["rows"]["runs"]) == (1, 1)
    assert sorted(file.name.partition("-")[0] for file in own_shell.home.glob("*-moved-*")) == [
        "catalog", "checkpoints",
    ]  # fmt: skip
    monkeypatch.setenv("RABBITHOLE_DATABASE", url)
    assert said(own_shell) == before

    home = f"sqlite:///{own_shell.home / 'catalog.sqlite3'}"
    with monkeypatch.context() as broken:
        fails_at("_put", 3, broken)
        assert own_shell.run("move", "--to", home).exit_code == 1
    own_shell.json("move", "--to", home)
    monkeypatch.delenv("RABBITHOLE_DATABASE")
    assert said(own_shell) == before
    assert own_shell.json("resume", waits["thread_id"], "--approve")["answer"]


@postgres.needs_postgres
def test_a_home_that_was_moved_is_not_moved_elsewhere_from_what_it_left(
    own_shell: Shell, url: str, postgresql: URL
) -> None:
    own_shell.json("move", "--to", url)
    with postgres.database(postgresql) as other:
        refused = own_shell.run("move", "--to", other)
    assert refused.exit_code == 1 and "was moved to another database" in refused.stderr
    assert not (own_shell.home / "catalog.sqlite3").exists()
    new = Shell(own_shell.home.parent / "new")
    assert "no catalog" in new.run("move", "--to", url).stderr


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
    assert "Table collections was not copied correctly" in own_shell.error("move", "--to", url)
    with engine.begin() as connection:
        assert connection.scalar(text("SELECT count(*) FROM texts")) == 0
    engine.dispose()
    assert own_shell.json("collections", "list")["collections"]


def test_nobody_may_work_in_the_home(own_shell: Shell) -> None:
    lock = OwnerLock(own_shell.home)
    assert lock.acquire()
    try:
        with pytest.raises(StoresBusy, match="Stop it first"):
            move(Settings(home=own_shell.home), "postgresql+psycopg://nobody@localhost/none")
    finally:
        lock.release()
    with pytest.raises(InvalidInput, match="already"):
        move(Settings(home=own_shell.home), Settings(home=own_shell.home).catalog_url)


def test_from_file_to_file_nothing_is_moved(own_shell: Shell, tmp_path: Path) -> None:
    thread = own_shell.json("ask", "Wer misst den Lärm?", "--collection", "laerm")["thread_id"]
    refused = own_shell.run("move", "--to", f"sqlite:///{tmp_path / 'other.sqlite3'}")
    assert refused.exit_code == 1 and "only be moved to a PostgreSQL server" in refused.stderr
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
    assert refused.exit_code == 1 and "Move that file out of the way first" in refused.stderr
    assert not (own_shell.home / "catalog.sqlite3").exists()


@postgres.needs_postgres
def test_a_home_that_others_work_on_is_not_moved(
    own_shell: Shell, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    own_shell.json("move", "--to", url)
    for name, value in (("DATABASE", url), ("VECTORS", "postgres"), ("LEXICAL", "postgres")):
        monkeypatch.setenv(f"RABBITHOLE_{name}", value)
    back = ("move", "--to", f"sqlite:///{own_shell.home / 'catalog.sqlite3'}")
    with Catalog.open(url) as other:
        other.workers.join("w")
        assert other.workers.holder in own_shell.error(*back)
        other.workers.leave()
    assert own_shell.json(*back)["rows"]["workers"] == 0
