"""Commands print in any terminal: what its encoding lacks is escaped."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.shell import Shell

TEXT = "Die Pakete gehen an Иванов und an 田中 😀, 5 Stück je Monat."


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    (home / "Иванов.md").write_text(f"# Versand\n\n{TEXT}\n", encoding="utf-8")
    assert Shell(home).run("ingest", home / "Иванов.md", "--collection", "post").exit_code == 0
    return home


COMMANDS = """
from app.cli.main import main
main(["search", "Pakete", "--collection", "post"], standalone_mode=False)
main(["search", "Pakete", "--json"], standalone_mode=False)
"""
"""One process for both: most of the time of each would be its start."""


def printed(home: Path, encoding: str) -> str:
    env = os.environ | {
        "RABBITHOLE_HOME": str(home), "RABBITHOLE_LLM": "none", "PYTHONIOENCODING": encoding,
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS], env=env, capture_output=True, check=True
    )
    return done.stdout.decode(encoding)


@pytest.mark.parametrize("encoding", ["cp1252", pytest.param("ascii", marks=pytest.mark.slow)])
def test_text_is_escaped_and_json_is_whole(home: Path, encoding: str) -> None:
    text, _, answer = printed(home, encoding).strip().rpartition("\n")
    assert ascii("Иванов")[1:-1] in text and ascii("田中 😀")[1:-1] in text
    assert TEXT in json.dumps(json.loads(answer), ensure_ascii=False)
