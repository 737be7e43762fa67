"""The command line over a real home without a language model."""

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from app.cli.main import COMMANDS, main
from tests.support.desk import LAW, QUESTION
from tests.support.shell import Shell


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    (folder / "LaermG.txt").write_text(LAW, encoding="utf-8")
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7 nothing follows")
    return folder


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> Shell:
    shell = Shell(tmp_path_factory.mktemp("home"))
    result = shell.run("ingest", folder, "--collection", "laerm")
    assert result.exit_code == 0, result.stderr
    assert "1 added" in result.stdout and "broken.pdf" in result.stdout
    return shell


def test_the_same_settings_add_nothing_and_others_cut_anew(shell: Shell, folder: Path) -> None:
    options = ("--strategy", "sentence", "--chunk-size", 200)
    cut: list[set[str]] = []
    for given, status in (((), "added"), (options, "updated"), (options, "unchanged")):
        file = folder / "LaermG.txt"
        report = shell.json("ingest", file, "--collection", "cut", *given)
        assert [each["status"] for each in report["files"]] == [status]
        hits = shell.json("search", "Grenzwert", "--collection", "cut", "-k", 100)["hits"]
        cut.append({hit["chunk_id"] for hit in hits})
    assert len(cut[1]) > len(cut[0]) and not cut[0] & cut[1] and cut[1] == cut[2]


def test_files_of_other_formats_are_counted(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "LaermG.txt").write_text(LAW, encoding="utf-8")
    for name in ("Tabelle.xlsx", "Liste.XLSX", "LIESMICH", ".versteckt.xlsx"):
        (tmp_path / name).write_text("?", encoding="utf-8")
    result = shell.run("ingest", tmp_path, "--collection", "mixed")
    assert result.exit_code == 0
    assert "left out, not PDF, DOCX, TXT or MD: 1 without ending, 2 .xlsx" in result.stdout


def test_a_search_without_documents_says_how_to_add_some(
    shell: Shell, folder: Path, tmp_path: Path
) -> None:
    empty = Shell(tmp_path)
    result = empty.run("search", "Grenzwert")
    assert result.exit_code == 0 and "rabbithole ingest PATH" in result.stdout
    assert empty.json("search", "Grenzwert")["hits"] == []
    result = shell.run("ingest", folder / "broken.pdf", "--collection", "laerm")
    assert result.exit_code == 1 and "broken.pdf" in result.stdout, "nothing could be read"


def test_search_gives_hits_that_explain_themselves(shell: Shell) -> None:
    hits = shell.json("search", "Grenzwert unter 18 Jahren", "--collection", "laerm")["hits"]
    assert set(hits[0]) == {
        "chunk_id", "document_id", "document", "title", "page", "section", "heading_path",
        "start", "end", "text", "score", "relevance", "explain",
    }  # fmt: skip
    assert hits[0]["section"] == "§ 2" and {"rank", "score"} == set(
        next(iter(hits[0]["explain"].values()))
    )


def test_research_straight_to_the_report(shell: Shell) -> None:
    report = shell.json("research", QUESTION, "--collection", "laerm", "--yes", "--no-clarify")
    assert "70 Dezibel" in report["answer"] and report["usage"]["model"] == "none"
    shown = shell.json("runs", "show", report["thread_id"])
    assert shown["status"] == "done" and shown["report"]["answer"] == report["answer"]


def test_a_run_stops_where_a_person_is_asked_and_goes_on(shell: Shell) -> None:
    waiting = shell.json("research", QUESTION, "--collection", "laerm", "--no-clarify")
    thread = waiting["thread_id"]
    assert waiting["status"] == "waiting" and waiting["pending"]["interrupt"] == "plan"
    refused = shell.run("resume", thread, "--answer", "ja")
    assert refused.exit_code == 1 and "--approve" in refused.stderr
    assert "70 Dezibel" in shell.json("resume", thread, "--approve")["answer"]
    thread = shell.json("research", QUESTION, "--collection", "laerm")["thread_id"]
    assert shell.json("runs", "cancel", thread)["status"] == "cancelled"
    assert shell.json("runs", "show", thread)["status"] == "cancelled"


def test_help_names_every_command_in_its_own_words() -> None:
    told = CliRunner().invoke(main, ["--help"]).stdout
    for name in ("RABBITHOLE_LLM", "RABBITHOLE_EMBEDDING", "RABBITHOLE_CROSS_ENCODER"):
        assert f"  {name} " in told
    assert "ollama:MODEL" in told and "name or folder" in told
    context = click.Context(main)
    for name, (_, text) in COMMANDS.items():
        command = main.get_command(context, name)
        assert command is not None and command.help is not None
        assert " ".join(command.help.split()).startswith(text.removesuffix(".")), name
