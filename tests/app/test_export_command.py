"""`rabbithole export` over a real home without a language model."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.desk import QUESTION
from tests.support.exported import READERS as READ
from tests.support.exported import READING, squeezed
from tests.support.shell import Shell

MAGIC = {"pdf": b"%PDF-", "docx": b"PK\x03\x04"}


@pytest.fixture(scope="module")
def thread(shell: Shell) -> str:
    """A finished research over one law, of which author and date are known."""
    edit = ("documents", "edit", "LaermG.txt", "--collection", "laerm")
    shell.json(*edit, "--author", "Ministerium", "--date", "2020-02-03")
    report = shell.json("research", QUESTION, "--collection", "laerm", "--yes", "--no-clarify")
    return str(report["thread_id"])


@pytest.fixture(scope="module")
def conversation(shell: Shell, thread: str) -> str:
    """A question with its answer, and one that is structured."""
    asked = ("ask", "Welcher Grenzwert des Lärms gilt für Beschäftigte?", "--collection", "laerm")
    talk = str(shell.json(*asked)["thread_id"])
    shell.json("ask", QUESTION, "--thread", talk, "--depth", "structured")
    return talk


@pytest.mark.parametrize("name", READING)
def test_reports_and_conversations_are_written_in_every_format_that_people_read(
    shell: Shell, thread: str, conversation: str, tmp_path: Path, name: str
) -> None:
    file, answers = tmp_path / f"report.{name}", tmp_path / f"answers.{name}"
    told = shell.json("export", thread, "--format", name, "-o", file)
    content = file.read_bytes()
    size = len(content)
    assert told == {"thread_id": thread, "format": name, "file": str(file), "bytes": size}
    assert content.startswith(MAGIC.get(name, b""))
    found = squeezed(READ[name](content))
    for sentence in shell.json("runs", "show", thread)["report"]["sentences"]:
        assert squeezed(sentence["text"]) in found
    assert "Verfasser: Ministerium" in found and "2020-02-03" in found
    shell.json("export", conversation, "--format", name, "-o", answers)
    found = squeezed(READ[name](answers.read_bytes()))
    turns = shell.json("runs", "show", conversation)["report"]["turns"]
    for number, turn in enumerate(turns, 1):
        assert squeezed(f"Frage {number}: {turn['question']}") in found
        assert all(squeezed(each["text"]) in found for each in turn["sentences"])
    assert "Frage 2: Abdeckung" in found and "Frage 1: Abdeckung" not in found
    assert "Verfasser: Ministerium" in found and f"Gespräch {conversation}" in found


def test_texts_go_to_standard_output_without_a_file(
    shell: Shell, thread: str, conversation: str
) -> None:
    for asked in (thread, conversation):
        bib = shell.run("export", asked, "--format", "bib").stdout
        assert "@misc{LaermG," in bib and "year = {2020}" in bib
        assert "AU  - Ministerium" in shell.run("export", asked, "--format", "ris").stdout
        report = json.loads(shell.run("export", asked, "--format", "json").stdout)
        assert report == shell.json("runs", "show", asked)["report"]
    markdown = shell.json("export", thread, "--format", "md")
    assert (markdown["file"], markdown["content"][:2]) == (None, "# ")
    page = shell.run("export", conversation, "--format", "html").stdout
    assert "Zugehörige Abschnitte" in page and "LärmG § 1 verweist auf LärmG § 2." in page
    assert page == shell.run("export", conversation, "--format", "html").stdout
    for name, magic in MAGIC.items():
        assert shell.run("export", thread, "--format", name).stdout_bytes.startswith(magic)
        assert f"-o report.{name}" in shell.error("export", thread, "--format", name, "--json")


def test_a_file_is_overwritten_only_by_force(shell: Shell, thread: str, tmp_path: Path) -> None:
    file = tmp_path / "report.md"
    file.write_text("mine")
    assert "--force" in shell.error("export", thread, "--format", "md", "-o", file)
    assert file.read_text() == "mine"
    assert shell.run("export", thread, "--format", "md", "-o", file, "--force").exit_code == 0
    assert file.read_text().startswith("# ") and [*tmp_path.iterdir()] == [file]
    told = shell.json("export", thread, "--format", "pdf", "--no-appendix", "-o", tmp_path)
    named = Path(told["file"])
    assert named.parent == tmp_path and named.suffix == ".pdf"
    assert QUESTION.startswith(named.stem[:20]) and "?" not in named.name
    assert "SHA-256" not in squeezed(READ["pdf"](named.read_bytes()))
    result = shell.run("export", thread, "--format", "md", "-o", tmp_path / "no" / "x.md")
    assert result.exit_code == 1 and "Choose another file with -o" in result.stderr
    result = shell.run("export", thread, "--format", "md", "--user", "anna")
    assert result.exit_code == 1 and "You have no thread" in result.stderr


def test_a_thread_without_report_says_how_to_get_one(shell: Shell) -> None:
    waiting = shell.json("research", QUESTION, "--collection", "laerm")["thread_id"]
    assert f"rabbithole resume {waiting}" in shell.error("export", waiting, "--format", "md")
    shell.json("runs", "cancel", waiting)
    if shell.json("runs", "show", waiting)["report"] is None:
        assert "rabbithole research" in shell.error("export", waiting, "--format", "md")


def test_a_report_names_what_it_covers_in_the_shape_of_an_answer(shell: Shell, thread: str) -> None:
    report = shell.json("runs", "show", thread)["report"]
    required = {each["item"]: each for each in report["required_info"]}
    assert {task["task"] for task in report["todo"]} <= required.keys()
    assert required.keys() == report["coverage_map"].keys()
    kept = {each["chunk_id"] for each in report["evidence"]}
    assert all(kept >= set(ids) for ids in report["coverage_map"].values())
    statuses = {each["status"] for each in report["required_info"]}
    assert statuses == {"partial"}, "where no model reads, nothing is answered for sure"


def test_bytes_do_not_go_to_a_terminal(shell: Shell, thread: str) -> None:
    ours, theirs = pty.openpty()
    result = subprocess.run(
        [sys.executable, "-m", "app.cli.main", "export", thread, "--format", "pdf"],
        stdout=theirs,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "RABBITHOLE_HOME": str(shell.home), "RABBITHOLE_LLM": "none"},
        cwd=Path(__file__).resolve().parents[2],
        timeout=120,  # nobody reads what it would write
    )
    os.close(theirs)
    os.close(ours)
    assert result.returncode == 1 and "-o report.pdf" in result.stderr
