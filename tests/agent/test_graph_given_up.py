"""Facts are read for whoever waits for them: what a dead process was reading, nobody takes up."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent.engine.connection import Connection
from agent.engine.engine import connect_to
from agent.engine.jobs import BuildGraph, ShowModel
from services.catalog import Catalog
from services.domain import Principal
from services.domain.errors import Interrupted
from services.locale import sentence
from services.models.base import ChatRequest, Completion
from tests.support.desk import make_services, open_desk
from tests.support.scripted_model import ScriptedModel
from tests.support.waiting import until

WAIT_S = 20.0


def left_by_a_dead_process(catalog: Catalog, job: BuildGraph) -> int:
    payload = job.model_dump(mode="json")
    number = catalog.queue.submit(Principal(), job.kind, payload, "dead")
    assert catalog.queue.claim() is not None
    catalog.queue.begin(number)
    return number


def test_only_the_structure_is_taken_up_and_who_waited_is_told_how_to_go_on(
    tmp_path: Path,
) -> None:
    model = ScriptedModel()
    services = make_services(tmp_path / "home", model)
    queue = services.catalog.queue
    works = [BuildGraph(collection=None, facts=each) for each in (True, False)]
    facts, structure = (left_by_a_dead_process(services.catalog, each) for each in works)
    with connect_to(services, Principal()) as client:
        client.settings.model_state()
        until(lambda: queue.get(structure).status == "done")
        left = queue.get(facts)
        assert (left.status, left.error_type) == ("failed", "Interrupted")
        assert left.error == works[0].abandoned().notice
    assert model.requests == []
    assert "continues from there" in str(left.error)
    assert "macht dort weiter" in sentence(left.error, "de")


def test_who_leaves_gives_the_reading_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    services = make_services(tmp_path / "home", ScriptedModel())
    queue = services.catalog.queue
    with connect_to(services, Principal()) as client:

        def leave(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(Connection, "outcome", leave)
        monkeypatch.setattr(client._connection, "_owner", lambda: None)
        for facts in (True, False):
            with pytest.raises(KeyboardInterrupt):
                client.graph.build(facts=facts)
            newest = queue.of(Principal(), ["build_graph"], most=1)[0].id
            assert not queue.is_open(newest)
        number = queue.submit(Principal(), "build_graph", {})
        queue.finish(number, {"built": 1})
        assert not queue.give_up(number, Interrupted("too late"))
        assert queue.get(number).status == "done"


class HeldModel(ScriptedModel):
    """Names nothing; waits in its calls until it may go on."""

    def __init__(self) -> None:
        super().__init__([("graph_facts", {"entities": [], "relations": []})])
        self.begun, self.go_on = threading.Event(), threading.Event()

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        self.begun.set()
        assert await asyncio.to_thread(self.go_on.wait, WAIT_S) and not self.closed
        return await super().complete(request, on_text)


def test_a_model_that_was_replaced_is_closed_once_its_reading_has_ended(tmp_path: Path) -> None:
    model = HeldModel()
    with open_desk(tmp_path, model) as client, ThreadPoolExecutor(1) as reader:
        reading = reader.submit(client.graph.build, "laerm", facts=True)
        assert model.begun.wait(WAIT_S)
        client._connection.do(Principal(), ShowModel(again=True))
        assert client.settings.model_state().status == "unasked" and not model.closed
        model.go_on.set()
        assert not reading.result(WAIT_S).warnings
        until(lambda: model.closed)
