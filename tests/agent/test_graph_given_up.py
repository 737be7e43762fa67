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
    model = ScriptedModel()
    services = make_services(tmp_path / "home", model)
    catalog = services.catalog
    facts = left_by_a_dead_process(catalog, BuildGraph(collection=None, facts=True))
    structure = left_by_a_dead_process(catalog, BuildGraph(collection=None))
    with connect_to(services, Principal()) as client:
        client.model_name()
        until(lambda: catalog.queue.get(structure).status == "done")
        found = catalog.queue.get(facts)
        assert (found.status, found.error_type) == ("failed", "Interrupted")
        assert found.error == given_up().notice
    assert model.requests == []


def test_whoever_waited_in_another_process_is_told_how_to_go_on() -> None:
    assert "goes on from there" in str(given_up())
    assert "macht dort weiter" in sentence(given_up().notice, "de")


def test_who_leaves_gives_the_reading_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    services = make_services(tmp_path / "home", ScriptedModel())
    with connect_to(services, Principal()) as client:

        def leave(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(Remote, "_outcome", leave)
        for facts, is_open in ((True, False), (False, True)):
            monkeypatch.setattr(client._connection, "_decided", lambda: client._connection._owner)
            with pytest.raises(KeyboardInterrupt):
                client.graph.build(facts=facts)
            newest = max(
                each.id for each in services.catalog.queue.of(Principal(), ["build_graph"], most=9)
            )
            assert services.catalog.queue.is_open(newest) is is_open


def test_what_has_an_outcome_is_not_given_up(tmp_path: Path) -> None:
    catalog = make_services(tmp_path / "home").catalog
    number = left_by_a_dead_process(catalog, BuildGraph(collection=None, facts=True))
    catalog.queue.finish(number, {"built": 1}, None, None)
    catalog.queue.give_up(number, Interrupted("too late"))
    assert catalog.queue.get(number).status == "done"
