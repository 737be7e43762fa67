"""``rabbithole runs``: fork, restore, rename, delete, and what a killed process left."""

import sqlite3
from contextlib import closing
from pathlib import Path

import click
import pytest
from pydantic import SecretStr

from agent.engine.engine import connect
from app.cli.common import reports_errors
from app.cli.ingest import _has_model
from app.cli.research import follow
from services.domain.model_checks import ModelChoice
from services.ownership import OwnerLock
from services.settings import Settings
from tests.support.desk import QUESTION
from tests.support.ollama_server import OllamaServer
from tests.support.shell import Shell

QUESTION_OF_ONE_SECTION = "Welcher Grenzwert des Lärms gilt für Beschäftigte unter 18 Jahren?"


def test_a_thread_is_forked_renamed_and_deleted(own_shell: Shell) -> None:
    waiting = own_shell.json("research", QUESTION, "--collection", "laerm", "--no-clarify")
    thread = waiting["thread_id"]

    listed = own_shell.json("runs", "fork", thread)
    assert listed["thread_id"] == thread
    (place,) = [c for c in listed["checkpoints"] if c["next"] == "hitl_approve_todo"]
    assert place["phase"] == "plan" and "tasks planned" in place["summary"]
    assert f"runs fork {thread} --checkpoint" in own_shell.run("runs", "fork", thread).stdout
    unknown = own_shell.run("runs", "fork", thread, "--checkpoint", "nothing")
    assert unknown.exit_code == 1 and f"runs fork {thread}" in unknown.stderr
    assert own_shell.json("runs", "restore", thread) == {"thread_id": thread, "dropped": []}
    assert "no dropped evidence" in own_shell.run("runs", "restore", thread).stdout
    assert "no finished report" in own_shell.error("runs", "restore", thread, "x")

    fork = own_shell.json("runs", "fork", thread, "--checkpoint", place["id"])
    assert fork["status"] == "waiting" and fork["pending"]["interrupt"] == "plan"
    assert fork["thread_id"] != thread
    shown = own_shell.json("runs", "show", fork["thread_id"])
    assert shown["parent_thread"] == thread and shown["parent_checkpoint"] == place["id"]

    assert own_shell.json("runs", "rename", thread, "Lärm")["title"] == "Lärm"
    assert "Lärm" in own_shell.run("runs", "list").stdout

    assert own_shell.run("runs", "delete", thread).exit_code == 1, "nobody said yes"
    assert own_shell.json("runs", "delete", thread, "--yes") == {
        "thread_id": thread,
        "deleted": True,
    }
    left = [run["thread_id"] for run in own_shell.json("runs", "list")["runs"]]
    assert left == [fork["thread_id"]]


def test_dropped_evidence_is_listed_and_restored(own_shell: Shell) -> None:
    options = ("--collection", "laerm", "--no-clarify", "--yes")
    before = own_shell.json("research", QUESTION_OF_ONE_SECTION, *options)
    thread = before["thread_id"]
    listed = own_shell.json("runs", "restore", thread)
    assert listed == {"thread_id": thread, "dropped": before["dropped"]}
    (item,) = [item for item in listed["dropped"] if item["section"] == "§ 4"]
    chunk, relevance = item["chunk_id"], f"{item['score']:.2f}"
    shown = own_shell.run("runs", "restore", thread).stdout
    assert f"{chunk}  {relevance}" in shown and f"runs restore {thread} EVIDENCE_ID" in shown

    after = own_shell.json("runs", "restore", thread, chunk)
    assert after["thread_id"] == thread
    assert [e["section"] for e in after["evidence"] if e["restored"]] == ["§ 4"]
    assert chunk not in [item["chunk_id"] for item in after["dropped"]]
    assert "already included" in own_shell.error("runs", "restore", thread, chunk)


def test_what_a_killed_process_left_is_listed_as_interrupted(own_shell: Shell) -> None:
    thread = own_shell.json("ask", "Welcher Grenzwert gilt für Beschäftigte?")["thread_id"]
    with closing(sqlite3.connect(own_shell.home / "catalog.sqlite3")) as catalog, catalog:
        catalog.execute("UPDATE jobs SET status = 'running', ended_at = NULL")
        catalog.execute("UPDATE runs SET status = 'running'")
        catalog.execute("UPDATE leases SET live = 1")
    [job] = own_shell.json("jobs", "list")["jobs"]
    [run] = own_shell.json("runs", "list")["runs"]
    shown = own_shell.json("runs", "show", thread)
    assert {job["status"], run["status"], shown["status"]} == {"interrupted"}
    owner = OwnerLock(own_shell.home)
    assert owner.free() and owner.acquire()
    try:  # somebody works on it
        assert own_shell.json("runs", "list")["runs"][0]["status"] == "running"
        assert not owner.free()
    finally:
        owner.release()


def test_a_demo_without_its_sample_fails_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RABBITHOLE_SAMPLES", str(tmp_path / "nowhere"))
    shell = Shell(tmp_path / "home")
    assert "RABBITHOLE_SAMPLES" in shell.error("demo")
    assert shell.json("runs", "list")["runs"] == []


def test_a_demo_takes_the_model_that_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.models.setup.installed_pieces", lambda: None)
    settings = Settings(home=tmp_path, ollama_url=SecretStr("http://127.0.0.1:9"))
    assert not _has_model(settings)
    with OllamaServer() as server:
        assert _has_model(Settings(home=tmp_path, ollama_url=SecretStr(server.url)))
    with connect(settings) as client:
        client._services.choices.store(ModelChoice(llm="gguf:model.gguf"))
    assert _has_model(settings)


def test_a_research_that_is_stopped_fails_and_says_how_it_goes_on(
    own_shell: Shell, capsys: pytest.CaptureFixture[str]
) -> None:
    thread = own_shell.json("research", QUESTION, "--collection", "laerm", "--no-clarify")
    with closing(sqlite3.connect(own_shell.home / "catalog.sqlite3")) as catalog, catalog:
        catalog.execute("UPDATE runs SET status = 'paused', pending = NULL")
    settings = Settings(home=own_shell.home, llm="none")
    with connect(settings) as engine, pytest.raises(SystemExit) as ended:
        follow(engine, thread["thread_id"])
    assert ended.value.code == 1
    assert f"rabbithole resume {thread['thread_id']}" in capsys.readouterr().err


def test_ctrl_c_says_what_becomes_of_what_is_under_way(capsys: pytest.CaptureFixture[str]) -> None:
    for told, said in (("it goes on elsewhere.", "elsewhere"), ("", "can be resumed")):

        @reports_errors
        def stopped(told: str = told) -> None:
            raise KeyboardInterrupt(told)

        with click.Context(click.Command("run")), pytest.raises(SystemExit):
            stopped()
        assert said in capsys.readouterr().err
