"""Sessions killed at points of nodes go on in another process. All: benchmarks/fault_points.py."""

from pathlib import Path
from typing import Any

import pytest

from tests.benchmarks.fault_points import killed, whole

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return whole(tmp_path_factory.mktemp("whole") / "home", "research")


@pytest.mark.parametrize("point", ["execute_task middle", "attribute_sources commit"])
def test_a_research_ends_with_the_same_report(
    undisturbed: dict[str, Any], tmp_path: Path, point: str
) -> None:
    assert killed(tmp_path / "home", "research", point)["report"] == undisturbed["report"]


def test_a_quick_answer_is_written_by_another_process(tmp_path: Path) -> None:
    expected = whole(tmp_path / "whole", "fast")
    last = expected["passed"][-1]
    assert killed(tmp_path / "home", "fast", last)["report"] == expected["report"]
