"""Clients that others wrote: the ``openai`` package, and the ``mcp`` package by both transports."""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from tests.support.api_server import Served, served
from tests.support.app_server import ROOT
from tests.support.assistant import over_http, said
from tests.support.desk import QUESTION
from tests.support.shell import Shell

if TYPE_CHECKING:  # both take long to load, and only these tests need them
    import openai
    from mcp import Client
    from mcp_types import ElicitResult

TOOLS = {
    "search",
    "ask",
    "research",
    "open_citation",
    "verify_report",
    "grid",
    "grid_cell",
    "sweep",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(tmp_path_factory.mktemp("clients")) as desk:
        yield desk


@pytest.fixture(scope="module")
def chat(desk: Served) -> "openai.OpenAI":
    import openai

    return openai.OpenAI(base_url=f"{desk.url}/v1", api_key=desk.token("read"), max_retries=0)


def test_openai_finds_collections_as_models_and_answers_with_places(
    desk: Served, chat: "openai.OpenAI"
) -> None:
    assert [each.id for each in chat.models.list()] == ["all", "laerm"]
    asked: list[Any] = [
        {"role": "system", "content": "Say what you like."},
        {"role": "user", "content": [{"type": "text", "text": QUESTION}]},
    ]
    answer = chat.chat.completions.create(model="laerm", messages=asked).choices[0].message
    text = answer.content or ""
    assert "70 Dezibel" in text and "[1] LärmG § 2: »" in text
    assert answer.annotations
    for each in answer.annotations:
        place = each.url_citation
        assert text[place.start_index : place.end_index].startswith("[")
        with desk_client(desk) as http:
            quote = http.get(place.url).json()["text"]
        assert " ".join(quote.split()) in " ".join(text.split())
    follow_up = [*asked, {"role": "assistant", "content": text}]
    follow_up.append({"role": "user", "content": "Und wer misst das?"})
    again = chat.chat.completions.create(model="laerm", messages=follow_up).choices[0].message
    thread = text.rsplit("`thread ", 1)[1].split("/")[0]
    assert f"`thread {thread}/2`" in (again.content or "")
    other = chat.chat.completions.create(model="all", messages=asked[1:]).choices[0].message
    assert thread not in (other.content or "")


def test_openai_asks_the_model_that_a_request_names(desk: Served, chat: "openai.OpenAI") -> None:
    desk.engine.library.create_collection("more")
    asked: list[Any] = [{"role": "user", "content": QUESTION}]
    threads = {}
    for model in ("laerm", "all", "all", "laerm"):
        answer = chat.chat.completions.create(model=model, messages=asked).choices[0].message
        asked += [{"role": "assistant", "content": answer.content}, asked[0]]
        thread, turn = (answer.content or "").rsplit("`thread ", 1)[1].rstrip("`").split("/")
        threads[thread, turn] = set(desk.engine.threads.run(thread).collections)
    desk.engine.library.delete_collection("more")
    assert list(threads.values()) == [{"laerm"}, {"laerm", "more"}, {"laerm", "more"}, {"laerm"}]
    assert [turn for _, turn in threads] == ["1", "1", "2", "1"]


def desk_client(desk: Served) -> Any:
    headers = {"Authorization": f"Bearer {desk.token('read')}"}
    return httpx2.Client(headers=headers, timeout=60)


def test_openai_streams_the_checked_answer_apart_from_the_draft(chat: "openai.OpenAI") -> None:
    import openai

    asked: list[Any] = [{"role": "user", "content": QUESTION}]
    whole = chat.chat.completions.create(model="laerm", messages=asked).choices[0].message.content
    pieces = list(
        chat.chat.completions.create(
            model="laerm", messages=asked, stream=True, stream_options={"include_usage": True}
        )
    )
    deltas = [each.choices[0].delta for each in pieces if each.choices]
    said = "".join(each.content or "" for each in deltas)
    assert said.rsplit("`", 2)[0] == (whole or "").rsplit("`", 2)[0]
    assert any(getattr(each, "reasoning_content", None) for each in deltas)
    assert getattr(deltas[-1], "annotations", None) and pieces[-1].usage is not None
    with pytest.raises(openai.NotFoundError, match="no collection"):
        chat.chat.completions.create(model="nix", messages=asked)


NUL = "Grenz\0wert"
"""PostgreSQL keeps no text with it: it is to be refused before anything is asked there."""


@pytest.mark.parametrize("content", [NUL, [{"type": "text", "text": NUL}]])
def test_openai_refuses_what_no_catalog_can_keep(chat: "openai.OpenAI", content: Any) -> None:
    import openai

    asked: list[Any] = [{"role": "user", "content": content}]
    with pytest.raises(openai.UnprocessableEntityError):
        chat.chat.completions.create(model="laerm", messages=asked)


PIXEL = "![pixel](http://evil.example/p.png) <img src=x onerror=alert(1)> [a](http://evil.example)"
NIGHT = f"In der Nacht gilt ein Grenzwert von 40 Dezibel {PIXEL}."


async def test_no_markup_of_a_document_passes_to_a_client(tmp_path: Path) -> None:
    import openai

    with served(tmp_path / "home") as desk:
        (file := tmp_path / "Nacht.txt").write_text(NIGHT, encoding="utf-8")
        desk.engine.library.ingest([file], "nacht")
        chat = openai.OpenAI(base_url=f"{desk.url}/v1", api_key=desk.token("read"), max_retries=0)
        asked: list[Any] = [{"role": "user", "content": "Welcher Grenzwert gilt in der Nacht?"}]
        whole = chat.chat.completions.create(model="nacht", messages=asked).choices[0].message
        deltas = chat.chat.completions.create(model="nacht", messages=asked, stream=True)
        pieces = [each.choices[0].delta for each in deltas if each.choices]
        drafted = "".join(getattr(each, "reasoning_content", None) or "" for each in pieces)
        streamed = "".join(each.content or "" for each in pieces)
        async with over_http(desk, "write") as client:
            result = await client.call_tool("ask", {"question": asked[0]["content"]})
            told = result.content[0].text
        assert PIXEL in json.loads(told)["citations"][0]["quote"], "as it stands in the document"
    for text in (whole.content or "", streamed, drafted, told):
        assert "pixel" in text and not re.search(r"(?<!\\)(\]\(|<img)|://", text), text


async def test_mcp_refuses_what_no_catalog_can_keep(desk: Served) -> None:
    async with over_http(desk, "write") as client:
        for tool, sent in (
            ("search", {"query": NUL}),
            ("search", {"query": "Grenzwert", "documents": [NUL]}),
            ("research", {"question": NUL}),
            ("open_citation", {"document": NUL, "start": 0, "end": 1}),
        ):
            assert (await client.call_tool(tool, sent)).is_error, sent


async def fill_in(_: Any, form: Any) -> "ElicitResult":
    """A person who clarifies nothing and approves."""
    from mcp_types import ElicitResult

    fields = form.requested_schema["properties"]
    content = {"answer": "/end"} if "answer" in fields else {"approve": True}
    return ElicitResult(action="accept", content=content)


async def look_around(client: "Client", document: str) -> None:
    """All that needs no person, by any transport."""
    assert {each.name for each in (await client.list_tools()).tools} == TOOLS
    found = await said(client, "search", query="Grenzwert für Beschäftigte", k=2)
    assert 0 < len(found["hits"]) <= 2
    answer = await said(client, "ask", question=QUESTION)
    citation = answer["citations"][0]
    place = {name: citation[name] for name in ("start", "end")}
    opened = await said(client, "open_citation", document=citation["document_id"], **place)
    assert opened["text"] == citation["quote"] and opened["text"] in opened["around"]
    checked = await said(client, "verify_report", thread_id=answer["thread_id"])
    assert checked["ok"] and checked["checked"]
    text = (await client.read_resource(f"document://{document}")).contents[0].text
    assert "85 Dezibel" in text
    assert document in (await client.read_resource("documents://all")).contents[0].text
    report = (await client.read_resource(f"report://{answer['thread_id']}")).contents[0].text
    assert "70 Dezibel" in report


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_mcp_over_http_asks_its_person_and_tells_of_progress(desk: Served, mode: str) -> None:
    told: list[str] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        told.append(message or "")

    async with over_http(desk, "write", mode=mode, elicitation_callback=fill_in) as client:
        await look_around(client, "LaermG.txt")
        arguments = {"question": QUESTION}
        result = await client.call_tool(
            "research", arguments, progress_callback=progress, read_timeout_seconds=240
        )
        assert not result.is_error, result.content
        run = json.loads(result.content[0].text)
        assert run["status"] == "done" and run["report"]["sentences"]
        assert {"plan", "extract"} <= set(told)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_mcp_shows_a_form_once_to_a_person_who_declines(desk: Served, mode: str) -> None:
    from mcp_types import ElicitResult

    forms: list[Any] = []

    async def decline(_: Any, form: Any) -> ElicitResult:
        forms.append(form)
        return ElicitResult(action="decline")

    async with over_http(desk, "write", mode=mode, elicitation_callback=decline) as client:
        waits = await said(client, "research", question=QUESTION, clarify=False)
    assert waits["status"] == "waiting" and waits["pending"]["items"] and len(forms) == 1


async def test_mcp_without_a_form_or_the_scope(desk: Served) -> None:
    async with over_http(desk, "write") as client:
        waits = await said(client, "research", question=QUESTION, clarify=False)
        assert waits["status"] == "waiting" and waits["pending"]["items"]
        known = {"thread_id": waits["thread_id"]}
        done = await said(client, "research", **known, reply="approve")
        assert done["status"] == "done" and done["report"]
    async with over_http(desk, "read") as client:
        refused = await client.call_tool("research", {"question": QUESTION})
        assert refused.is_error and "scope write" in refused.content[0].text
        missing = await client.call_tool("ask", {"question": "?", "collections": ["nix"]})
        assert missing.is_error and missing.content[0].text.count("not-found: There is no") == 1
    async with httpx2.AsyncClient() as http:
        assert (await http.post(f"{desk.url}/mcp", json={})).status_code == 401


async def test_mcp_over_stdio(own_shell: Shell, tmp_path: Path) -> None:
    from mcp import Client, StdioServerParameters

    environment = {
        **os.environ,
        "RABBITHOLE_HOME": str(own_shell.home),
        "RABBITHOLE_LLM": "none",
        "PYTHONPATH": str(ROOT),
    }
    command = StdioServerParameters(
        command=sys.executable,
        args=["-m", "app.cli.main", "mcp"],
        env=environment,
        cwd=str(tmp_path),
    )
    async with Client(command, read_timeout_seconds=120) as client:
        await look_around(client, "LaermG.txt")
