"""The same question in fresh processes: the same evidence and answer, whatever their hashes."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.desk import QUESTION
from tests.support.same_answer import KINDS

ROOT = Path(__file__).resolve().parents[2]


SECOND = "Wie oft ist der Lärm zu messen, und wer stellt sicher, dass Gehörschutz getragen wird?"


@pytest.mark.slow
def test_processes_find_and_say_the_same(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.support.same_answer"]
    processes = [
        subprocess.Popen(
            [*command, str(tmp_path / seed), QUESTION, SECOND],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "RABBITHOLE_LLM": "none"},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in "01"
    ]
    first, *others = (process.communicate()[0].splitlines()[-1] for process in processes)
    assert {process.returncode for process in processes} == {0}
    assert {*others} == {first}
    for found in json.loads(first).values():
        assert found.keys() == set(KINDS)
        assert found["research"]["evidence"] and found["structured"]["required_info"]
        assert all(each["sentences"] for each in found.values())
