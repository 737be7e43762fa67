import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import URL, func, select
from sqlalchemy.dialects import postgresql as dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.schema import CreateTable

from services.catalog import Catalog
from services.catalog.connection import make_engine, translate
from services.catalog.database import Database
from services.catalog.migrate import HEAD, TABLES, alembic_config
from services.domain import Principal
from services.domain.errors import AskPerson, CorruptCatalog, DatabaseAway, InvalidInput
from tests.support import postgres
from tests.support.catalogs import new_catalog
from tests.support.documents import law, store
from tests.support.waiting import until

READER = """
import sys
from services.catalog import Catalog
Catalog.open(sys.argv[1]).close()
print("alembic" in sys.modules)
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """An SQLite catalog with enough in it that damage hits something."""
    path = tmp_path / "catalog.sqlite3"
    with new_catalog(path) as catalog:
        collection = catalog.collections.ensure(Principal(), "law").collection_id
        store(catalog, collection, law(*("Grenzwert " * 200 for _ in range(50))))
    return path


def read_all(path: Path) -> int:
    with Catalog.open(f"sqlite:///{path}") as catalog:
        scope = catalog.collections.scope(Principal(), None)
        ids = [id for each in scope.collections for id in catalog.chunks.ids(each)]
        return len(catalog.chunks.get(ids, scope=scope)) + len(catalog.documents.list(scope))


def test_head_is_the_newest_migration() -> None:
    assert ScriptDirectory.from_config(alembic_config()).get_current_head() == HEAD


def test_the_tables_can_be_written_for_postgresql() -> None:
    for table in TABLES.sorted_tables:
        written = str(CreateTable(table).compile(dialect=dialect.dialect()))
        assert f"CREATE TABLE {table.name} " in written.replace('"', "")


def test_opening_at_head_needs_no_alembic(url: str) -> None:
    Catalog.open(url).close()
    reader = subprocess.run(
        [sys.executable, "-c", READER, url], capture_output=True, text=True, check=True
    )
    assert reader.stdout.strip() == "False"


def test_opening_at_head_takes_less_than_30_ms(file: Path) -> None:
    def timed() -> float:
        started = time.process_time()
        Catalog.open(f"sqlite:///{file}").close()
        return time.process_time() - started

    assert min(timed() for _ in range(5)) < 0.030


def test_several_may_create_it_at_once(url: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        catalogs = list(pool.map(Catalog.open, [url] * 4))
    for catalog in catalogs:
        assert catalog.collections.list(Principal()) == []
        catalog.close()


@postgres.needs_postgres
def test_postgresql_needs_no_transaction_for_a_single_query(postgresql: URL) -> None:
    alone = select(func.now() == func.statement_timestamp())  # when a transaction began, and now
    with postgres.database(postgresql) as address, closing(Database(address)) as database:
        assert database.scalar(alone) is True
        with database.read() as session:
            assert session.scalar(alone) is False, "several statements are one transaction"


@postgres.needs_postgres
def test_a_value_that_postgresql_refuses_is_no_outage(cleared: str) -> None:
    with Catalog.open(cleared) as catalog:
        with pytest.raises(InvalidInput, match=r"rejected the value: .*NUL"):
            catalog.runs.create("t", Principal(), "Gr\0nzwert", [], {})
        with pytest.raises(InvalidInput, match=r"rejected the value: .*out of range"):
            catalog.queue.get(2**70)


@postgres.needs_postgres
def test_whoever_was_thrown_out_owns_nothing_until_it_is_got_again(cleared: str) -> None:
    with Catalog.open(cleared) as one, Catalog.open(cleared) as two:
        assert one.try_own() and one.try_own() and not two.try_own()
        postgres.throw_out(cleared)
        with pytest.raises(DatabaseAway):
            one.try_own()
        with pytest.raises(DatabaseAway):
            two.try_own()
        assert two.try_own() and not one.try_own()
        two.disown()
        until(one.try_own, seconds=60)  # the server ends that session a moment later
        assert not two.try_own()


def test_sqlite_is_set_up_for_readers_beside_a_writer(file: Path) -> None:
    database = Database(f"sqlite:///{file}")
    with database.engine.connect() as connection:
        settings = {
            name: connection.exec_driver_sql(f"PRAGMA {name}").scalar()
            for name in ("journal_mode", "busy_timeout", "foreign_keys")
        }
    database.close()
    assert settings == {"journal_mode": "wal", "busy_timeout": 10_000, "foreign_keys": 1}


def overwrite(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:8192] + b"\xa5" * (len(data) - 8192))


def change(statement: str) -> Callable[[Path], object]:
    def damage(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            connection.execute(statement)

    return damage


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda path: path.write_bytes(b"not a database at all " * 100), r"damaged.*backup"),
        (lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]), None),
        (overwrite, None),
        (change("UPDATE chunks SET heading_path = '[broken'"), "malformed"),
        (change("DROP TABLE texts"), None),
        (change("DROP TABLE alembic_version"), None),
    ],
    ids=["no database", "truncated", "overwritten", "malformed row", "texts", "alembic_version"],
)
def test_a_damaged_file_is_a_corrupt_catalog(
    file: Path, damage: Callable[[Path], object], said: str | None
) -> None:
    damage(file)
    with pytest.raises(CorruptCatalog, match=said):
        read_all(file)


def test_no_error_of_a_server_has_the_password() -> None:
    engine = make_engine("postgresql+psycopg://anna:p%40ssword9@localhost/x")
    error = translate(DBAPIError("SELECT 1", None, Exception("refused p@ssword9")), engine)
    assert "refused [secret]" in str(error) and "p@ssword9" not in str(error)


def test_a_catalog_of_a_newer_version_says_to_update(file: Path) -> None:
    change("UPDATE alembic_version SET version_num = '9999'")(file)
    with pytest.raises(AskPerson, match="newer version of Rabbithole"):
        Catalog.open(f"sqlite:///{file}")


def test_a_folder_that_cannot_be_made_names_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file where the folder should be")
    with pytest.raises(AskPerson, match="RABBITHOLE_HOME"):
        Catalog.open(f"sqlite:///{tmp_path / 'home' / 'deep' / 'catalog.sqlite3'}")


def test_the_version_changes_with_every_commit_and_only_then(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'catalog.sqlite3'}"
    with Catalog.open(url) as here, Catalog.open(url) as there:
        seen = [here.version()]
        for catalog, name in ((here, "own"), (there, "foreign")):
            assert here.version() == seen[-1]
            catalog.collections.ensure(Principal(), name)
            seen.append(here.version())
        assert len(set(seen)) == 3


def test_keys_are_looked_up_once_until_the_catalog_changes(tmp_path: Path) -> None:
    lookups: list[tuple[str, ...]] = []

    def lengths(words: Collection[str], factor: int) -> dict[str, int]:
        lookups.append(tuple(words))
        return {word: factor * len(word) for word in words}

    with Catalog.open(f"sqlite:///{tmp_path / 'catalog.sqlite3'}") as catalog:
        length_of = catalog._database.cached_each(3, lengths)
        assert length_of(["a", "bc"], 1) == {"a": 1, "bc": 2}
        assert length_of(["bc", "def"], 1) == {"bc": 2, "def": 3}
        assert length_of(["bc"], 2) == {"bc": 4}
        catalog.collections.ensure(Principal(user="anna"), "law")
        assert length_of(["bc"], 1) == {"bc": 2}
        assert len(length_of(list("wxyz"), 1)) == 4
    assert lookups == [("a", "bc"), ("def",), ("bc",), ("bc",), ("w", "x", "y", "z")]


def test_a_lookup_is_remembered_while_only_runs_are_noted(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'catalog.sqlite3'}"
    ANNA = Principal(user="anna")
    with Catalog.open(url) as here, Catalog.open(url) as there:
        here.collections.ensure(ANNA, "law")
        assert [info.name for info in here.collections.list(ANNA)] == ["law"]
        before = here._database.lookup_version()
        here.runs.create("t", ANNA, "?", ["law"], {})
        epoch = here.leases.acquire("t", "me")
        here.runs.update("t", epoch=epoch, status="done")
        assert here._database.lookup_version() == before
        for catalog, name in ((here, "noise"), (there, "waste")):
            catalog.collections.ensure(ANNA, name)
            assert here._database.lookup_version() != before
            assert name in [info.name for info in here.collections.list(ANNA)]
            before = here._database.lookup_version()
