"""The proxy of the reading benchmark keeps, replays and shares calls; the scorer counts them."""

import json
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.benchmarks import common
from tests.benchmarks.common import Row
from tests.benchmarks.reading.paced import Served, busy
from tests.benchmarks.reading.proxy import NOBODY, KeptCalls, Kind, Proxy, question_in
from tests.benchmarks.reading.score import Result
from tests.support.openai_server import OpenAIServer

QUESTIONS = common.DATA / "reading_questions.jsonl"
ASKED = [{"id": "r01", "q": "How long?"}, {"id": "r02", "q": "Who pays?"}]


@pytest.fixture
def upstream() -> Iterator[OpenAIServer]:
    with OpenAIServer('{"answered": "no"}') as server:
        yield server


def request(field: str, *, stream: bool = False) -> Row:
    schema: Row = {"properties": {field: {}}}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    message = {"role": "user", "content": "Passages\n\nWho pays?"}
    return {"model": "large", "messages": [message], "response_format": form, "stream": stream}


def served(tmp_path: Path, servers: dict[Kind, str]) -> Proxy:
    proxy = Proxy(0, servers, KeptCalls(tmp_path / "calls.jsonl"), ASKED)
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    return proxy


def post(proxy: Proxy, body: Row) -> str:
    headers = {"Content-Type": "application/json"}
    url, raw = f"{proxy.url}/chat/completions", json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(url, raw, headers), timeout=20) as reply:
        return str(reply.read().decode())


@pytest.mark.parametrize("stream", [False, True])
def test_forwards_by_kind_and_replays_the_same_prompt(
    tmp_path: Path, upstream: OpenAIServer, stream: bool
) -> None:
    servers: dict[Kind, str] = {"words": NOBODY, "reading": upstream.base_url, "verify": NOBODY}
    proxy = served(tmp_path, servers)
    words = json.loads(post(proxy, request("queries")))
    assert json.loads(words["choices"][0]["message"]["content"]) == {"queries": [], "passage": ""}
    assert len(upstream.requests) == 0
    first, second = (post(proxy, request("claims", stream=stream)) for _ in range(2))
    assert "answered" in first and "answered" in second
    assert len(upstream.requests) == 1
    kept = {call.kind: call for call in KeptCalls(tmp_path / "calls.jsonl")}
    assert kept["reading"].reply == '{"answered": "no"}'
    assert kept["reading"].question == "r02"
    proxy.shutdown()


def test_the_last_question_of_a_prompt_counts() -> None:
    assert question_in("Earlier: Who pays?\nNow:  How\nlong?", ASKED) == "r01"
    assert question_in("nothing asked", ASKED) == ""


def test_wilson_interval_of_a_known_share() -> None:
    low, high = common.wilson(9, 10)
    assert (round(low, 3), round(high, 3)) == (0.596, 0.982)


def result(sentences: list[str], read: list[Row]) -> Result:
    question = {
        "id": "r01",
        "gold": [{"document": "a.md", "section": "§ 1", "quote": "ten years"}],
        "must": [["10", "ten"], ["records"]],
    }
    answer = {"sentences": [{"text": text} for text in sentences]}
    return Result(question, {"answer": answer, "read": read}, ())


def test_gold_is_read_only_in_its_own_document() -> None:
    there = {"document": "a.md", "text": "kept for ten\nyears"}
    assert result([], [there]).unread == []
    assert len(result([], [{**there, "document": "b.md"}]).unread) == 1


def test_a_nugget_needs_one_of_its_spellings() -> None:
    assert result(["Records are kept ten years."], []).lacking == []
    assert result(["Kept for long."], []).lacking == [["10", "ten"], ["records"]]


def test_every_answerable_question_has_gold_nuggets_and_a_trap() -> None:
    rows = list(common.read_lines(QUESTIONS))
    assert [row["id"] for row in rows] == [f"r{n:02}" for n in range(1, 67)]
    for row in rows:
        answerable = row["type"] != "unanswerable"
        assert bool(row["gold"]) is bool(row["must"]) is answerable
        assert row["trap"]


def test_seconds_of_calls_that_overlap_count_once() -> None:
    calls = [Served("read", 1.0, 4.0), Served("verify", 3.0, 5.0), Served("verify", 3.5, 3.8)]
    assert busy([*calls, Served("words", 0.0, 0.5)]) == 4.5
