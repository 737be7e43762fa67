"""What is killed at a point goes on in another process. All points: benchmarks/fault_points.py."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def fault_points() -> Any:
    """The benchmark, which loads what it forks."""
    from tests.benchmarks import fault_points

    return fault_points


@pytest.fixture(scope="module")
def undisturbed(fault_points: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return fault_points.whole(tmp_path_factory.mktemp("whole") / "home", "research")


@pytest.mark.smoke
@pytest.mark.parametrize("point", ["execute_task middle", "attribute_sources commit"])
def test_a_research_ends_with_the_same_report(
    fault_points: Any, undisturbed: dict[str, Any], tmp_path: Path, point: str
) -> None:
    after = fault_points.killed(tmp_path / "home", "research", point)
    assert after["report"] == undisturbed["report"]


@pytest.mark.smoke
def test_a_quick_answer_is_written_by_another_process(fault_points: Any, tmp_path: Path) -> None:
    expected = fault_points.whole(tmp_path / "whole", "fast")
    last = expected["passed"][-1]
    after = fault_points.killed(tmp_path / "home", "fast", last)
    assert after["report"] == expected["report"]


WORKS = (
    "ingest, memberships.mark_indexed#1 commit",
    "remove, ChromaIndex.delete#1 start",
    "put back, deletions.remove#1 middle",
    "empty bin, deletions.forget#1 start",
    "delete, queue.submit#1 start",
    "repair, files.keep_original#1 commit",
    "rebuild, TantivyIndex.upsert#1 middle",
    "graph, graph.store#3 middle",
    "restore collection, restore._keep_original#1 commit",
    "restore collection, graph.store#3 middle",
    "backup, ArchiveWriter.add#1 middle",
    "restore, ChromaIndex.upsert#1 middle",
)


def test_works_of_the_library_end_as_if_nobody_had_killed_them() -> None:
    command = [sys.executable, "-m", "tests.benchmarks.fault_points"]
    command += dict.fromkeys(each.partition(",")[0] for each in WORKS)
    command += [word for each in WORKS for word in ("--point", each)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout
    assert " 0 of 0 " not in done.stdout
