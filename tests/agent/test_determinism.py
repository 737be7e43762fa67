"""The same question in fresh processes: the same evidence and answer, whatever their hashes."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def in_a_process(seed: str, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "RABBITHOLE_LLM": "none"}
    ran = subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()[-1]


def test_two_processes_find_and_say_the_same(tmp_path: Path) -> None:
    first, second = (
        in_a_process(seed, "-m", "tests.support.same_answer", str(tmp_path / seed))
        for seed in ("1", "2")
    )
    assert first == second
    found = json.loads(first)
    assert found["research"]["evidence"] and found["ask"]["sentences"]
    assert found["structured"]["required_info"] and found["structured"]["sentences"]
