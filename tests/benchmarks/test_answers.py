"""The measuring run: it asks, keeps, goes on where it stopped, and prints what it found."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from services.domain.errors import InvalidInput
from services.evaluation.answer_results import ResultFile
from services.evaluation.answers import Question, load_questions
from tests.benchmarks.answers import ask
from tests.benchmarks.product import AnswerFailed, Product, last_object
from tests.benchmarks.table import render_tables

REPORT = {
    "answer": "Es sind 20 mSv.",
    "sentences": [
        {
            "text": "Es sind 20 mSv.",
            "supported": True,
            "citations": [{"document": "StrlSchG.pdf", "section": "§ 78"}],
        }
    ],
    "usage": {"model": "m", "model_calls": 3, "repairs": 0, "fallbacks": 1},
}
COMMAND = """
import json, os, sys, time
print("progress", file=sys.stderr)
question = sys.argv[2]
if question == "fail":
    print("The model is away; start it.", file=sys.stderr)
    sys.exit(1)
if question == "hang":
    time.sleep(60)
if question == "silent":
    sys.exit(0)
print("notice")
print(json.dumps({"arguments": sys.argv[1:], "home": os.environ["RABBITHOLE_HOME"]}, indent=1))
"""


def questions_file(folder: Path) -> Path:
    records = [
        {
            "id": name,
            "lang": "de",
            "q": name,
            "gold": ["StrlSchG § 78"],
            "must": [["20 mSv"]],
            "type": "factual",
        }
        for name in ("a", "b")
    ]
    path = folder / "questions.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in records), encoding="utf-8")
    return path


def question(text: str) -> Question:
    return Question("q", "de", text, (), (), "unanswerable")


def product(folder: Path, timeout_s: float = 20.0) -> Product:
    script = folder / "command.py"
    script.write_text(COMMAND, encoding="utf-8")
    return Product(
        [sys.executable, str(script)],
        "law",
        {"RABBITHOLE_HOME": "/home/of/run"},
        folder / "out.log",
        timeout_s=timeout_s,
    )


def test_the_last_object_of_an_output_is_taken() -> None:
    assert last_object('note\n{"a": 1}\n{\n "b": {\n"c": 2}\n}\n') == {"b": {"c": 2}}
    for text in ("", "done", '{"a": 1}\ndone'):
        with pytest.raises(ValueError, match="does not end"):
            last_object(text)


async def test_the_product_is_asked_as_a_user_would(tmp_path: Path) -> None:
    answer = await product(tmp_path).answer(question("Wie hoch?"))
    assert answer["home"] == "/home/of/run"
    assert answer["arguments"] == [
        "research",
        "Wie hoch?",
        "--yes",
        "--no-clarify",
        "--collection",
        "law",
        "--json",
    ]
    assert (tmp_path / "out.log").read_text(encoding="utf-8") == "progress\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("fail", "exit code 1: The model is away; start it."),
        ("silent", "does not end with a JSON object"),
        ("hang", "no report within 1 s"),
    ],
)
async def test_a_failed_command_says_why(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(AnswerFailed, match=message):
        await product(tmp_path, 1.0 if text == "hang" else 20.0).answer(question(text))


async def test_a_failure_is_a_row_and_not_the_end(tmp_path: Path) -> None:
    row = await ask(product(tmp_path), "research", question("fail"))
    assert row["error"].startswith("AnswerFailed: exit code 1")
    assert "report" not in row
    assert row["seconds"] > 0


def test_a_measurement_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = questions_file(tmp_path)
    questions = load_questions(path)
    first = ResultFile(tmp_path / "out.json", path, collection="law")
    first.add(row("a", report=REPORT), questions)
    first.add(row("b", error="away"), questions)
    second = ResultFile(tmp_path / "out.json", path, collection="law")
    assert second.answered("research") == {"a"}
    assert second.answered("plain") == set()
    second.add(row("b", report=REPORT), questions)
    assert second.answered("research") == {"a", "b"}
    stored = json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))
    assert len(stored["rows"]) == 2
    assert stored["summary"]["research"]["measures"]["facts"]["mean"] == 1.0
    assert stored["models"] == ["m"]


def test_a_result_file_of_other_questions_is_refused(tmp_path: Path) -> None:
    path = questions_file(tmp_path)
    ResultFile(tmp_path / "out.json", path, collection="law").write(load_questions(path))
    with pytest.raises(InvalidInput, match="other collection"):
        ResultFile(tmp_path / "out.json", path, collection="other")
    path.write_text("", encoding="utf-8")
    with pytest.raises(InvalidInput, match="other sha256"):
        ResultFile(tmp_path / "out.json", path, collection="law")


def test_the_table_shows_every_question_and_the_difference(tmp_path: Path) -> None:
    path = questions_file(tmp_path)
    questions = load_questions(path)
    results = ResultFile(tmp_path / "out.json", path, collection="law")
    results.add(row("a", report=REPORT), questions)
    silent = {**REPORT, "answer": "Unklar.", "sentences": []}
    results.add(row("a", system="plain", report=silent), questions)
    table = render_tables(results.scores(questions))
    assert "1/1" in table and "0/1" in table and "1/3" in table
    assert "research - plain, facts right: 100 % [100, 100] (n=1)" in table
    assert "research - plain, gold cited: 100 % [100, 100] (n=1)" in table


def row(id: str, *, system: str = "research", **more: Any) -> dict[str, Any]:
    return {"system": system, "id": id, "question": id, "seconds": 1.0, **more}
