"""``rabbithole eval retrieval`` from the outside."""

import json
from pathlib import Path

import pytest
from click.testing import Result

from tests.support.question_sets import write_set
from tests.support.shell import Shell


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_set(tmp_path / "small")


def run(home: Path, *arguments: object) -> Result:
    return Shell(home).run("eval", "retrieval", *arguments)


def test_one_json_object_with_every_mode(folder: Path, tmp_path: Path) -> None:
    cache = tmp_path / "vectors"
    options = ("--beir", folder, "--language", "de", "--limit-queries", 2)
    result = run(tmp_path / "home", *options, "--cache-embeddings", cache, "--json")
    assert result.exit_code == 0, result.stderr
    report = json.loads(result.stdout)
    assert (report["dataset"], report["documents"], report["queries"]) == ("small", 4, 2)
    assert set(report["modes"]) == {"hybrid", "vector", "keyword"}
    assert report["modes"]["hybrid"]["ndcg@10"] > 0.6
    assert cache.exists() and not (tmp_path / "home").exists()


def test_a_table_for_people(folder: Path, tmp_path: Path) -> None:
    result = run(tmp_path / "home", "--beir", folder, "--modes", "keyword, hybrid")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "small: 4 documents, 3 chunks, 3 queries"
    assert [line.split()[0] for line in lines[2:4]] == ["keyword", "hybrid"]
    assert lines[4].startswith("keyword minus hybrid: ndcg@10 ")


def test_what_is_wrong_is_one_line(folder: Path, tmp_path: Path) -> None:
    result = run(tmp_path, "--beir", folder, "--modes", "bm25")
    assert result.exit_code == 1
    assert "hybrid, vector, keyword" in result.stderr and len(result.stderr.splitlines()) == 1
    (folder / "corpus.jsonl").unlink()
    result = run(tmp_path, "--beir", folder)
    assert result.exit_code == 1 and "corpus.jsonl" in result.stderr
