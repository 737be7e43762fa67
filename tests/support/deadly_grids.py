"""A grid or a sweep that dies by SIGKILL at a named point, and what another process makes of it.

``python -m tests.support.deadly_grids HOME grid|sweep [POINT]`` begins the thread of a home or goes
on with it. Points are those of `tests.support.deadly`, calls of the model and checkpoints. It
prints how it ends, the rows that each call of the model was about, those that were stored before,
and the points that were passed.
"""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent.engine import checkpoints
from agent.engine.engine import Engine, connect_to
from agent.engine.grids import columns_of
from services.domain import Principal
from services.domain.grids import Finding
from services.models.base import ChatRequest, Completion
from services.retrieval.lexical import TantivyIndex
from services.retrieval.vector import ChromaIndex
from services.settings import Settings
from tests.support.deadly import Points
from tests.support.desk import make_services, until_ended
from tests.support.grid_model import PERIODS, grid_rules, prompt_of, write_contracts
from tests.support.scripted_model import ScriptedModel

COLUMNS = columns_of([(question, "number") for question in PERIODS])
CONTRACTS = 36
"""More rows than are read between two checkpoints, and sections for several calls."""
COSTS = {"calls", "tokens", "seconds"}
SUBJECT = re.compile(r"(?m)^Die Zeile: (.+)$")
SECTION = re.compile(r"(?m)^\[\d+\] (.+)\n#+ (§ \d+)?")


class DeadlyModel(ScriptedModel):
    """Remembers what each call was about, and may die within it."""

    def __init__(self, points: Points) -> None:
        super().__init__(grid_rules(), slots=4)
        self.rows: list[str] = []
        self._points = points

    async def complete(
        self, request: ChatRequest, on_text: Callable[[str], None] | None = None
    ) -> Completion:
        completion = await super().complete(request, on_text)
        self._points.reach(f"model.{request.task}", "middle")
        prompt = prompt_of(request)
        if request.task == "fill_in":
            self.rows += SUBJECT.findall(prompt)
        elif request.task == "look_through":
            self.rows += [f"{name} {label}".rstrip() for name, label in SECTION.findall(prompt)]
        return completion


def opened(home: Path, model: ScriptedModel | None = None) -> Engine:
    services = make_services(
        home,
        model or ScriptedModel(grid_rules()),
        vectors=lambda: ChromaIndex(home / "vectors"),
        lexical=lambda: TantivyIndex(home / "keywords"),
        settings=Settings(home=home, llm="none", reads="yes", summaries=False),
    )
    return connect_to(services, Principal())


def make_home(home: Path) -> None:
    with opened(home) as engine:
        write_contracts(home / "contracts", CONTRACTS)
        engine.library.ingest([home / "contracts"], "contracts")
        engine.grids.create("Fristen", COLUMNS, collections=["contracts"])
        engine.grids.sweep("Welche Fristen gibt es?")


def stored(engine: Engine, thread: str) -> list[str]:
    """The names of the rows all of whose cells are stored."""
    if engine.threads.run(thread).kind == "grid":
        table = engine.grids.table(thread)
        unread = {cell.row for cell in table.cells if cell.state is None}
        return [row.name for row in table.rows if row.id not in unread]
    catalog = engine._catalog.grids
    read = {row_id for row_id, _ in catalog.readings(thread)}
    return [row.name for row in catalog.rows(thread) if row.id in read]


def end_of(engine: Engine, thread: str) -> Any:
    """What a person sees of a grid or a sweep that has ended."""
    if engine.threads.run(thread).kind == "grid":
        table = engine.grids.table(thread)
        proofs = [engine.grids.cell(thread, c.row, c.column).reading for c in table.cells[:40]]
        return [
            table.model_dump(mode="json", exclude=COSTS),
            [p and p.model_dump(mode="json") for p in proofs],
        ]
    result = engine.grids.result(thread)
    assert all(isinstance(f, Finding) for group in result.groups for f in group.findings)
    return result.model_dump(mode="json", exclude=COSTS)


def in_checkpoints(points: Points) -> None:
    aput = checkpoints._AfterWork.aput

    async def deadly(saver: Any, *arguments: Any) -> Any:
        points.reach("checkpoint", "start")
        written = await aput(saver, *arguments)
        points.reach("checkpoint", "commit")
        return written

    checkpoints._AfterWork.aput = deadly  # type: ignore[method-assign]


def main() -> None:
    home, kind = Path(sys.argv[1]), sys.argv[2]
    points = Points("".join(sys.argv[3:]), home / "nowhere").install()
    in_checkpoints(points)
    model = DeadlyModel(points)
    with opened(home, model) as engine:
        (thread,) = (run.thread_id for run in engine.grids.all() if run.kind == kind)
        before = stored(engine, thread)
        engine.grids.run(thread)
        status = until_ended(engine, thread)
        assert status == "done", engine.threads.run(thread).error
        found = {"end": end_of(engine, thread), "rows": model.rows, "stored": before}
    print(json.dumps(found | {"passed": points.passed}))


if __name__ == "__main__":
    main()
