"""A grid and a sweep that are killed end like undisturbed ones; `tests.benchmarks.grid_kills` is
the long version.
"""

import shutil
from pathlib import Path

import pytest

from tests.benchmarks.grid_kills import faults_of, whole
from tests.support.deadly_grids import make_home


@pytest.mark.slow
@pytest.mark.parametrize(
    ("thread", "point"), [("grid", "grids.put#20 middle"), ("sweep", "model.look_through#2 middle")]
)
def test_what_was_stored_is_not_read_again_and_the_end_is_the_same(
    tmp_path: Path, thread: str, point: str
) -> None:
    template = tmp_path / "template"
    make_home(template)
    shutil.copytree(template, tmp_path / "whole")
    end = whole(tmp_path / "whole", thread)["end"]
    assert faults_of(template, tmp_path / "killed", thread, point, end) == []
