"""What a thread of an older version kept is read under the names that its types have now."""

import asyncio
import importlib
from pathlib import Path
from typing import Any

import ormsgpack
import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import empty_checkpoint
from pydantic import BaseModel, SecretStr
from sqlalchemy.engine import URL

from agent.ask.models import PastTurn, Reply, RetrievalSummary
from agent.ask.react.values import Searched
from agent.engine.checkpoints import MOVED, RENAMED, before_steps, open_checkpoints
from agent.models import PreservedQuote, QueryAnalysis, Report, SectionDraft
from agent.research.graph import build_research_graph
from services.catalog import StaleLease
from services.domain import Citation, Evidence, TaskUsage
from services.settings import Settings
from tests.support import postgres

PYDANTIC_V2 = 5
"""Code of LangGraph's extension type for models of pydantic 2."""

PLACE = {
    "chunk_id": "c", "document_id": "d", "document": "StrlSchG.pdf", "section": "§ 78", "page": 49,
    "start": 10, "end": 50,
}  # fmt: skip
FOUND = {
    "tier": 1, "weight": 1.0, "score": 0.9, "depth": 0, "source_type": "graph", "task_id": 1,
    "query": "q", "rank": 1, "way": "§ 1 › § 78", "led_from": "b", "status": "dropped",
    "relevance": 0.2, "reason": "too far",
}  # fmt: skip
CITATION = {
    "document": "StrlSchG.pdf", "document_id": "d", "page": 49, "section": "§ 78", "start": 10,
    "end": 50, "quote": "Der Grenzwert beträgt 20 Millisievert.", "verified": True,
    "case": {"text": "Für Beschäftigte", "start": 0, "end": 9}, "heading": "", "recognised": False,
}  # fmt: skip
SENTENCE = {
    "text": CITATION["quote"], "supported": True, "citations": [CITATION], "standing": "quote",
    "reason": "", "decisive": [], "closest": False,
}  # fmt: skip
QUOTE = {
    "quote": CITATION["quote"], "relevance_reason": "limits", "task_id": 1, "rank": 1,
    "score": 0.9, "case": CITATION["case"],
}  # fmt: skip
SUMMARY = {
    "searches": ["q"], "results": 1, "relevance": 0.9, "coverage": 0.5, "named": False,
    "from_cache": False, "cache": {"size": 0, "hits": 0, "misses": 0, "hit_rate": 0.0},
    "nearest": ["StrlSchG § 78"], "graph": None,
}  # fmt: skip
REPORT = {
    "answer": "a", "opening": "", "sentences": [SENTENCE], "findings": [], "sources": [],
    "gaps": [], "warnings": [], "degraded": [], "certainty": "answered", "standings": {"quote": 1},
    "parts": [],
}  # fmt: skip
KEPT = [
    ("services.types.answers", "TaskUsage", TaskUsage, {"task": "plan", "model_calls": 1}),
    ("services.domain.answers", "TaskUsage", TaskUsage, {"task": "plan", "model_calls": 1}),
    ("services.domain.passages", "Evidence", Evidence, PLACE | FOUND),
    ("agent.models", "ContextEntry", Evidence, PLACE | FOUND),
    ("agent.models", "PreservedQuote", PreservedQuote, PLACE | QUOTE),
    ("agent.models", "FinalReport", Report, REPORT),
    ("agent.models", "SectionDraft", SectionDraft, {"heading": "", "sentences": [SENTENCE]}),
    ("agent.ask.models", "Found", RetrievalSummary, SUMMARY),
    ("agent.ask.models", "Reply", Reply, {"sentences": [SENTENCE], "certainty": "answered"}),
]


@pytest.mark.parametrize(("module", "name", "type_", "fields"), KEPT)
def test_a_type_is_restored_by_its_name_of_then_and_now(
    module: str, name: str, type_: type[BaseModel], fields: dict[str, Any], tmp_path: Path
) -> None:
    restored = read_back((module, name, fields), type_, tmp_path)
    assert type(restored) is type_
    assert restored.model_dump(mode="json", include=set(fields)) == fields
    for sentence in getattr(restored, "sentences", ()):
        assert isinstance(sentence.citations[0], Citation)


@pytest.mark.parametrize(
    ("type_", "fields", "gone"),
    [
        (
            QueryAnalysis,
            {"original_query": "q", "entities": ["dose"], "scope": "law", "facets": ["q"]},
            {"key_concepts": ["dose"]},
        ),
        (PastTurn, {"question": "q", "names": [], "answer": "a"}, {"places": ["§ 78"]}),
        (Searched, {"query": "dose"}, {"results": 3, "named": False}),
    ],
)
def test_a_field_that_only_an_older_version_knew_is_ignored(
    type_: type[BaseModel], fields: dict[str, Any], gone: dict[str, Any], tmp_path: Path
) -> None:
    restored = read_back((type_.__module__, type_.__name__, fields | gone), type_, tmp_path)
    assert restored == type_.model_validate(fields)


def read_back(value: tuple[str, str, dict[str, Any]], type_: type[BaseModel], path: Path) -> Any:
    """A value that an older version kept, as it is restored: module, name and fields of then."""
    extension = ormsgpack.packb((*value, "model_validate_json"))
    kept = ormsgpack.packb({"kept": ormsgpack.Ext(PYDANTIC_V2, extension)})

    async def read() -> dict[str, Any]:
        async with open_checkpoints(Settings(home=path)) as saver:
            serde = saver.serde.with_msgpack_allowlist([type_])  # type: ignore[attr-defined]
            found: dict[str, Any] = serde.loads_typed(("msgpack", kept))
            return found

    return asyncio.run(read())["kept"]


def test_the_graph_restores_evidence_under_its_former_name(tmp_path: Path) -> None:
    extension = ormsgpack.packb(("agent.models", "ContextEntry", PLACE | FOUND, ""))
    kept = ormsgpack.packb(ormsgpack.Ext(PYDANTIC_V2, extension))

    async def read() -> object:
        async with open_checkpoints(Settings(home=tmp_path)) as saver:
            serde = build_research_graph(saver).checkpointer.serde  # type: ignore[union-attr]
            return serde.loads_typed(("msgpack", kept))

    assert asyncio.run(read()) == Evidence.model_validate(PLACE | FOUND)


def test_every_moved_type_is_where_it_is_said_to_be() -> None:
    for new in MOVED.values():
        importlib.import_module(new)
    for module, name in RENAMED.values():
        assert hasattr(importlib.import_module(module), name)


@postgres.needs_postgres
async def test_a_step_of_a_thread_that_others_drive_is_not_kept(postgresql: URL) -> None:
    with postgres.database(postgresql) as address:
        await refuses_steps(Settings(database=SecretStr(address)))


async def test_a_step_whose_events_cannot_be_kept_is_not_kept(tmp_path: Path) -> None:
    await refuses_steps(Settings(home=tmp_path))


async def refuses_steps(settings: Settings) -> None:
    """No step is kept where what is to be done before fails."""

    def passed() -> None:
        raise StaleLease("another process drives it")

    thread = {"thread_id": "t", "checkpoint_ns": ""}
    written: RunnableConfig = {"configurable": {**thread, "checkpoint_id": "1"}}
    async with open_checkpoints(settings) as saver:
        with before_steps(passed):
            with pytest.raises(StaleLease):
                await saver.aput({"configurable": thread}, empty_checkpoint(), {}, {})
            with pytest.raises(StaleLease):
                await saver.aput_writes(written, [("found", 1)], "task")
        assert [each async for each in saver.alist(None)] == []
        await saver.aput({"configurable": thread}, empty_checkpoint(), {}, {})
        assert len([each async for each in saver.alist(None)]) == 1
