"""Commands at a server say what they say in its home."""

import json
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from pydantic_core import to_jsonable_python

from services.domain import SearchRequest
from services.locale import rendered
from tests.support.api_server import Served, served
from tests.support.desk import QUESTION
from tests.support.shell import Shell


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("server"), api_requests_per_minute=100_000) as desk:
        yield desk


@pytest.fixture(scope="module")
def shell(desk: Served, tmp_path_factory: pytest.TempPathFactory) -> Shell:
    return shell_for(desk, tmp_path_factory.mktemp("shell"), desk.token("write"))


def shell_for(desk: Served, home: Path, token: str) -> Shell:
    return Shell(home, RABBITHOLE_SERVER=desk.url, RABBITHOLE_TOKEN=token)


def test_library_commands_work_at_a_server(shell: Shell, desk: Served, tmp_path: Path) -> None:
    assert [c["name"] for c in shell.json("collections", "list")["collections"]] == ["laerm"]
    file = tmp_path / "nacht.txt"
    file.write_text("Nachts gilt ein Grenzwert von 40 Dezibel.")
    taken = shell.json("ingest", str(file), "--collection", "nacht")
    assert [each["status"] for each in taken["files"]] == ["added"]
    listed = shell.json("documents", "list", "--collection", "nacht")["documents"]
    assert [each["document"] for each in listed] == ["nacht.txt"]
    found = shell.json("search", "Grenzwert", "--collection", "nacht")["hits"]
    assert found == [
        hit.model_dump(mode="json", exclude={"text_id"})
        for hit in desk.engine.library.find(
            SearchRequest(query="Grenzwert", collections=("nacht",))
        ).hits
    ]
    shell.json("collections", "rename", "nacht", "nachts")
    assert shell.json("collections", "delete", "nachts")["deleted"] is True


def test_the_server_may_stand_before_the_command(desk: Served, tmp_path: Path) -> None:
    server = ("--server", desk.url, "--token", desk.token("read"))
    shell = Shell(tmp_path)
    listed = shell.run(*server, "collections", "list")
    assert listed.exit_code == 0 and "laerm" in listed.stdout
    after = shell.run("--server", "http://127.0.0.1:9", "collections", "list", *server)
    assert after.stdout == listed.stdout, "the command's own option counts"
    assert "leave out --server" in shell.error(*server, "backup", tmp_path / "home.zip", code=2)


def test_an_attachment_is_taken_out_by_its_name(shell: Shell, tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["Subject"] = "Lärm"
    mail.set_content("Anbei.")
    mail.add_attachment("Nachts gelten 40 Dezibel.", filename="werte.txt")
    file = tmp_path / "lärm.eml"
    file.write_bytes(mail.as_bytes())
    shell.json("ingest", str(file), "--collection", "post")
    name, within = "lärm.eml / werte.txt", ["--collection", "post"]
    assert shell.json("documents", "show", name, *within)["document"] == name
    assert shell.json("documents", "remove", name, *within)["document"] == name
    assert shell.json("documents", "bin", *within, "--restore", name)["restored"] is True
    assert shell.json("collections", "delete", "post")["deleted"] is True


def test_threads_go_from_question_to_checked_report_at_a_server(
    shell: Shell, desk: Served, tmp_path: Path
) -> None:
    turn = shell.json("ask", QUESTION)
    assert turn == rendered(desk.engine.answers.turns(turn["thread_id"])[0])
    begun = shell.json("research", QUESTION, "--no-clarify")
    thread = begun["thread_id"]
    assert begun["status"] == "waiting"
    assert shell.json("resume", thread, "--approve")["sentences"]
    assert thread in [each["thread_id"] for each in shell.json("runs", "list")["runs"]]
    file = tmp_path / "turn.json"
    file.write_text(json.dumps(turn))
    checked = shell.json("verify", str(file))
    assert checked["ok"] and checked["checked"]
    exported = shell.run("export", thread, "--format", "md")
    assert exported.stdout_bytes == desk.engine.threads.export_report(thread, "md")


def test_documents_are_filed_and_thrown_away_at_a_server(
    shell: Shell, desk: Served, tmp_path: Path
) -> None:
    file = tmp_path / "akte.txt"
    file.write_text("Nachts gilt ein Grenzwert von 40 Dezibel.")
    within = ["--collection", "akten"]
    shell.json("ingest", str(file), *within)
    assert shell.json("jobs", "list")["jobs"][0]["collection"] == "akten"
    filed = shell.json("documents", "edit", file.name, *within, "--tag", "neu", "--author", "Eva")
    assert (filed["tags"], filed["author"]) == (["neu"], "Eva")
    shown = shell.json("documents", "show", file.name, *within)
    assert shown["tags"] == ["neu"] and "outline" in shown
    assert shell.json("documents", "remove", file.name, *within)["removed"] is True
    thrown = shell.json("documents", "bin", *within)["documents"]
    assert [each["document"] for each in thrown] == [file.name]
    assert shell.json("documents", "bin", *within, "--restore", file.name)["restored"] is True
    shell.json("documents", "remove", file.name, *within)
    assert shell.json("documents", "bin", *within, "--empty")["emptied"] is True
    shared = shell.json("collections", "share", "akten", "--visibility", "unlisted")
    eva = shell_for(desk, tmp_path, desk.token("write", "eva"))
    for words, seen in ("subscribe", ["akten"]), ("unsubscribe", []):
        eva.json("collections", words, shared["collection_id"])
        assert [each["name"] for each in eva.json("collections", "list")["collections"]] == seen


def test_answers_are_judged_and_plans_forgotten_at_a_server(
    shell: Shell, desk: Served, tmp_path: Path
) -> None:
    turn = shell.json("ask", QUESTION)
    thread = turn["thread_id"]
    voted = shell.json("feedback", thread, "up", "gut")
    assert voted["up"] and voted["thresholds"]["fast"]["value"] > 0
    listed = shell.json("review", thread, "--note", "0", "nachgesehen", "--sign")
    assert listed == rendered(as_json(desk.engine.reviews.listed(thread)))
    assert listed["signed"]["user"] == "local" and listed["notes"][0]["text"] == "nachgesehen"
    trace = tmp_path / "trace.json"
    assert shell.json("trace", "export", thread, "-o", str(trace))["replies"] == 0
    assert json.loads(trace.read_text()) == as_json(desk.engine.threads.trace(thread))
    research = shell.json("research", QUESTION, "--no-clarify")["thread_id"]
    shell.json("resume", research, "--approve")
    plans = shell.json("plans", "list")["plans"]
    assert plans[0]["thread_id"] == research
    assert shell.json("plans", "show", plans[0]["case_id"]) == plans[0]
    assert shell.json("plans", "forget", plans[0]["case_id"]) == {"forgotten": 1}
    assert shell.json("plans", "forget", "--all", "--yes") == {"forgotten": len(plans) - 1}


def test_the_graph_of_a_server_is_looked_into(shell: Shell, desk: Served) -> None:
    graph = desk.engine.graph
    state = shell.json("graph", "status", "--collection", "laerm")
    assert state["built"] == 1 and state["facts_cost"]["passages"] > 0
    assert shell.json("graph", "show", "§ 2") == as_json(graph.entity("§ 2"))
    ways = shell.json("graph", "path", "§ 2", "§ 3")["paths"]
    assert ways and ways == as_json(graph.paths("§ 2", "§ 3"))
    assert "[LaermG.txt § 2]" in shell.run("graph", "path", "§ 2", "§ 3").output
    assert shell.json("graph", "communities")["communities"] == as_json(graph.communities())


def test_a_question_is_classified_at_a_server(shell: Shell, desk: Served) -> None:
    told = shell.json("classify", QUESTION)
    assert told == desk.engine.answers.classify(QUESTION)
    assert told["language"] == "de" and told["complexity"]["score_rules"] >= 0
    refused = shell.run("classify", QUESTION, "--collection", "nix")
    assert refused.exit_code == 1 and "no collection 'nix'" in refused.output


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(to_jsonable_python(value)))


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("doctor", "The server does not support this (check)"),
        ("config show", "The server does not support this (settings)"),
        ("tokens list", "The server does not support this (tokens)"),
        ("graph build", "The server does not support this (build)"),
        ("watch . --collection x --once", "The server does not support"),
        ("ingest a --collection x --engine ray", "--engine, chunking"),
        ("runs show nix", "nix"),
        ("runs list --token wrong", "token"),
        ("runs list --user eva", "the token decides who you are"),
        ("runs list --server http://127.0.0.1:9", "does not respond"),
    ],
)
def test_what_cannot_be_is_one_line(shell: Shell, words: str, line: str) -> None:
    result = shell.run(*words.split())
    assert result.exit_code != 0 and line in result.output
    assert "Traceback" not in result.output and "unexpected" not in result.output
