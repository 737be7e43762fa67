"""Who was taken for dead and wakes up writes nothing more to a thread that others drive."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agent.engine.engine import Engine, connect_to
from services.catalog import Catalog
from services.catalog.threads import Leases
from services.catalog.values import JsonObject
from services.domain import Principal
from services.models.base import ChatRequest, Completion
from tests.support.desk import LAW, QUESTION, make_services
from tests.support.research import STRAIGHT, rules
from tests.support.scripted_model import ScriptedModel

THEIRS: JsonObject = {"answer": "theirs"}


class SleepyModel(ScriptedModel):
    """While it thinks, something happens; then it answers or fails."""

    def __init__(self) -> None:
        super().__init__(rules())
        self.meanwhile: Callable[[], None] = lambda: None
        self.fails = False

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        self.meanwhile()
        if self.fails:
            raise OSError("the model was cut off")
        return await super().complete(request, on_text)


@pytest.fixture
def model() -> SleepyModel:
    return SleepyModel()


@pytest.fixture
def engine(tmp_path: Path, model: SleepyModel) -> Iterator[Engine]:
    law = tmp_path / "LaermG.txt"
    law.write_text(LAW, encoding="utf-8")
    with connect_to(make_services(tmp_path, model), Principal()) as engine:
        engine.library.ingest([law], "laerm")
        yield engine


@pytest.fixture
def catalog(engine: Engine) -> Catalog:
    return engine._services.catalog


def ended_by_another(catalog: Catalog) -> None:
    """Another process takes the thread over and brings it to its end."""
    leases = Leases(catalog.leases._database)
    leases.release_all()
    leases.acquire("t", "another")
    catalog.runs.update("t", status="done", report=THEIRS)
    leases.release_all()


def assert_theirs(catalog: Catalog) -> None:
    run = catalog.runs.get(Principal(), "t")
    assert (run.status, run.error) == ("done", None)
    assert catalog.runs.report(Principal(), "t") == THEIRS
    assert all(each.event.kind != "run_finished" for each in catalog.events.since("t", 0))


def test_who_loses_a_thread_as_it_begins_leaves_it_alone(
    engine: Engine, catalog: Catalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, refused = catalog.runs.start, threading.Event()

    def slept(thread_id: str, holder: str, options: JsonObject | None) -> int:
        epoch = start(thread_id, holder, options)
        ended_by_another(catalog)
        return epoch

    monkeypatch.setattr(catalog.runs, "start", slept)
    monkeypatch.setattr(catalog.leases, "release", lambda *_: refused.set())
    engine.threads.start(QUESTION, thread_id="t", options=STRAIGHT)
    assert refused.wait(60)
    assert_theirs(catalog)


@pytest.mark.parametrize("fails", [False, True])
def test_who_loses_a_thread_in_a_step_leaves_it_alone(
    engine: Engine,
    catalog: Catalog,
    model: SleepyModel,
    monkeypatch: pytest.MonkeyPatch,
    fails: bool,
) -> None:
    let_go = threading.Event()
    model.fails = fails
    model.meanwhile = lambda: ended_by_another(catalog)
    monkeypatch.setattr(catalog.leases, "release", lambda *_: let_go.set())
    engine.threads.start(QUESTION, thread_id="t", options=STRAIGHT)
    assert let_go.wait(60)
    assert_theirs(catalog)
