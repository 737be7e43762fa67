"""What grids and sweeps cost beside the model: processor time and SQL statements of each cell.

    python -m tests.benchmarks.grid_speed [--documents 1000] [--home DIR]

A scripted model answers at once; stores are those of a home on one machine, embedding is faked.
"""

import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import event
from sqlalchemy.engine import Engine as SqlEngine

from agent.engine.engine import Engine, connect_to
from agent.engine.grids import columns_of
from services.domain import Principal
from services.retrieval.lexical import TantivyIndex
from services.retrieval.vector import ChromaIndex
from services.settings import Settings
from tests.benchmarks import common
from tests.support.desk import make_services, until_ended
from tests.support.grid_model import PERIODS, grid_rules, write_contracts
from tests.support.scripted_model import ScriptedModel

COLUMNS = columns_of([(question, "number") for question in PERIODS])
SWEPT = 40
"""Contracts with ten sections each for the sweep."""


@contextmanager
def measured(what: str, cells: int) -> Iterator[None]:
    """Print seconds, processor seconds and SQL statements of a block."""
    statements: Counter[str] = Counter()

    def count(_: object, __: object, statement: str, *___: object) -> None:
        statements[statement[:60]] += 1

    event.listen(SqlEngine, "before_cursor_execute", count)
    wall, cpu = time.monotonic(), time.process_time()
    yield
    wall, cpu = time.monotonic() - wall, time.process_time() - cpu
    event.remove(SqlEngine, "before_cursor_execute", count)
    print(
        f"{what}: {wall:.2f} s, processor {cpu:.2f} s ({1000 * cpu / cells:.2f} ms a cell), "
        f"{statements.total()} statements ({statements.total() / cells:.2f} a cell)",
        flush=True,
    )


def opened(home: Path, documents: int) -> Engine:
    model = ScriptedModel(grid_rules(), slots=8)
    services = make_services(
        home,
        model,
        vectors=lambda: ChromaIndex(home / "vectors"),
        lexical=lambda: TantivyIndex(home / "keywords"),
        settings=Settings(home=home, llm="none", reads="yes", summaries=False),
    )
    engine = connect_to(services, Principal())
    for name, count in (("contracts", documents), ("few", SWEPT)):
        if not (folder := home / name).exists():
            write_contracts(folder, count)
            engine.library.ingest([folder], name)
    return engine


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--home", type=Path, help="is kept, to be measured again")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        engine = opened(options.home or Path(folder), options.documents)
        with engine:
            measure(engine, options.documents)


def measure(engine: Engine, documents: int) -> None:
    grids, cells = engine.grids, documents * len(COLUMNS)
    grid = grids.create("Fristen", COLUMNS, collections=["contracts"])
    with measured("set_rows and estimate", cells):
        print(grids.estimate(grid))
    with measured("grid", cells):
        grids.run(grid)
        assert until_ended(engine, grid) == "done", engine.threads.run(grid).error
    with measured("grid, again", cells):
        grids.run(grid)
        assert until_ended(engine, grid) == "done"
    for _ in range(3):
        with measured("table", cells):
            assert grids.table(grid).cells_read == cells
    sweep = grids.sweep("Welche Fristen gibt es?", collections=["few"])
    with measured("sweep", 11 * SWEPT):
        grids.run(sweep)
        assert until_ended(engine, sweep) == "done"
    result = grids.result(sweep)
    print(result.sections_read, result.sections, len(result.groups), result.calls)


if __name__ == "__main__":
    main()
