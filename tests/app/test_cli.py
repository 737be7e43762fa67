"""The command line over a real home without a language model."""

import json
from pathlib import Path
from typing import Any

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
    for name in ("Tabelle.ods", "Liste.ODS", "LIESMICH", ".versteckt.ods"):
        (tmp_path / name).write_text("?", encoding="utf-8")
    result = shell.run("ingest", tmp_path, "--collection", "mixed")
    assert result.exit_code == 0
    assert (
        "left out because the format is not supported: 1 without extension, 2 .ods" in result.stdout
    )


def test_a_search_without_documents_says_how_to_add_some(
    shell: Shell, folder: Path, tmp_path: Path
) -> None:
    empty = Shell(tmp_path)
    result = empty.run("search", "Grenzwert")
    assert result.exit_code == 0 and "rabbithole ingest PATH" in result.stdout
    assert empty.json("search", "Grenzwert")["hits"] == []
    result = shell.run("ingest", folder / "broken.pdf", "--collection", "laerm")
    assert result.exit_code == 1 and "broken.pdf" in result.stdout, "nothing could be read"
    assert result.stdout.splitlines()[-1] == "files failed: 1 of 1"
    some = shell.run("ingest", folder, "--collection", "laerm")
    assert some.exit_code == 0 and some.stdout.splitlines()[-1].startswith("files failed: 1 of ")
    assert shell.json("ingest", folder, "--collection", "laerm")["failed"] == 1


def test_search_gives_hits_that_explain_themselves(shell: Shell) -> None:
    hits = shell.json("search", "Grenzwert unter 18 Jahren", "--collection", "laerm")["hits"]
    assert hits[0]["section"] == "§ 2" and "text_id" not in hits[0]
    assert all(found.keys() == {"rank", "score"} for found in hits[0]["explain"].values())


def test_research_straight_to_the_report(shell: Shell) -> None:
    report = shell.json("research", QUESTION, "--collection", "laerm", "--yes", "--no-clarify")
    assert "70 Dezibel" in report["answer"] and report["usage"]["model"] == "none"
    shown = shell.json("runs", "show", report["thread_id"])
    assert shown["status"] == "done" and shown["report"]["answer"] == report["answer"]


def test_a_run_stops_where_a_person_is_asked_and_goes_on(shell: Shell) -> None:
    waiting = shell.json("research", QUESTION, "--collection", "laerm", "--no-clarify")
    thread = waiting["thread_id"]
    assert waiting["status"] == "waiting" and waiting["pending"]["interrupt"] == "plan"
    assert "--approve" in shell.error("resume", thread, "--answer", "ja")
    assert "70 Dezibel" in shell.json("resume", thread, "--approve")["answer"]
    thread = shell.json("research", QUESTION, "--collection", "laerm")["thread_id"]
    assert shell.json("runs", "cancel", thread)["status"] == "cancelled"
    assert shell.json("runs", "show", thread)["status"] == "cancelled"


@pytest.fixture
def waiting(shell: Shell) -> dict[str, Any]:
    """A thread that waits for the approval of a plan of two tasks."""
    queries = ("--query", "Grenzwert des Lärms unter 18 Jahren", "--query", "Messung des Lärms")
    return shell.json("research", QUESTION, "--collection", "laerm", *queries)


def test_given_queries_are_the_plan_and_a_file_can_replace_it(
    shell: Shell, waiting: dict[str, Any], tmp_path: Path
) -> None:
    thread, items = waiting["thread_id"], waiting["pending"]["items"]
    assert [item["task"] for item in items] == [
        "Grenzwert des Lärms unter 18 Jahren", "Messung des Lärms",
    ]  # fmt: skip
    assert "each query" in str(waiting["pending"]["note"])
    file = tmp_path / "plan.json"
    for text in ("[", "{}", '[{"id": 1}]', "[3]"):
        file.write_text(text, encoding="utf-8")
        refused = shell.run("resume", thread, "--plan", file)
        assert refused.exit_code == 1 and refused.stderr.startswith("rabbithole: ")
        assert "plan.json is not a plan" in refused.stderr and refused.stderr.count("\n") == 1
    tasks = ["Messung des Lärms", {"id": 1, "task": "Grenzwert", "subtasks": ["Jugendliche"]}]
    file.write_text(json.dumps(tasks), encoding="utf-8")
    report = shell.json("resume", thread, "--plan", file)
    assert [task["subtasks"] for task in report["todo"]] == [[], ["Jugendliche"]]
    assert report["plan_changes"] == [
        "edited: Grenzwert des Lärms unter 18 Jahren -> Grenzwert (Jugendliche)",
        "moved: Grenzwert (Jugendliche): 1 -> 2",
    ]
    shown = shell.run("runs", "show", thread).stdout
    assert "Plan, edited: Grenzwert des Lärms unter 18 Jahren -> Grenzwert" in shown


def test_a_plan_is_edited_in_the_editor_of_the_person(
    shell: Shell, waiting: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    thread, text = waiting["thread_id"], tmp_path / "plan.txt"
    text.write_text("# nothing\n", encoding="utf-8")
    replies = (
        ("true", "returned no plan"),
        (f"cp {text}", "returned no plan"),
        ("touch", "unchanged"),
    )
    for editor, said in replies:
        monkeypatch.setenv("VISUAL", editor)
        assert said in shell.error("resume", thread, "--edit")
        assert shell.json("runs", "show", thread)["status"] == "waiting"
    monkeypatch.setenv("VISUAL", "sed -i -e s/^.1..*/Ausnahmen/ -e s/Messung.*/Messung/")
    report = shell.json("resume", thread, "--edit")
    assert [item["task"] for item in report["todo"]] == ["Ausnahmen", "Messung"]
    assert [line.split(":")[0] for line in report["plan_changes"]] == ["removed", "added", "edited"]


def test_what_a_plan_assumes_is_corrected_before_it_is_approved(shell: Shell, folder: Path) -> None:
    question, both = "Wie oft wird der Lärm gemessen?", ("laerm", "zweite")
    shell.run("ingest", folder / "LaermG.txt", "--collection", "zweite")
    chosen = [word for name in both for word in ("--collection", name)]
    found = shell.json("research", question, *chosen, "--no-clarify")
    assumed = found["pending"]["assumed"]
    assert len(assumed) == 1 and "laerm, zweite" in assumed[0]
    again = shell.json(
        "resume", found["thread_id"], "--correct", "A1: Form der Aufzeichnung gegenüber der Behörde"
    )["pending"]
    assert again["interrupt_id"] != found["pending"]["interrupt_id"]
    assert again["assumed"] == ["Form der Aufzeichnung gegenüber der Behörde"]
    assert again["assumed"][0] in [item["task"] for item in again["items"]]
    anchor = shell.json("resume", found["thread_id"], "--approve")["anchor"]
    assert anchor["hitl_refinements"] == anchor["assumed_context"] == again["assumed"]


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
