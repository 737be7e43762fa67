"""Workers that Ray runs while a grid is read."""

import os
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from sqlalchemy.engine import URL

from agent.engine.grids import columns_of
from agent.engine.ray_workers import ray_workers
from services.domain.errors import InvalidInput
from services.settings import Settings
from tests.support import postgres
from tests.support.crew import ANSWERED, crew, opened
from tests.support.desk import until_ended
from tests.support.grid_model import PERIODS, grid_rules, write_contracts


def test_a_home_that_is_not_shared_is_told_what_is_needed(tmp_path: Path) -> None:
    with (
        pytest.raises(InvalidInput, match="in PostgreSQL"),
        ray_workers(Settings(home=tmp_path), list),
    ):
        pass


@pytest.mark.slow
@pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra `scale`")
@postgres.needs_postgres
def test_workers_in_ray_read_a_grid(tmp_path: Path, postgresql: URL) -> None:
    with (
        postgres.database(postgresql) as address,
        crew(tmp_path, address, seconds=0.05, script=grid_rules) as at_work,
    ):
        write_contracts(tmp_path / "contracts", 6)
        at_work.engine.library.ingest([tmp_path / "contracts"], "contracts")
        columns = columns_of([(question, "number") for question in PERIODS])
        grid = at_work.engine.grids.create("Fristen", columns, collections=["contracts"])
        settings = at_work.services.settings
        alive = partial(at_work.services.catalog.workers.alive, dedicated=True)
        with ray_workers(settings, alive, open_worker=partial(opened, at_work.about)):
            at_work.engine.grids.run(grid)
            assert until_ended(at_work.engine, grid) == "done"
        assert not at_work.services.catalog.workers.alive(dedicated=True)
        assert at_work.engine.grids.table(grid).cells_read == 60
        processes = {line.split()[0] for line in (tmp_path / ANSWERED).open(encoding="utf-8")}
        assert processes and str(os.getpid()) not in processes
