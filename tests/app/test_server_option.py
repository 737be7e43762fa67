"""Commands at a server say what they say in its home."""

import json
from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from app.cli.main import main
from services.locale import rendered
from tests.support.api_server import Served, served
from tests.support.desk import QUESTION
from tests.support.trap import Trap


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
        for hit in desk.engine.library.search("Grenzwert", collections=["nacht"])
    ]
    said(desk, "collections", "rename", "nacht", "nachts")
    assert said(desk, "collections", "delete", "nachts")["deleted"] is True


def test_an_attachment_is_taken_out_by_its_name(desk: Served, tmp_path: Path) -> None:
    mail = EmailMessage()
    mail["Subject"] = "Lärm"
    mail.set_content("Anbei.")
    mail.add_attachment("Nachts gelten 40 Dezibel.", filename="werte.txt")
    file = tmp_path / "lärm.eml"
    file.write_bytes(mail.as_bytes())
    said(desk, "ingest", str(file), "--collection", "post")
    gone = said(desk, "documents", "remove", "lärm.eml / werte.txt", "--collection", "post")
    assert gone["document"] == "lärm.eml / werte.txt"
    assert said(desk, "collections", "delete", "post")["deleted"] is True


def test_an_address_is_fetched_by_the_server_under_its_rules(desk: Served) -> None:
    with Trap() as trap:
        result = run(desk, "ingest", trap.address, "--collection", "laerm")
        both = run(desk, "ingest", trap.address, "law.txt", "--collection", "laerm")
    assert result.exit_code == 1 and "local network" in result.stdout
    assert both.exit_code == 1 and "not both" in both.stderr
    assert trap.asked == []


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


@pytest.mark.parametrize(
    ("words", "token", "line"),
    [
        (["plans", "list"], None, "A server cannot be asked for this (plans)"),
        (["runs", "show", "nix"], None, "nix"),
        (["runs", "list"], "wrong", "token"),
        (["runs", "list", "--user", "eva"], None, "the token says who acts"),
        (["runs", "list", "--server", "http://127.0.0.1:9"], None, "does not answer"),
    ],
)
def test_what_cannot_be_is_one_line(
    desk: Served, words: list[str], token: str | None, line: str
) -> None:
    result = run(desk, *words, token=token)
    assert result.exit_code != 0 and line in result.output
    assert "Traceback" not in result.output and "unexpected" not in result.output
