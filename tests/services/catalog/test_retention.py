"""What nobody needs any more ends by age and by number; what is under way or shown stays."""

from sqlalchemy import update

from services.catalog import Catalog
from services.catalog.database import Database
from services.catalog.values import log_thread
from services.catalog.work_models import EventRow, IngestionRow, ModelReplyRow, QueuedJobRow
from services.domain.events import EventKey, PhaseStarted
from services.domain.runs import IngestionCounts
from services.models.recording import RecordedReply
from tests.services.catalog.conftest import ANNA, Count
from tests.support.catalogs import log_event

LONG_AGO = "2020-01-01T00:00:00.000000+00:00"
KINDS = (QueuedJobRow, IngestionRow, ModelReplyRow, EventRow)


def fill(catalog: Catalog) -> None:
    """Add an open and an ended job, ingestion and log each, and a thread with reply and event."""
    collection = catalog.collections.create(ANNA, "law")
    for ends in (True, False):
        job = catalog.queue.submit(ANNA, "ingest", {})
        catalog.queue.claim()
        ingestion = catalog.ingestions.begin("anna", collection, 1)
        logged(catalog, log_thread(job))
        if ends:
            catalog.queue.finish(job, None)
            catalog.ingestions.end(ingestion, IngestionCounts(), "done")
    catalog.runs.create("t1", ANNA, "?", [], {})
    logged(catalog, "t1")
    catalog.replies.put("t1", reply())


def logged(catalog: Catalog, thread: str) -> None:
    key = EventKey(thread_id=thread, checkpoint="c", n=0)
    log_event(catalog, key, PhaseStarted(phase="plan"))


def reply() -> RecordedReply:
    return RecordedReply(task="t", sha256="0", model="m", context_tokens=1, speed=1.0, text="a")


def test_what_is_old_ends_unless_it_is_under_way_or_shown(
    catalog: Catalog, database: Database, rows: Count
) -> None:
    fill(catalog)
    assert catalog.retention.clear(90) == 0
    assert [rows(kind) for kind in KINDS] == [2, 2, 1, 3]
    database.execute(
        update(QueuedJobRow).values(created_at=LONG_AGO),
        update(IngestionRow).values(started_at=LONG_AGO),
        update(ModelReplyRow).values(at=LONG_AGO),
        update(EventRow).values(at=LONG_AGO),
    )
    assert catalog.retention.clear(90) == 4
    assert [rows(kind) for kind in KINDS] == [1, 1, 0, 2]
    assert len(catalog.events.since("t1", 0)) == 1


def test_of_each_kind_only_the_newest_stay(catalog: Catalog, rows: Count) -> None:
    catalog.runs.create("t1", ANNA, "?", [], {})
    for _ in range(5):
        catalog.replies.put("t1", reply())
        catalog.queue.finish(catalog.queue.submit(ANNA, "ingest", {}), None)
    catalog.retention.clear(90, most=3)
    assert (rows(ModelReplyRow), rows(QueuedJobRow)) == (3, 3)
