"""A client that plays a scripted research session: no stores, no graph, no waiting.

The script is cut at the points where a person is asked. While the run works, every look at it
moves it by ``pace`` events; 0 freezes it.
"""

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from agent.engine.reports import ResearchReport, read_report
from agent.models import RunOptions
from agent.research.checkpoint_info import CheckpointInfo
from services.domain import (
    CacheStatistics,
    CollectionInfo,
    DocumentInfo,
    FileOutcome,
    Hit,
    IngestReport,
    Principal,
    SearchRequest,
    SearchResult,
    StrategyScore,
    Value,
)
from services.domain.errors import AlreadyAnswered, InvalidInput, NotFound, RabbitholeError
from services.domain.events import (
    DocumentProgress,
    Event,
    EventKey,
    EventRecord,
    EvidenceRestored,
    Phase,
    PlanItem,
    RunFinished,
    Waiting,
)
from services.export.formats import export_report
from tests.support import played_report, played_session
from tests.support.fake_ask import FakeAsk
from tests.support.fake_documents import FakeDocuments
from tests.support.fake_library import FakeLibrary
from tests.support.fake_settings import FakeSettings

NOW = "2026-11-21T22:30:00+00:00"


class FakeRun(Value):
    thread_id: str
    question: str
    title: str | None = None
    parent_thread: str | None = None
    kind: str = "research"
    collections: tuple[str, ...] = ("strahlenschutz",)
    options: dict[str, Any] = Field(default_factory=lambda: {"max_iterations": 5})
    status: str = "running"
    phase: str | None = None
    pending: Waiting | None = None
    error: str | None = None
    created_at: str = NOW
    updated_at: str = NOW


class FakeCost(Value):
    seconds: float = 92.5
    tokens: int = 17440


PAST: tuple[tuple[str, Phase, int, int, int], ...] = (
    ("hitl_generate_questions", "clarify", 1, 0, 12),
    ("hitl_approve_todo", "plan", 2, 3, 12),
    ("execute_task", "extract", 2, 3, 12),
    ("validate_relevance", "validate", 2, 3, 31),
    ("attribute_sources", "attribute", 2, 3, 27),
)
"""Checkpoints of a played session: next node, phase, rounds, tasks, evidence."""


class FakeClient(FakeSettings, FakeDocuments, FakeLibrary, FakeAsk):
    """Plays ``played_session`` for every thread. ``calls`` keeps what was asked of it."""

    def __init__(
        self,
        *,
        documents: bool = True,
        pace: int = 1000,
        hostile: bool = False,
        principal: Principal | None = None,
    ) -> None:
        FakeSettings.__init__(self, principal)
        FakeLibrary.__init__(self)
        FakeAsk.__init__(self)
        self.pace = pace
        self.calls: list[tuple[Any, ...]] = []
        self.fail_with: RabbitholeError | None = None
        self.refuse: RabbitholeError | None = None
        self.script = played_session.script(hostile=hostile)
        self._hostile = hostile
        self._documents = documents
        self._runs: dict[str, FakeRun] = {}
        self._events: dict[str, list[EventRecord]] = {}
        self._rest: dict[str, list[Event]] = {}
        self._segment: dict[str, int] = {}
        self._drafts: dict[tuple[str, str], dict[str, Any]] = {}
        self._seq = itertools.count(1)

    owner = True

    @property
    def library(self) -> "FakeClient":
        """One fake plays every part of an engine."""
        return self

    threads = answers = graph = settings = library

    def _check(self) -> None:
        if self.fail_with is not None:
            raise self.fail_with

    def _update(self, thread_id: str, **changes: Any) -> None:
        self._runs[thread_id] = self._runs[thread_id].model_copy(update=changes)

    # Reading

    def model_name(self) -> str:
        return "qwen3:14b (Ollama)"

    def collections(self) -> list[CollectionInfo]:
        if not self._documents:
            return []
        return [
            CollectionInfo(
                collection_id="c1",
                name="strahlenschutz",
                owner="local",
                description="",
                visibility="private",
                documents=2,
                chunks=1310,
                content_version=1,
            )
        ]

    def documents(self, collection: str | None = None) -> list[DocumentInfo]:
        rows = [("StrlSchG.pdf", "Strahlenschutzgesetz", 136), ("UVSV.txt", "UV-Schutz", None)]
        return [
            DocumentInfo(
                document_id=name,
                document=name,
                title=title,
                pages=pages,
                sections=218,
                chunks=655,
                status="indexed",
                sha256="ab" * 32,
                ingested_at=NOW,
                language="de",
                parser_version="1",
            )
            for name, title, pages in rows
        ]

    def run(self, thread_id: str) -> FakeRun:
        self._check()
        if thread_id not in self._runs:
            raise NotFound(f"There is no thread {thread_id!r} among your runs.")
        if self._runs[thread_id].status == "running":
            self._advance(thread_id, self.pace)
        return self._runs[thread_id]

    def runs(self) -> list[FakeRun]:
        return list(self._runs.values())

    def active(self) -> list[FakeRun]:
        return [run for run in self.runs() if run.status in ("queued", "running")]

    def report(self, thread_id: str) -> dict[str, Any] | None:
        run = self._runs[thread_id]
        if run.status not in ("done", "cancelled"):
            return None
        if run.kind == "ask":
            return {"thread_id": thread_id, "turns": self.turns(thread_id)}
        return played_report.report(thread_id, run.question, hostile=self._hostile)

    def research_report(self, thread_id: str) -> ResearchReport | None:
        kept = self.report(thread_id)
        return None if kept is None else read_report(kept)

    def export_report(self, thread_id: str, format_name: str) -> bytes:
        self.calls.append(("export", thread_id, format_name))
        self._check()
        report = self.report(thread_id)
        assert report is not None
        return export_report(report, format_name, date=NOW[:10])

    def events(self, thread_id: str, after: int = 0) -> list[EventRecord]:
        page = [record for record in self._events[thread_id] if record.seq > after]
        return page[:500]

    def poll(self, thread_id: str, after: int = 0) -> tuple[FakeRun, list[EventRecord]]:
        return self.run(thread_id), self.events(thread_id, after)

    # Doing

    def start(
        self,
        question: str,
        *,
        collections: Sequence[str] | None = None,
        options: RunOptions | None = None,
        thread_id: str | None = None,
    ) -> str:
        self.calls.append(("start", question, collections, options))
        self._check()
        if not question.strip():
            raise InvalidInput("The question is empty. Ask something.")
        thread_id = thread_id or f"t{len(self._runs) + 1}"
        self._runs[thread_id] = FakeRun(thread_id=thread_id, question=question)
        self._events[thread_id] = []
        self._segment[thread_id] = -1
        self._next_segment(thread_id)
        return thread_id

    def answer(self, thread_id: str, interrupt_id: str, text: str) -> None:
        self.calls.append(("answer", thread_id, interrupt_id, text))
        self._reply(thread_id, interrupt_id)
        if self._runs[thread_id].kind == "ask":
            self._update(thread_id, status="running", pending=None)
            return
        if text == "/end":
            self._segment[thread_id] = played_session.PLAN_SEGMENT - 1
        self._next_segment(thread_id)

    def approve(
        self, thread_id: str, interrupt_id: str, items: Sequence[PlanItem] | None = None
    ) -> None:
        self.calls.append(("approve", thread_id, interrupt_id, items))
        self._reply(thread_id, interrupt_id)
        self._next_segment(thread_id)

    def keep_draft(self, thread_id: str, interrupt_id: str, draft: dict[str, Any]) -> None:
        self._drafts[thread_id, interrupt_id] = draft

    def draft(self, thread_id: str, interrupt_id: str) -> dict[str, Any] | None:
        return self._drafts.get((thread_id, interrupt_id))

    def _reply(self, thread_id: str, interrupt_id: str) -> None:
        self._check()
        pending = self._runs[thread_id].pending
        if pending is None or pending.interrupt_id != interrupt_id:
            raise AlreadyAnswered("This question was answered before; the thread went on.")

    def resume(self, thread_id: str) -> None:
        self.calls.append(("resume", thread_id))
        self._update(thread_id, status="running", error=None)

    def pause(self, thread_id: str) -> None:
        self.calls.append(("pause", thread_id))
        self._update(thread_id, status="paused")

    def cancel(self, thread_id: str) -> None:
        self.calls.append(("cancel", thread_id))
        self._update(thread_id, status="cancelled", pending=None)

    def restore_evidence(self, thread_id: str, chunk_ids: Sequence[str]) -> None:
        self.calls.append(("restore_evidence", thread_id, tuple(chunk_ids)))
        self._check()
        self._rest[thread_id] = [
            *(EvidenceRestored(chunk_id=c, document="StrlSchG.pdf", section="") for c in chunk_ids),
            RunFinished(status="done"),
        ]
        self._update(thread_id, status="running")

    def costs(self) -> dict[str, FakeCost]:
        self.calls.append(("run_costs",))
        return {name: FakeCost() for name, run in self._runs.items() if run.status != "queued"}

    def checkpoints(self, thread_id: str) -> list[CheckpointInfo]:
        self._check()
        return [
            CheckpointInfo(
                id=f"c{number}",
                phase=phase,
                next=node,
                at=played_session.time_of(number),
                rounds=rounds,
                tasks=tasks,
                evidence=evidence,
                drafted=phase == "attribute",
                summary="",
            )
            for number, (node, phase, rounds, tasks, evidence) in enumerate(PAST)
        ]

    def fork(self, thread_id: str, checkpoint_id: str) -> str:
        self.calls.append(("fork", thread_id, checkpoint_id))
        self._check()
        new = self.start(self._runs[thread_id].question)
        self._update(new, parent_thread=thread_id)
        return new

    def rename(self, thread_id: str, title: str) -> None:
        self.calls.append(("rename_run", thread_id, title))
        self._check()
        self._update(thread_id, title=title or None)

    def delete(self, thread_id: str) -> None:
        self.calls.append(("delete_run", thread_id))
        if self.refuse is not None:
            raise self.refuse
        del self._runs[thread_id]

    def begin_conversation(self, thread_id: str, question: str) -> None:
        known = self._runs.get(thread_id)
        run = known or FakeRun(thread_id=thread_id, question=question, kind="ask")
        options = {"depth": "auto", "asked": question}
        self._runs[thread_id] = run.model_copy(update={"status": "done", "options": options})
        self._events.setdefault(thread_id, [])

    def stop_with(self, thread_id: str, status: str, error: str | None = None) -> None:
        """Puts a run into a state that only the outside can cause."""
        self._update(thread_id, status=status, error=error)

    def tell(self, thread_id: str, *events: Event) -> None:
        """Lets a running thread tell this at once."""
        self._rest[thread_id] = list(events)
        self._advance(thread_id, len(events))

    def set_phase(self, thread_id: str, node: str) -> None:
        self._update(thread_id, phase=node)

    def ingest(
        self,
        paths: Sequence[Path],
        collection: str,
        *,
        language: str = "auto",
        on_event: Callable[[Event], None] | None = None,
    ) -> IngestReport:
        self.calls.append(("ingest", tuple(paths), collection))
        self._check()
        for stage in ("parse", "embed", "done"):
            if on_event is not None:
                on_event(DocumentProgress(document="UVSV.txt", stage=stage, done=10, total=71))
        self._documents = True
        outcome = FileOutcome(
            path="UVSV.txt", document="UVSV.txt", document_id="d", status="added", chunks=71
        )
        return IngestReport(
            collection=collection,
            files=(outcome,),
            chunks=71,
            seconds=2.0,
            parse_s=0.5,
            embed_s=1.0,
            index_s=0.5,
        )

    def find(self, request: SearchRequest) -> SearchResult:
        self._check()
        score = {"vector": StrategyScore(rank=1, score=0.9)}
        hits = (
            Hit(
                chunk_id="h1",
                document_id="UVSV.txt",
                text_id="t",
                document="UVSV.txt",
                title="UV-Schutz",
                page=None,
                section="§ 3",
                heading_path=("§ 3",),
                start=0,
                end=40,
                text=played_session.LIMIT,
                score=0.9,
                relevance=0.81,
                explain=score,
            ),
        )
        return SearchResult(
            hits=hits,
            from_cache=False,
            cache=CacheStatistics(size=0, hits=0, misses=1, hit_rate=0.0),
        )

    # The script

    def _next_segment(self, thread_id: str) -> None:
        self._segment[thread_id] += 1
        self._rest[thread_id] = list(self.script[self._segment[thread_id]])
        self._update(thread_id, status="running", pending=None)

    def _advance(self, thread_id: str, count: int) -> None:
        rest = self._rest[thread_id]
        for event in rest[:count]:
            seq = next(self._seq)
            key = EventKey(thread_id=thread_id, checkpoint=str(seq), n=0)
            record = EventRecord(seq=seq, key=key, at=played_session.time_of(seq), event=event)
            self._events[thread_id].append(record)
            if isinstance(event, Waiting):
                self._update(thread_id, status="waiting", pending=event)
            if isinstance(event, RunFinished):
                self._update(thread_id, status=event.status)
        del rest[:count]
