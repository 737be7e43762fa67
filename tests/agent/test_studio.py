"""The graphs as LangGraph's development server runs them: JSON in, its own checkpoints."""

from pathlib import Path
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer
from langgraph.types import Command

from agent.engine.engine import connect_to
from agent.studio import Graph, ask_graph, research_graph
from services.build import Services
from services.domain import Principal
from tests.support.desk import LAW, QUESTION, make_services

CONFIG: Any = {"configurable": {"thread_id": "t"}}


def with_the_law(home: Path) -> Services:
    services, law = make_services(home), home / "LaermG.txt"
    law.write_text(LAW, encoding="utf-8")
    connect_to(services, Principal()).library.ingest([law], "laerm")
    return services


def kept(graph: Graph) -> Graph:
    """With checkpoints whose serializer believes what it reads, as the server's does."""
    serde = JsonPlusSerializer(allowed_msgpack_modules=True)
    return graph.copy({"checkpointer": InMemorySaver(serde=serde)})


async def run(graph: Graph, entry: Any) -> Any:
    """Streams as the server does; the state after it."""
    async for _ in graph.astream(entry, CONFIG, stream_mode=["updates"], context=None):
        pass
    return await graph.aget_state(CONFIG)


async def test_a_conversation_goes_on_by_the_servers_checkpoints(tmp_path: Path) -> None:
    services = with_the_law(tmp_path)
    graph = kept(ask_graph(lambda: services))
    first = await run(graph, {"question": QUESTION})
    assert "70 Dezibel" in first.values["answer"].answer
    second = await run(graph, {"question": "Und wer misst den Lärm?"})
    assert second.values["conversation"][0].question == QUESTION
    assert second.values["turn"] == 2 and services.catalog.runs.kinds() == []


async def test_a_research_asks_and_is_resumed(tmp_path: Path) -> None:
    services = with_the_law(tmp_path)
    graph = kept(research_graph(lambda: services))
    asked = await run(graph, {"query": QUESTION, "options": {"clarify": False}})
    assert asked.interrupts[0].value["interrupt"] == "plan"
    done = await run(graph, Command(resume={"items": None}))
    assert done.next == () and done.values["final_report"].sentences
