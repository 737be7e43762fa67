"""Embedding and reranking through a server that speaks Ollama's protocol, from the command line."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.cli.main import main
from tests.support.desk import LAW
from tests.support.loopback import Body
from tests.support.ollama_server import OllamaServer

QUERY = "Grenzwert des Lärms für Beschäftigte"


def marks(body: Body) -> str:
    """Best mark for the passage of § 4, whatever the question."""
    prompt = body["messages"][-1]["content"]
    places = re.findall(r"^Stelle (p\d+): (.*)", prompt, re.MULTILINE)
    return json.dumps({name: 9 if "§ 4 Messung" in text else 2 for name, text in places})


@pytest.fixture
def server() -> Iterator[OllamaServer]:
    with OllamaServer(marks, models=("all-minilm:latest", "qwen3:14b")) as server:
        yield server


class Desk:
    """One home, one server; every command a client of its own."""

    def __init__(self, home: Path, server: OllamaServer) -> None:
        self.env = {
            "RABBITHOLE_HOME": str(home),
            "RABBITHOLE_OLLAMA_URL": server.url,
            "RABBITHOLE_EMBEDDING": "ollama:all-minilm",
            "RABBITHOLE_LLM": "ollama:qwen3:14b",
        }

    def run(self, *arguments: object, **env: str) -> Result:
        return CliRunner().invoke(main, [str(each) for each in arguments], env=self.env | env)

    def search(self, **env: str) -> dict[str, Any]:
        result = self.run("search", QUERY, "--json", **env)
        assert result.exit_code == 0, result.stderr
        found: dict[str, Any] = json.loads(result.stdout.strip().splitlines()[-1])
        return found


@pytest.fixture
def desk(tmp_path: Path, server: OllamaServer) -> Desk:
    desk = Desk(tmp_path / "home", server)
    law = tmp_path / "LaermG.txt"
    law.write_text(LAW, encoding="utf-8")
    done = desk.run("ingest", law, "--collection", "laerm", "--language", "de")
    assert done.exit_code == 0, done.stderr
    return desk


def test_ollama_embeds_documents_and_questions(desk: Desk, server: OllamaServer) -> None:
    found = desk.search(RABBITHOLE_LLM="none")
    assert found["hits"][0]["section"] == "§ 2" and "vector" in found["hits"][0]["explain"]
    sent = [text for body in server.requests for text in body["input"]]
    assert QUERY in sent and any("85 Dezibel" in text for text in sent)


def test_another_version_of_the_model_is_not_taken_for_the_same(
    desk: Desk, server: OllamaServer
) -> None:
    server.digest = "f" * 64
    refused = desk.run("search", QUERY, RABBITHOLE_LLM="none")
    assert refused.exit_code == 1 and "RABBITHOLE_EMBEDDING" in refused.stderr


def test_without_the_model_the_command_says_what_to_pull(
    desk: Desk, server: OllamaServer, tmp_path: Path
) -> None:
    (tmp_path / "b.txt").write_text("Noch ein Text.")
    missing = {"RABBITHOLE_EMBEDDING": "ollama:bge-m3"}
    done = desk.run("ingest", tmp_path / "b.txt", "--collection", "other", **missing)
    assert done.exit_code == 1 and "ollama pull bge-m3" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_language_model_reranks_a_search(desk: Desk, server: OllamaServer) -> None:
    assert desk.run("config", "set", "minRelevanceScore", "0").exit_code == 0
    plain = desk.search()
    assert desk.run("config", "set", "reranking", "llm").exit_code == 0
    found = desk.search()
    assert plain["hits"][0]["section"] != "§ 4" and found["hits"][0]["section"] == "§ 4"
    assert found["hits"][0]["explain"]["rerank"] == {"rank": 1, "score": 0.9}
    assert {h["chunk_id"] for h in found["hits"]} == {h["chunk_id"] for h in plain["hits"]}
    assert found["warnings"] == []
    shown = desk.run("search", QUERY).stdout
    assert "rerank #1" in shown.splitlines()[0]
    server.fault = "bad_json"
    failed = desk.search()
    assert [h["chunk_id"] for h in failed["hits"]] == [h["chunk_id"] for h in plain["hits"]]
    assert len(failed["warnings"]) == 1 and "Reranking (llm) failed" in failed["warnings"][0]
