"""The same question in fresh processes: the same evidence and answer, whatever their hashes."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_two_processes_find_and_say_the_same(tmp_path: Path) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.support.same_answer", str(tmp_path / seed)],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed, "RABBITHOLE_LLM": "none"},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in ("1", "2")
    ]
    first, second = (process.communicate()[0].splitlines()[-1] for process in processes)
    assert [process.returncode for process in processes] == [0, 0]
    assert first == second
    found = json.loads(first)
    assert found["research"]["evidence"] and found["ask"]["sentences"]
    assert found["structured"]["required_info"] and found["structured"]["sentences"]
