"""Commands at a server say what they say in its home."""

import json
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pydantic_core import to_jsonable_python

from app.cli.main import main
from services.domain import SearchRequest
from services.locale import rendered
from tests.support.api_server import Served, served
from tests.support.desk import QUESTION
from tests.support.shell import Shell


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("server"), api_requests_per_minute=100_000) as desk:
        yield desk


def run(desk: Served, *words: str, token: str | None = None) -> Any:
    env = {"RABBITHOLE_SERVER": desk.url, "RABBITHOLE_TOKEN": token or desk.token("write")}
    return CliRunner().invoke(main, list(words), env=env)


def said(desk: Served, *words: str) -> Any:
    result = run(desk, *words, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_library_commands_work_at_a_server(desk: Served, tmp_path: Path) -> None:
    assert [c["name"] for c in said(desk, "collections", "list")["collections"]] == ["laerm"]
    file = tmp_path / "nacht.txt"
    file.write_text("Nachts gilt ein Grenzwert von 40 Dezibel.")
    taken = said(desk, "ingest", str(file), "--collection", "nacht")
    assert [each["status"] for each in taken["files"]] == ["added"]
    listed = said(desk, "documents", "list", "--collection", "nacht")["documents"]
    assert [each["document"] for each in listed] == ["nacht.txt"]
    found = said(desk, "search", "Grenzwert", "--collection", "nacht")["hits"]
    assert found == [
        hit.model_dump(mode="json", exclude={"text_id"})
        for hit in desk.engine.library.find(
            SearchRequest(query="Grenzwert", collections=("nacht",))
        ).hits
    ]
    said(desk, "collections", "rename", "nacht", "nachts")
    assert said(desk, "collections", "delete", "nachts")["deleted"] is True


def test_the_server_may_stand_before_the_command(desk: Served, tmp_path: Path) -> None:
    server = ("--server", desk.url, "--token", desk.token("read"))
    shell = Shell(tmp_path)
    listed = shell.run(*server, "collections", "list")
    assert listed.exit_code == 0 and "laerm" in listed.stdout
    after = shell.run("--server", "http://127.0.0.1:9", "collections", "list", *server)
    assert after.stdout == listed.stdout, "the command's own option counts"
    local = shell.run(*server, "backup", tmp_path / "home.zip")
    assert local.exit_code == 2 and "leave out --server" in local.stderr


def test_an_attachment_is_taken_out_by_its_name(desk: Served, tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["Subject"] = "Lärm"
    mail.set_content("Anbei.")
    mail.add_attachment("Nachts gelten 40 Dezibel.", filename="werte.txt")
    file = tmp_path / "lärm.eml"
    file.write_bytes(mail.as_bytes())
    said(desk, "ingest", str(file), "--collection", "post")
    name, within = "lärm.eml / werte.txt", ["--collection", "post"]
    assert said(desk, "documents", "show", name, *within)["document"] == name
    assert said(desk, "documents", "remove", name, *within)["document"] == name
    assert said(desk, "documents", "bin", *within, "--restore", name)["restored"] is True
    assert said(desk, "collections", "delete", "post")["deleted"] is True


def test_threads_go_from_question_to_checked_report_at_a_server(
    desk: Served, tmp_path: Path
) -> None:
    turn = said(desk, "ask", QUESTION)
    assert turn == rendered(desk.engine.answers.turns(turn["thread_id"])[0])
    begun = said(desk, "research", QUESTION, "--no-clarify")
    thread = begun["thread_id"]
    assert begun["status"] == "waiting"
    assert said(desk, "resume", thread, "--approve")["sentences"]
    assert thread in [each["thread_id"] for each in said(desk, "runs", "list")["runs"]]
    file = tmp_path / "turn.json"
    file.write_text(json.dumps(turn))
    checked = said(desk, "verify", str(file))
    assert checked["ok"] and checked["checked"]
    exported = run(desk, "export", thread, "--format", "md")
    assert exported.stdout_bytes == desk.engine.threads.export_report(thread, "md")


def test_documents_are_filed_and_thrown_away_at_a_server(desk: Served, tmp_path: Path) -> None:
    file = tmp_path / "akte.txt"
    file.write_text("Nachts gilt ein Grenzwert von 40 Dezibel.")
    within = ["--collection", "akten"]
    said(desk, "ingest", str(file), *within)
    assert said(desk, "jobs", "list")["jobs"][0]["collection"] == "akten"
    filed = said(desk, "documents", "edit", file.name, *within, "--tag", "neu", "--author", "Eva")
    assert (filed["tags"], filed["author"]) == (["neu"], "Eva")
    shown = said(desk, "documents", "show", file.name, *within)
    assert shown["tags"] == ["neu"] and "outline" in shown
    assert said(desk, "documents", "remove", file.name, *within)["removed"] is True
    thrown = said(desk, "documents", "bin", *within)["documents"]
    assert [each["document"] for each in thrown] == [file.name]
    assert said(desk, "documents", "bin", *within, "--restore", file.name)["restored"] is True
    said(desk, "documents", "remove", file.name, *within)
    assert said(desk, "documents", "bin", *within, "--empty")["emptied"] is True
    shared = said(desk, "collections", "share", "akten", "--visibility", "unlisted")
    eva = desk.token("write", "eva")
    for words, seen in ("subscribe", ["akten"]), ("unsubscribe", []):
        run(desk, "collections", words, shared["collection_id"], token=eva)
        listed = json.loads(run(desk, "collections", "list", "--json", token=eva).stdout)
        assert [each["name"] for each in listed["collections"]] == seen


def test_answers_are_judged_and_plans_forgotten_at_a_server(desk: Served, tmp_path: Path) -> None:
    turn = said(desk, "ask", QUESTION)
    thread = turn["thread_id"]
    voted = said(desk, "feedback", thread, "up", "gut")
    assert voted["up"] and voted["thresholds"]["fast"]["value"] > 0
    listed = said(desk, "review", thread, "--note", "0", "nachgesehen", "--sign")
    assert listed == rendered(as_json(desk.engine.reviews.listed(thread)))
    assert listed["signed"]["user"] == "local" and listed["notes"][0]["text"] == "nachgesehen"
    trace = tmp_path / "trace.json"
    assert said(desk, "trace", "export", thread, "-o", str(trace))["replies"] == 0
    assert json.loads(trace.read_text()) == as_json(desk.engine.threads.trace(thread))
    research = said(desk, "research", QUESTION, "--no-clarify")["thread_id"]
    said(desk, "resume", research, "--approve")
    plans = said(desk, "plans", "list")["plans"]
    assert plans[0]["thread_id"] == research
    assert said(desk, "plans", "show", plans[0]["case_id"]) == plans[0]
    assert said(desk, "plans", "forget", plans[0]["case_id"]) == {"forgotten": 1}
    assert said(desk, "plans", "forget", "--all", "--yes") == {"forgotten": len(plans) - 1}


def test_the_graph_of_a_server_is_looked_into(desk: Served) -> None:
    graph = desk.engine.graph
    state = said(desk, "graph", "status", "--collection", "laerm")
    assert state["built"] == 1 and state["facts_cost"]["passages"] > 0
    assert said(desk, "graph", "show", "§ 2") == as_json(graph.entity("§ 2"))
    ways = said(desk, "graph", "path", "§ 2", "§ 3")["paths"]
    assert ways and ways == as_json(graph.paths("§ 2", "§ 3"))
    assert "[LaermG.txt § 2]" in run(desk, "graph", "path", "§ 2", "§ 3").output
    assert said(desk, "graph", "communities")["communities"] == as_json(graph.communities())


def test_a_question_is_classified_at_a_server(desk: Served) -> None:
    told = said(desk, "classify", QUESTION)
    assert told == desk.engine.answers.classify(QUESTION)
    assert told["language"] == "de" and told["complexity"]["score_rules"] >= 0
    refused = run(desk, "classify", QUESTION, "--collection", "nix")
    assert refused.exit_code == 1 and "no collection 'nix'" in refused.output


def as_json(value: Any) -> Any:
    return json.loads(json.dumps(to_jsonable_python(value)))


@pytest.mark.parametrize(
    ("words", "token", "line"),
    [
        (["doctor"], None, "The server does not support this (check)"),
        (["config", "show"], None, "The server does not support this (settings)"),
        (["tokens", "list"], None, "The server does not support this (tokens)"),
        (["graph", "build"], None, "The server does not support this (build)"),
        (["watch", ".", "--collection", "x", "--once"], None, "The server does not support"),
        (["ingest", "a", "--collection", "x", "--engine", "ray"], None, "--engine, chunking"),
        (["runs", "show", "nix"], None, "nix"),
        (["runs", "list"], "wrong", "token"),
        (["runs", "list", "--user", "eva"], None, "the token decides who you are"),
        (["runs", "list", "--server", "http://127.0.0.1:9"], None, "does not respond"),
    ],
)
def test_what_cannot_be_is_one_line(
    desk: Served, words: list[str], token: str | None, line: str
) -> None:
    result = run(desk, *words, token=token)
    assert result.exit_code != 0 and line in result.output
    assert "Traceback" not in result.output and "unexpected" not in result.output
