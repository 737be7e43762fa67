"""HTTP API: grids, which put the same questions to many documents, and sweeps."""

from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query
from fastapi.responses import Response

from agent.engine.exports import GRID_FORMATS
from app.api import values
from app.api.gateway import Gateway, Reader, TokenFirst, Writer
from app.api.threads import as_file, file_responses, steered
from app.api.values import Thread, under
from services.domain.grids import Cell, Contradiction, Estimate, GridTable, SweepResult
from services.domain.runs import RunInfo

router = APIRouter(route_class=TokenFirst, tags=["grids"])
Row = Annotated[str, Path(max_length=200, pattern=r"^[0-9A-Za-z_:-]+$", description="Its id.")]
Number = Annotated[int, Path(ge=1, le=10_000, description="The id of the column.")]
Format = Annotated[str, Query(pattern=f"^({'|'.join(GRID_FORMATS)})$", examples=["xlsx"])]
CELL = "/grids/{thread}/cells/{row}/{column}"


@router.get("/grids", response_model=under("grids", list[RunInfo]))
def grids(engine: Reader) -> dict[str, list[RunInfo]]:
    """List your grids and sweeps, newest first."""
    return {"grids": engine.grids.all()}


@router.post("/grids", status_code=201)
def create(engine: Writer, new: values.NewGrid) -> RunInfo:
    """Create a grid; nothing is read yet."""
    return engine.threads.run(engine.grids.create(**dict(new)))


@router.post("/sweeps", status_code=201)
def create_sweep(engine: Writer, new: values.NewSweep) -> RunInfo:
    """Create a sweep, which reads every section for one question; nothing is read yet.

    The addresses below `/grids/{thread}` estimate, run, stop and export it, too.
    """
    return engine.threads.run(engine.grids.sweep(**dict(new)))


@router.get("/sweeps/{thread}")
def sweep(engine: Reader, thread: Thread) -> SweepResult:
    """Return what a sweep has found so far, and how many sections were read."""
    return engine.grids.result(thread)


@router.get("/grids/{thread}")
def table(engine: Reader, thread: Thread) -> GridTable:
    """Return a grid with all its rows and cells."""
    return engine.grids.table(thread)


@router.patch("/grids/{thread}")
def change(engine: Writer, thread: Thread, to: values.GridChanges) -> GridTable:
    """Change columns, documents or budget of a grid; the next run reads what is new."""
    engine.grids.change(thread, **{name: getattr(to, name) for name in to.model_fields_set})
    return engine.grids.table(thread)


@router.get("/grids/{thread}/estimate")
def estimate(engine: Reader, thread: Thread) -> Estimate:
    """Say what is still to be read, and what it takes; ask before you run."""
    return engine.grids.estimate(thread)


@router.post("/grids/{thread}/run", status_code=202)
async def run(gateway: Gateway, engine: Writer, thread: Thread) -> values.Started:
    """Read what has not been read yet; follow the events of the thread under `/runs`."""
    return await gateway.start(engine, partial(steered, engine, thread, engine.grids.run))


@router.post("/grids/{thread}/stop", status_code=202)
def stop(engine: Writer, thread: Thread) -> values.Started:
    """Stop reading; what has been read stays."""
    return steered(engine, thread, engine.grids.stop)


@router.get(CELL)
def cell(engine: Reader, thread: Thread, row: Row, column: Number) -> Cell:
    """Return a cell with its claims, their quotes, and how many sections were read."""
    return engine.grids.cell(thread, row, column)


@router.post(f"{CELL}/read", status_code=202)
async def read_again(
    gateway: Gateway, engine: Writer, thread: Thread, row: Row, column: Number
) -> values.Started:
    """Forget what was read for a cell, and read it anew."""
    start = partial(steered, engine, thread, engine.grids.read_again, row, column)
    return await gateway.start(engine, start)


@router.post(f"{CELL}/review")
def review(
    engine: Writer, thread: Thread, row: Row, column: Number, decision: values.CellDecision
) -> Cell:
    """Accept the value of a cell, or correct it."""
    engine.grids.review(thread, row, column, decision.value)
    return engine.grids.cell(thread, row, column)


@router.delete(f"{CELL}/review")
def withdraw_review(engine: Writer, thread: Thread, row: Row, column: Number) -> Cell:
    """Undo the decision on a cell."""
    engine.grids.withdraw_review(thread, row, column)
    return engine.grids.cell(thread, row, column)


@router.get(
    "/grids/{thread}/columns/{column}/contradictions",
    response_model=under("contradictions", list[Contradiction]),
)
def contradictions(
    engine: Reader, thread: Thread, column: Number
) -> dict[str, list[Contradiction]]:
    """Have the model find contradictions among the values of a column."""
    return {"contradictions": engine.grids.contradictions(thread, column)}


@router.get(
    "/grids/{thread}/export",
    response_class=Response,
    responses=file_responses(GRID_FORMATS.values()),
)
def export(engine: Reader, thread: Thread, format: Format) -> Response:
    """Export a grid or a sweep with its proofs and what was read."""
    content = engine.grids.export(thread, format)
    run = engine.threads.run(thread)
    return as_file(content, run.title or run.question, GRID_FORMATS[format])
