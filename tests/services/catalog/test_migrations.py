"""A home that version 0.1 wrote goes on working; an older one says what to do."""

import gzip
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import inspect

from services.catalog import Catalog
from services.catalog.database import Database
from services.domain import MetadataChanges, Principal
from services.domain.errors import AskPerson
from services.domain.events import Warned
from services.library.thresholds import Vote
from services.models.recording import RecordedReply

STORED = Path(__file__).parents[2] / "data" / "catalog_0015.sql.gz"
"""Two sections of a law with tags, a graph part, a run, a vote, a job, and a queued command."""
REPLY = RecordedReply(
    task="plan", sha256="a" * 64, model="m", context_tokens=9, speed=1.5, text="x"
)


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    path = tmp_path / "stored.sqlite3"
    with sqlite3.connect(path) as connection:
        connection.executescript(gzip.decompress(STORED.read_bytes()).decode())
    return path


def schema(path: Path) -> dict[str, object]:
    """Columns, keys and indexes of every table, without their order."""
    database = Database(f"sqlite:///{path}")
    inspector = inspect(database.engine)
    found: dict[str, object] = {
        name: {
            "columns": sorted(
                (each["name"], str(each["type"]), each["nullable"], each["default"])
                for each in inspector.get_columns(name)
            ),
            "keys": inspector.get_pk_constraint(name)["constrained_columns"],
            "unique": inspector.get_unique_constraints(name),
            "foreign": sorted(inspector.get_foreign_keys(name), key=str),
            "indexes": sorted(inspector.get_indexes(name), key=str),
        }
        for name in inspector.get_table_names()
    }
    database.close()
    return found


def test_a_new_home_has_the_tables_of_a_stored_one(stored: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.sqlite3"
    for path in (new, stored):
        Catalog.open(f"sqlite:///{path}").close()
    assert schema(new) == schema(stored)


def test_a_stored_home_is_read(stored: Path) -> None:
    with Catalog.open(f"sqlite:///{stored}") as catalog:
        scope = catalog.collections.scope(Principal(), ["law"])
        (place,) = scope.collections
        (document,) = catalog.documents.list(scope)
        assert (document.document, document.tags, document.chunks) == ("gesetz.txt", ("alt",), 2)
        chunks = catalog.chunks.get(catalog.chunks.ids(place), scope=scope)
        assert [each.section for each in chunks.values()] == ["§ 1", "§ 2"]
        assert [part.nodes[0][2] for part in catalog.graph.read(scope)] == ["Gesetz"]
        assert catalog.graph.merges.merged(scope.collections) == {"entity:a": "entity:b"}
        run = catalog.runs.get(Principal(), "t")
        assert (run.kind, run.status, run.collections) == ("ask", "done", (place,))
        assert catalog.runs.report(Principal(), "t") == {"title": "R"}
        assert [each.event for each in catalog.events.since("t", 0)] == [Warned(message="!")]
        assert catalog.answers.get("t", "i") == {"ok": True}
        assert catalog.drafts.get("t", "j", Principal()) == {"x": 1}
        assert catalog.replies.of_thread("t") == [REPLY]
        vote = Vote(up=False, route="fast", depth="fast", score=0.3)
        routing = catalog.feedback.routing([place])[place]
        assert (routing.votes, routing.fast, routing.agent) == ((vote,), 34, 55)
        assert [each.status for each in catalog.ingestions.list(Principal())] == ["done"]
        assert catalog.parameters.global_values()["ask.model"].locked
        assert catalog.embeddings.get("e", ["h"]) == {"h": b"\0\0\0\0"}


def test_a_stored_home_is_written(stored: Path) -> None:
    with Catalog.open(f"sqlite:///{stored}") as catalog:
        scope = catalog.collections.scope(Principal(), None)
        (document,) = catalog.documents.list(scope)
        place = scope.collections[0]
        catalog.metadata.edit(place, document.document_id, MetadataChanges(date="2002-02-03"))
        dates = catalog.filters.dates([document.document_id], scope=scope)
        assert list(dates.values()) == ["2002-02-03"]
        command = catalog.queue.claim()
        assert command is not None and command.kind == "ingest"
        assert catalog.queue.submit(Principal(), "check", {}) > command.id


@pytest.mark.parametrize("revision", ["0001", "0014"])
def test_a_home_from_before_says_to_open_it_with_the_version_between(
    stored: Path, revision: str
) -> None:
    with sqlite3.connect(stored) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", (revision,))
    with pytest.raises(AskPerson, match=rf"revision {revision}.*once with version 0\.1"):
        Catalog.open(f"sqlite:///{stored}")


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("SELECT chunk_id FROM chunks WHERE section = '§ 1'", "ix_chunks_section_chunk_id"),
        (
            "SELECT * FROM commands WHERE user = 'a' AND kind IN ('ingest', 'check')",
            "ix_commands_user_kind_id",
        ),
    ],
)
def test_lookups_go_through_an_index(stored: Path, query: str, index: str) -> None:
    with sqlite3.connect(stored) as connection:
        (step,) = connection.execute(f"EXPLAIN QUERY PLAN {query}")
    assert index in step[-1]
