"""Works that are ordered and followed by number."""

from pathlib import Path

import pytest

from agent.engine.engine import Engine, connect_to
from agent.engine.jobs import Checked, CheckIndexes, Ingest, RemoveDocument, RestoreCollection
from services.domain import IngestReport, Principal
from services.domain.errors import InvalidInput, NotFound
from services.library.archive.values import RestoreReport
from tests.support.desk import make_services, open_desk
from tests.support.fakes_retrieval import HashEmbedder
from tests.support.library_window import until


def done(client: Engine, number: int) -> None:
    until(lambda: not client.job(number).open)


def test_a_work_is_followed_and_its_outcome_kept(tmp_path: Path) -> None:
    home, bad = tmp_path / "home", tmp_path / "leer.txt"
    bad.write_bytes(b"")
    with open_desk(home) as owner, connect_to(make_services(home), Principal()) as other:
        number = other.submit(Ingest(paths=(str(bad),), collection="laerm"))
        done(other, number)
        work, events = other.poll_job(number)
        assert isinstance(work.result, IngestReport)
        assert "is empty" in str(work.result.files[0].error)
        assert events and other.poll_job(number, events[-1].seq)[1] == []
        assert owner.jobs()[0].number == number
        ben = owner.acting_as(Principal(user="ben"))
        assert ben.jobs() == []
        with pytest.raises(NotFound):
            ben.poll_job(number)


def test_no_thread_of_a_person_is_that_of_anothers_work(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as owner:
        ben = owner.acting_as(Principal(user="ben"))
        owner.library.share_collection("laerm", "public")
        number = owner.jobs()[0].number
        _, told = owner.poll_job(number)
        thread = told[0].key.thread_id
        with pytest.raises(InvalidInput, match="has a colon"):
            ben.threads.start("Was gilt?", thread_id=thread)
        with pytest.raises(InvalidInput, match="has a colon"):
            ben.answers.ask("Was gilt?", thread_id=thread)
        asked = ben.answers.ask("Was gilt?", thread_id=f"ingest-{number}")
        assert all(
            each.key.thread_id == asked.thread_id for each in ben.threads.events(asked.thread_id)
        )
        assert not [each for each in ben.threads.events(asked.thread_id) if each.event in told]
        assert owner.poll_job(number)[1] == told


def test_every_kind_of_work_says_what_came_of_it(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as owner:
        checked = owner.submit(CheckIndexes(collection="laerm", repair=False))
        done(owner, checked)
        health = owner.job(checked).result
        assert isinstance(health, Checked) and health.collections[0].healthy
        owner.library.export_collection("laerm", tmp_path / "a.zip")
        restored = owner.submit(RestoreCollection(file=str(tmp_path / "a.zip"), name="Kopie"))
        done(owner, restored)
        report = owner.job(restored).result
        assert isinstance(report, RestoreReport) and report.documents == 1
        removed = owner.submit(RemoveDocument(collection="laerm", document="nichts"))
        done(owner, removed)
        work = owner.job(removed)
        assert work.status == "failed" and "no document 'nichts'" in str(work.error)


class OtherEmbedder(HashEmbedder):
    """The same words under another name."""

    def __init__(self) -> None:
        super().__init__()
        self.fingerprint = "another-model"


def test_an_index_is_built_anew_by_the_model_in_use(tmp_path: Path) -> None:
    home = tmp_path / "home"
    open_desk(home).close()
    services = make_services(home)
    other = services.replaced(embedder=OtherEmbedder)
    with connect_to(other, Principal()) as client:
        assert client.library.check_indexes("laerm", repair=True)[0].problem is not None
        done(client, client.submit(CheckIndexes(collection="laerm", repair=True, afresh=True)))
        state = client.jobs()[0].result
        assert isinstance(state, Checked) and state.collections[0].healthy
        assert client.library.collection("laerm").fingerprint == "another-model"


def test_shelves_say_what_somebody_may_do(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as owner:
        here = owner.library.share_collection("laerm", "unlisted").collection_id
        ben = owner.acting_as(Principal(user="ben"))
        assert ben.library.shelves() == []
        shelf = ben.library.shelf(here)
        assert (shelf.own, shelf.subscribed, shelf.changeable) == (False, False, False)
        ben.library.subscribe(here)
        assert [each.subscribed for each in ben.library.shelves()] == [True]
        mine = owner.library.shelf("laerm")
        assert (mine.own, mine.subscribed, mine.changeable) == (True, False, True)
        admin = owner.acting_as(Principal(user="root", role="admin"))
        assert [(each.own, each.changeable) for each in admin.library.shelves()] == [(False, True)]
