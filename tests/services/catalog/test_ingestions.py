"""Records of ingestions in the catalog."""

from services.catalog import Catalog
from services.domain import Principal
from services.domain.notices import Notice
from services.domain.runs import IngestionCounts
from tests.services.catalog.conftest import ADMIN, ANNA, BEN

HALF = IngestionCounts(files_done=3, files_failed=1, pages=20, chunks=90, seconds={"embed": 1.5})


def begin(catalog: Catalog, who: Principal, name: str = "laws") -> int:
    return catalog.ingestions.begin(who.user, catalog.collections.ensure(who, name), 12)


def test_a_record_follows_the_ingestion_and_outlives_its_collection(catalog: Catalog) -> None:
    job = begin(catalog, ANNA)
    (info,) = catalog.ingestions.list(ANNA)
    assert (info.job_id, info.user, info.collection, info.files_total) == (job, "anna", "laws", 12)
    assert (info.status, info.ended_at, info.files_done) == ("running", None, 0)
    catalog.ingestions.update(job, HALF)
    (info,) = catalog.ingestions.list(ANNA)
    assert info.status == "running" and info.model_dump().items() >= HALF.model_dump().items()
    catalog.ingestions.end(job, HALF, "failed", Notice.of("the disk is full"))
    catalog.deletions.begin(catalog.collections.ensure(ANNA, "laws").collection_id)
    (info,) = catalog.ingestions.list(ANNA)
    assert (info.status, str(info.error)) == ("failed", "the disk is full")
    assert info.ended_at is not None and info.ended_at >= info.started_at


def test_everybody_sees_their_own_and_admins_all_newest_first(catalog: Catalog) -> None:
    first, second, third = (begin(catalog, who) for who in (ANNA, BEN, ANNA))
    for who, seen in ((ANNA, [third, first]), (BEN, [second]), (ADMIN, [third, second, first])):
        assert [info.job_id for info in catalog.ingestions.list(who)] == seen
    assert [info.job_id for info in catalog.ingestions.list(ADMIN, most=1)] == [third]


def test_what_a_dead_process_left_running_is_recognised_once(catalog: Catalog) -> None:
    done, first, second = (begin(catalog, who) for who in (ANNA, ANNA, BEN))
    catalog.ingestions.end(done, HALF, "done")
    catalog.ingestions.update(first, HALF)
    found = catalog.ingestions.interrupt_running()
    assert [(info.job_id, info.status, info.files_done) for info in found] == [
        (first, "interrupted", 3),
        (second, "interrupted", 0),
    ]
    assert catalog.ingestions.interrupt_running() == []
    assert [info.status for info in catalog.ingestions.list(ANNA)] == ["interrupted", "done"]
