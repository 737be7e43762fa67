"""What happens to a grid that is stopped or deleted, or loses documents, model or disk."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.grid.graph import ROWS_OF_STEP
from agent.grid.threads import GridThreads
from services.domain.errors import AlreadyAnswered, InvalidInput, ModelUnavailable, NotFound
from services.models.base import ChatRequest, Completion
from tests.support.desk import until_ended
from tests.support.grid_house import CONTRACTS, SWEPT, House
from tests.support.grid_model import filled_in
from tests.support.scripted_model import ScriptedModel
from tests.support.waiting import until


class GatedModel(ScriptedModel):
    """Answers the first question to a document, and the others as long as the gate is open."""

    def __init__(self) -> None:
        super().__init__(slots=1)
        self.open = True
        self.waiting = 0

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        self.waiting += 1
        while not self.open and request.task != "verify":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        self.waiting -= 1
        return await super().complete(request, on_text)


class Gated(House):
    """A house whose model stops within a call."""

    model: GatedModel

    def begun(self, **options: Any) -> str:
        """A grid of which a call of the model is under way."""
        thread = self.grid(**options)
        self.model.open = False
        self.engine.grids.run(thread)
        until(lambda: self.model.waiting > 0, seconds=60)
        return thread

    def ended(self, thread: str) -> Any:
        self.model.open = True
        until_ended(self.engine, thread)
        return self.engine.grids.table(thread)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Gated]:
    opened = Gated(tmp_path / "home", GatedModel())
    yield opened
    opened.model.open = True
    opened.engine.close()


def test_a_second_window_neither_starts_nor_deletes_what_is_read(house: Gated) -> None:
    thread = house.begun()
    with pytest.raises(AlreadyAnswered):
        house.engine.grids.run(thread)
    with pytest.raises(InvalidInput, match="Pause or cancel"):
        house.engine.threads.delete(thread)
    with pytest.raises(InvalidInput, match="Stop it"):
        house.engine.grids.change(thread, max_calls=1)
    assert house.ended(thread).cells_read == 6
    assert house.asked("fill_in") == 3


def test_nothing_is_forgotten_while_a_grid_is_read(house: Gated) -> None:
    row = house.read(house.grid()).rows[0].id
    house.write("ost.md", CONTRACTS["west.md"].replace("West", "Ost"))
    house.ingest()
    thread = house.begun()
    with pytest.raises(AlreadyAnswered):
        house.engine.grids.read_again(thread, row, 1)
    assert house.engine.grids.cell(thread, row, 1).state == "verified"
    house.ended(thread)


def test_a_stopped_grid_goes_on_and_a_deleted_one_is_gone(house: Gated) -> None:
    thread = house.begun()
    house.engine.grids.stop(thread)
    assert house.engine.grids.table(thread).status == "paused"
    house.model.open = True
    assert house.read(thread).cells_read == 6
    house.engine.threads.delete(thread)
    with pytest.raises(NotFound):
        house.engine.grids.table(thread)
    house.read(house.grid())
    assert house.asked("fill_in") == 3, "what was read stays for other grids"


def test_a_document_that_is_removed_while_it_is_read_says_nothing(house: Gated) -> None:
    thread = house.begun()
    (house.folder / "nord.md").unlink()
    for name in ("nord.md", "sued.md", "west.md"):
        house.engine.library.remove_document("miete", name)
    table = house.ended(thread)
    assert table.cells_read == 0
    assert "removed while it was being read" in str(table.warnings)
    house.ingest()
    assert {row.name for row in house.read(thread).rows} == {"sued.md", "west.md"}
    assert house.engine.grids.table(thread).cells_read == 4


def test_a_document_that_is_replaced_while_it_is_read_is_read_anew(house: Gated) -> None:
    thread = house.begun()
    text = (house.folder / "west.md").read_text("utf-8")
    house.write("west.md", text.replace("30 Tage", "60 Tage"))
    house.ingest()
    house.ended(thread)
    table = house.read(thread)
    assert [cell.value for cell in table.cells if cell.column == 1][-1] == "60 Tage"
    assert table.cells_read == len(table.cells) == 6


@pytest.mark.parametrize("kind", ["grid", "sweep"])
def test_a_model_that_goes_away_ends_the_run_with_a_reason(house: Gated, kind: str) -> None:
    task = {"grid": "fill_in", "sweep": "look_through"}[kind]
    first = [filled_in] if kind == "grid" else []
    house.play(**{task: [*first, *[ModelUnavailable("nobody answers")] * 20]})
    engine = house.engine.grids
    thread = house.grid() if kind == "grid" else engine.sweep(SWEPT, collections=["miete"])
    table = house.read(thread)
    assert table.cells_read == 2 * len(first)
    assert "nobody answers" in str(table.stopped)
    house.play()
    assert house.read(thread).cells_read == len(table.cells)
    assert engine.table(thread).stopped is None


def test_no_number_of_documents_is_too_many_steps_for_the_graph() -> None:
    """langgraph ends a run after a number of steps; two are taken for some rows each."""
    assert GridThreads.most_steps > 2 * 1_000_000 / ROWS_OF_STEP


def test_a_full_disk_loses_only_what_could_not_be_stored(house: Gated) -> None:
    thread, grids = house.grid(), house.engine._catalog.grids
    put, stored = grids.put, 0

    def full(readings: Any) -> None:
        nonlocal stored
        stored += 1
        if stored == 2:
            raise sqlite3.OperationalError("database or disk is full")
        put(readings)

    grids.put = full  # type: ignore[method-assign]
    house.engine.grids.run(thread)
    until_ended(house.engine, thread)
    run = house.engine.threads.run(thread)
    assert run.status == "failed" and "full" in str(run.error)
    read = house.engine.grids.table(thread).cells_read
    assert read in (2, 4)
    calls = house.asked("fill_in")
    assert house.read(thread).cells_read == 6
    assert house.asked("fill_in") <= calls + 3 - read // 2
