"""How long a grid takes with one worker of a home in PostgreSQL, with two, and with one again.

    python -m tests.benchmarks.grid_workers [--documents 1000] [--seconds 0.2] [--at-once 2]

Ten columns; the model is scripted, waits so many seconds before each answer and takes so many
prompts of a worker at once.
"""

import tempfile
import time
from pathlib import Path
from typing import Any, Final, Literal

from agent.engine.grids import columns_of
from services.domain.grids import Form
from tests.benchmarks import common
from tests.support import postgres
from tests.support.crew import ANSWERED, Crew, crew
from tests.support.desk import until_ended
from tests.support.grid_model import PERIODS, grid_rules, write_contracts

FORMS: Final[dict[str, Form]] = {"one": "number", "two": "text", "again": "party"}
COLUMNS = columns_of([(question, "number") for question in PERIODS])


def seconds_of(at_work: Crew, workers: Literal["one", "two", "again"]) -> float:
    """Read all contracts anew: another form is another question."""
    form = FORMS[workers]
    columns = [column.model_copy(update={"form": form}) for column in COLUMNS]
    grid = at_work.engine.grids.create(workers, columns, collections=["contracts"])
    answered = at_work.services.settings.home / ANSWERED
    answered.unlink(missing_ok=True)
    begin = time.monotonic()
    at_work.engine.grids.run(grid)
    assert until_ended(at_work.engine, grid) == "done", at_work.engine.threads.run(grid).error
    seconds = time.monotonic() - begin
    table = at_work.engine.grids.table(grid)
    assert table.cells_read == len(table.cells) > 0
    calls = len(answered.read_text("utf-8").splitlines())
    print(f"{workers}: {seconds:.1f} s, {len(table.cells)} cells, {calls} calls", flush=True)
    return seconds


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("--documents", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--at-once", type=int, default=2)
    options = parser.parse_args()
    about: dict[str, Any] = {
        "seconds": options.seconds,
        "at_once": options.at_once,
        "script": grid_rules,
    }
    with (
        tempfile.TemporaryDirectory() as home,
        postgres.server() as server,
        postgres.database(server) as url,
        crew(Path(home), url, "w1", **about) as at_work,
    ):
        folder = Path(home) / "contracts"
        write_contracts(folder, options.documents)
        at_work.engine.library.ingest([folder], "contracts")
        one = seconds_of(at_work, "one")
        at_work.start("w2")
        two = seconds_of(at_work, "two")
        at_work.end("w2")
        again = seconds_of(at_work, "again")
        print(f"two are {(one + again) / 2 / two:.2f} times as fast as one")


if __name__ == "__main__":
    main()
