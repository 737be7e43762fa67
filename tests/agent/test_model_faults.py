"""A model server with a fault at one task: every run survives, and says which task fell back.

All faults at all tasks are tried by ``python -m tests.benchmarks.model_faults``; here each task of
every kind of run is shown another one.
"""

from collections.abc import Iterator
from itertools import cycle
from typing import Final

import pytest

from tests.support.faulty_runs import KINDS, Faulty, faulty
from tests.support.faulty_tasks import FAULTS

OFTEN: Final = ("fast", "research", "reranked")
"""Kinds of runs that are tried whenever the tests are run; the others every night."""

SLOW: Final = ("drip", "silent")
"""They take as long as a call may."""


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Faulty]:
    with faulty(tmp_path_factory.mktemp("faulty")) as opened:
        yield opened


@pytest.fixture(scope="module")
def faults() -> Iterator[str]:
    return cycle(each for each in FAULTS if each not in SLOW)


@pytest.mark.parametrize(
    "kind",
    [kind if kind in OFTEN else pytest.param(kind, marks=pytest.mark.slow) for kind in KINDS],
)
def test_each_task_survives_a_fault_and_is_named(
    trial: Faulty, faults: Iterator[str], kind: str
) -> None:
    tasks = trial.tasks(kind)
    tried = {task: next(faults) for task in tasks}
    assert (
        tasks
        and {
            (task, fault): problems
            for task, fault in tried.items()
            if (problems := trial.tried(kind, task, fault))
        }
        == {}
    )


def test_what_is_wrong_with_a_run_is_seen(trial: Faulty, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without what tells of a fallback the same run does not survive."""
    trial.tasks("structured")
    monkeypatch.setattr("agent.ask.finish.fallen_back", lambda _: ())
    (problem,) = [
        each for each in trial.tried("structured", "decompose", "length") if "1:" in each
    ][:1]
    assert problem == "1: decompose fell back, and nothing says so"
