"""People take turns at the stores: what one takes in keeps nobody else waiting."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.engine.changes import Ingest, RemoveDocument
from agent.engine.engine import Engine, connect_to
from services.domain import Principal
from tests.agent.test_library_client import HeldEmbedder
from tests.support.desk import make_services
from tests.support.waiting import until

WAIT_S = 60.0


@pytest.fixture
def embedder() -> Iterator[HeldEmbedder]:
    slow = HeldEmbedder("langsam")
    yield slow
    slow.go_on.set()


@pytest.fixture
def ana(tmp_path: Path, embedder: HeldEmbedder) -> Iterator[Engine]:
    services = make_services(tmp_path / "home").replaced(embedder=lambda: embedder)
    with connect_to(services, Principal(user="ana")) as ana:
        yield ana


def file(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_that_takes_long_delays_no_other_person(
    ana: Engine, embedder: HeldEmbedder, tmp_path: Path
) -> None:
    slow = file(tmp_path, "a.txt", "Das Lesen geht langsam.")
    number = ana.submit(Ingest(paths=(str(slow),), collection="a"))
    assert embedder.begun.wait(WAIT_S)
    ben = ana.acting_as(Principal(user="ben"))
    quick = file(tmp_path, "b.txt", "Das Lesen geht schnell.")
    assert [each.status for each in ben.library.ingest([quick], "b").files] == ["added"]
    assert ben.library.remove_document("b", "b.txt").document == "b.txt"
    own = ana.submit(RemoveDocument(collection="a", document="a.txt"))
    assert ben.library.empty_bin("b") and ana._catalog.queue.is_open(own)
    assert ana._catalog.queue.is_open(number), "it is embedded still"
    embedder.go_on.set()
    until(lambda: not ana._catalog.queue.is_open(own))
    assert [ana.poll_job(each)[0].status for each in (number, own)] == ["done", "done"]
    assert [each.document for each in ana.library.bin("a")] == ["a.txt"], "their works go in order"
