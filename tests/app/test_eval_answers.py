"""``rabbithole eval``: answers and their comparison over a real home, and retrieval."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from tests.support.question_sets import write_set
from tests.support.shell import Shell

MEASURED = {
    "id": "messung",
    "lang": "de",
    "q": "Wie oft ist der Lärm am Arbeitsplatz von einer anerkannten Stelle zu messen?",
    "gold": ["LaermG § 4"],
    "must": [["anerkannte Stelle", "anerkannten Stelle"], ["jährlich"], ["monatlich"]],
    "type": "factual",
}
UNKNOWN = {
    "id": "steuer",
    "lang": "de",
    "q": "Wie hoch ist die Körperschaftsteuer?",
    "gold": [],
    "must": [],
    "type": "unanswerable",
}


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    return write(tmp_path / "questions.jsonl", MEASURED, UNKNOWN)


def write(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    return path


def test_facts_places_and_refusals_are_scored(shell: Shell, questions: Path) -> None:
    result = shell.json("eval", "answers", "--questions", questions, "--depth", "fast")
    known, unknown = result["scores"]["fast"]
    assert known["found"] == [True, True, False] and known["gold_any"] == 1.0
    assert unknown["refusal_right"] and unknown["facts"] is None
    summary = result["summary"]["fast"]
    assert summary["measures"]["facts"]["mean"] == pytest.approx(2 / 3)
    assert summary["unanswerable"] == {"n": 1, "refused": 1}
    assert "report" not in result["rows"][0]
    assert shell.json("runs", "list")["runs"] == []


def test_a_measurement_goes_on_where_it_stopped_and_is_compared(
    shell: Shell, questions: Path, tmp_path: Path
) -> None:
    asked, fast = ("eval", "answers", "--questions", questions), tmp_path / "fast.json"
    first = shell.run(*asked, "--depth", "fast", "--limit", 1, "--out", fast)
    assert first.exit_code == 0 and "1/1 messung: answered" in first.stderr
    second = shell.run(*asked, "--depth", "fast", "--out", fast)
    assert "messung: answered" not in second.stderr and "2/2 steuer" in second.stderr
    assert "2/3 facts, gold 0%, perhaps" in second.stdout and "1 of 1" in second.stdout
    assert "of other depth (fast)" in shell.error(*asked, "--depth", "enhanced", "--out", fast)

    research = tmp_path / "research.json"
    shell.json(*asked, "--depth", "research", "--out", research)
    compared = shell.json("eval", "compare", fast, research)
    assert (compared["a"]["system"], compared["b"]["system"]) == ("fast", "research")
    assert compared["differences"]["facts"]["n"] == 1
    assert "a - b" in shell.run("eval", "compare", fast, research).stdout


def test_what_cannot_be_measured_or_compared_is_named(
    shell: Shell, questions: Path, tmp_path: Path
) -> None:
    empty = write(tmp_path / "empty.jsonl")
    assert "holds no question" in shell.run("eval", "answers", "--questions", empty).stderr
    assert "is no result" in shell.error("eval", "compare", questions, questions)
    missing = shell.run("eval", "answers", "--questions", questions, "--collection", "akten")
    assert missing.exit_code == 1 and "messung: There is no collection" in missing.stdout

    files = [tmp_path / "a.json", tmp_path / "b.json"]
    sets = [questions, write(tmp_path / "others.jsonl", UNKNOWN)]
    for file, out in zip(sets, files, strict=True):
        shell.json("eval", "answers", "--questions", file, "--depth", "fast", "--out", out)
    assert "other questions" in shell.run("eval", "compare", *files).stderr

    stored = json.loads(files[0].read_text(encoding="utf-8"))
    for key, value in (("gold", {}), ("coverage", {"coverage": 1.0})):
        row = {k: v for k, v in stored["scores"]["fast"][0].items() if k != key} | value
        files[0].write_text(json.dumps({**stored, "scores": {"fast": [row]}}), encoding="utf-8")
        other = shell.run("eval", "compare", files[0], files[0])
        assert other.exit_code == 1 and "a.json was scored by another version" in other.stderr
    shell.run("eval", "answers", "--questions", questions, "--depth", "fast", "--out", files[0])
    assert shell.run("eval", "compare", files[0], files[0]).exit_code == 0


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


def test_a_table_for_people_and_what_is_wrong_in_one_line(folder: Path, tmp_path: Path) -> None:
    result = run(tmp_path / "home", "--beir", folder, "--modes", "keyword, hybrid")
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "small: 4 documents, 3 chunks, 3 queries"
    assert [line.split()[0] for line in lines[2:4]] == ["keyword", "hybrid"]
    assert lines[4].startswith("keyword minus hybrid: ndcg@10 ")
    result = run(tmp_path, "--beir", folder, "--modes", "bm25")
    assert result.exit_code == 1
    assert "hybrid, vector, keyword" in result.stderr and len(result.stderr.splitlines()) == 1
    (folder / "corpus.jsonl").unlink()
    result = run(tmp_path, "--beir", folder)
    assert result.exit_code == 1 and "corpus.jsonl" in result.stderr
