"""Collections and documents through the client: in the owner's process, and in others."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from agent.engine.engine import connect_to
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from services.domain.events import DocumentProgress, Event
from services.retrieval.embedders import Progress, Vectors
from tests.support.desk import make_services, open_desk
from tests.support.fakes_retrieval import HashEmbedder


def test_another_process_has_the_owner_remove_check_and_delete(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_desk(home) as owner, connect_to(make_services(home), Principal()) as other:
        place = other.library.collection("laerm").collection_id
        (state,) = other.library.check_indexes("laerm")
        assert state.healthy and state.chunks > 0
        events: list[Event] = []
        owner._services.vectors.drop(place)
        assert not other.library.check_indexes()[0].healthy
        assert other.library.check_indexes(repair=True, on_event=events.append)[0].healthy
        assert any(isinstance(event, DocumentProgress) for event in events)
        assert other.library.remove_document("laerm", "LaermG.txt").document == "LaermG.txt"
        assert owner.library.documents("laerm") == [] and owner._services.vectors.count(place) == 0
        assert other.library.delete_collection("laerm").name == "laerm"
        assert owner.library.collections() == [] and not other.owner


def test_errors_of_the_owner_reach_the_other_process(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_desk(home) as owner, connect_to(make_services(home), Principal(user="ben")) as ben:
        owner.library.share_collection("laerm", "public")
        with pytest.raises(InvalidInput, match="belongs to local"):
            ben.library.remove_document("laerm", "LaermG.txt")
        owner.library.share_collection("laerm", "private")
        with pytest.raises(NotFound, match="none yet"):
            ben.library.remove_document("laerm", "LaermG.txt")


class HeldEmbedder(HashEmbedder):
    """Waits in the middle of an ingestion until it may go on."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go_on = threading.Event(), threading.Event()

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        self.begun.set()
        assert self.go_on.wait(20)
        return super().embed_passages(texts, on_progress)


def test_a_collection_deleted_during_its_ingestion_leaves_nothing(tmp_path: Path) -> None:
    embedder, errors = HeldEmbedder(), []
    services = make_services(tmp_path / "home").replaced(embedder=lambda: embedder)
    files = [tmp_path / f"{n}.txt" for n in range(2)]
    for file in files:
        file.write_text(f"§ 1 Zweck\n\nDie Datei {file.name} handelt von Lärm.\n")
    with connect_to(services, Principal()) as client:

        def ingest() -> None:
            try:
                client.library.ingest(files, "neu")
            except NotFound as error:
                errors.append(str(error))

        ingestion = threading.Thread(target=ingest)
        ingestion.start()
        assert embedder.begun.wait(20)
        place = client.library.collection("neu").collection_id
        deletion = threading.Thread(target=client.library.delete_collection, args=["neu"])
        deletion.start()
        deletion.join(0.5)
        assert deletion.is_alive() and client.library.collections() == []
        embedder.go_on.set()
        ingestion.join(20)
        deletion.join(20)
        assert len(errors) == 1 and services.catalog.deletions.pending() == []
        assert services.vectors.count(place) == services.lexical.count(place) == 0
