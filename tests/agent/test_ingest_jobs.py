"""Ingestions as jobs of the runner: their progress, and what ends of processes leave of them."""

import logging
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from agent.engine.engine import Engine, connect_to
from agent.engine.jobs import Ingest
from services.domain import Principal
from services.domain.events import Event, IngestProgress
from tests.agent.test_library_client import HeldEmbedder
from tests.support.desk import make_services, open_desk

WAIT_S = 20.0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.txt"
    path.write_text("§ 1 Zweck\n\nDie Datei handelt von Lärm.\n")
    return path


def statuses(client: Engine) -> list[str]:
    return [job.status for job in client.library.ingestions()]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_progress_of_the_whole_reaches_another_process(tmp_path: Path, file: Path) -> None:
    home, events = tmp_path / "home", list[Event]()
    with open_desk(home), connect_to(make_services(home), Principal()) as other:
        other.library.ingest([file], "neu", on_event=events.append)
        assert not other.owner
        last = [event for event in events if isinstance(event, IngestProgress)][-1]
        assert (last.documents_done, last.documents_total, last.chunks) == (1, 1, 1)
        assert [job.collection for job in other.library.ingestions()] == ["neu", "laerm"]
        assert other.acting_as(Principal(user="ben")).library.ingestions() == []


def test_what_a_killed_process_left_is_reported_and_taken_up(
    tmp_path: Path, file: Path, caplog: pytest.LogCaptureFixture
) -> None:
    services = make_services(tmp_path / "home")
    catalog, principal = services.catalog, Principal()
    catalog.ingestions.begin("local", catalog.collections.ensure(principal, "laws"), 12)
    payload = Ingest(paths=(str(file),), collection="laws").model_dump(exclude={"kind"})
    catalog.queue.submit(principal, "ingest", {**payload, "paths": [str(file)]})
    assert catalog.queue.claim() is not None
    with connect_to(services, principal) as client, caplog.at_level(logging.WARNING):
        assert statuses(client) == ["running"]
        client.model_name()
        assert "ingestion into 'laws' was interrupted after 0 of 12 files" in caplog.text
        until(lambda: statuses(client) == ["done", "interrupted"])
        assert [info.document for info in client.library.documents("laws")] == ["a.txt"]


def test_the_end_of_the_owner_stops_its_ingestion_and_the_next_takes_it_up(
    tmp_path: Path, file: Path
) -> None:
    home, embedder = tmp_path / "home", HeldEmbedder()
    services = make_services(home).replaced(embedder=lambda: embedder)
    client = connect_to(services, Principal())
    client._submit(Ingest(paths=(str(file),), collection="laws"))
    assert embedder.begun.wait(WAIT_S)
    client.close()
    embedder.go_on.set()
    until(lambda: statuses(client) == ["interrupted"])
    assert [info.status for info in client.library.documents()] == ["pending"]
    client.close()
    with connect_to(make_services(home), Principal()) as after:
        after.model_name()
        until(lambda: statuses(after) == ["done", "interrupted"])
        assert [info.document for info in after.library.documents("laws")] == ["a.txt"]
