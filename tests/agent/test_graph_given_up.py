"""Facts are read for whoever waits for them: what a dead process was reading, nobody takes up."""

from pathlib import Path

import pytest

from agent.engine.connection import Remote
from agent.engine.engine import connect_to
from agent.engine.jobs import BuildGraph, given_up
from services.catalog import Catalog
from services.domain import Principal
from services.domain.errors import Interrupted
from services.locale import sentence
from tests.agent.test_ingest_jobs import until
from tests.support.desk import make_services
from tests.support.scripted_model import ScriptedModel


def left_by_a_dead_process(catalog: Catalog, order: BuildGraph) -> int:
    payload = order.model_dump(mode="json", exclude={"kind"})
    number = catalog.queue.submit(Principal(), order.kind, payload)
    assert catalog.queue.claim() is not None
    return number


def test_only_the_structure_is_taken_up(tmp_path: Path) -> None:
    services = make_services(tmp_path / "home", model := ScriptedModel())
    catalog = services.catalog
    facts = left_by_a_dead_process(catalog, BuildGraph(collection=None, facts=True))
    done = left_by_a_dead_process(catalog, BuildGraph(collection=None, facts=True))
    catalog.queue.finish(done, {"built": 1}, None, None)
    catalog.queue.give_up(done, Interrupted("too late"))  # what has an outcome keeps it
    structure = left_by_a_dead_process(catalog, BuildGraph(collection=None))
    with connect_to(services, Principal()) as client:
        client.model_name()
        until(lambda: catalog.queue.get(structure).status == "done")
        found = catalog.queue.get(facts)
        assert (found.status, found.error_type) == ("failed", "Interrupted")
        assert found.error == given_up().notice and catalog.queue.get(done).status == "done"
    assert model.requests == []
    assert "goes on from there" in str(given_up())
    assert "macht dort weiter" in sentence(given_up().notice, "de")


def test_who_leaves_gives_the_reading_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    services = make_services(tmp_path / "home", ScriptedModel())
    with connect_to(services, Principal()) as client:

        def leave(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(Remote, "_outcome", leave)
        monkeypatch.setattr(client._connection, "_decided", lambda: client._connection._owner)
        for facts, is_open in ((True, False), (False, True)):
            with pytest.raises(KeyboardInterrupt):
                client.graph.build(facts=facts)
            jobs = services.catalog.queue.of(Principal(), ["build_graph"], most=9)
            assert services.catalog.queue.is_open(max(job.id for job in jobs)) is is_open
