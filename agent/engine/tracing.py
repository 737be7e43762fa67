"""Traces: a finished run as a file, made from the catalog alone, and its replay.

A replay runs the same graphs over the documents of this home, with the recorded replies in the
place of a model. Files are written by one version and read by another: unknown fields are skipped.
"""

import asyncio
import json
import uuid
from collections import defaultdict, deque
from collections.abc import Awaitable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, Final, Literal

from langgraph.checkpoint.memory import InMemorySaver
from pydantic import Field, JsonValue, ValidationError

from agent.ask.models import AskOptions
from agent.ask.threads import AskThreads
from agent.engine.driver import Threads
from agent.engine.jobs import CorpusDifference, ReplayReport
from agent.engine.reports import answers_of, cited_by
from agent.research.threads import ResearchThreads
from services.build import Services
from services.catalog import Catalog
from services.domain import Principal, Value
from services.domain.errors import InvalidInput
from services.domain.events import (
    AnswerGiven,
    AssumptionsCorrected,
    EventRecord,
    EvidenceRestored,
    ExecutionStart,
    KnowledgeRetrievalComplete,
    PlanApproved,
    PlanRecalled,
)
from services.domain.runs import RunInfo, documents_in
from services.library.caches import AnswerCache, SearchCache
from services.library.plan_memory import RecordedPlans
from services.locale import rendered
from services.models.base import ChatModel
from services.models.factory import NO_MODEL
from services.models.recording import RecordedReply, ReplayModel
from services.retrieval.rerank import make_rerankers

Json = dict[str, Any]
CONTEXT_CHARACTERS: Final = 30
"""Characters shown before and after the first difference of two answers."""


class TracedDocument(Value, extra="ignore"):
    document: str
    document_id: str


class TracedTurn(Value, extra="ignore"):
    """A question with its options, the chunk ids that it found, and whether its model reads."""

    question: str
    options: dict[str, JsonValue]
    model: str
    passages: tuple[str, ...] = ()
    reads: bool = False


class HumanAnswer(Value, extra="ignore"):
    """A person's answer to an open question, in the form in which it resumes the run."""

    interrupt: Literal["clarification", "plan"]
    value: JsonValue


class Trace(Value, extra="ignore"):
    """A run: its questions, the answers of people and of the model, and its report.

    ``restored`` says that a person brought evidence back afterwards, which is not replayed.
    """

    trace: Literal[1] = 1
    thread_id: str
    kind: Literal["research", "ask"]
    collections: tuple[str, ...]
    documents: tuple[TracedDocument, ...]
    turns: tuple[TracedTurn, ...] = Field(min_length=1)
    answers: tuple[HumanAnswer, ...] = ()
    replies: tuple[RecordedReply, ...] = ()
    recalled: tuple[PlanRecalled, ...] = ()
    restored: bool = False
    report: dict[str, JsonValue]


def read_trace(path: Path) -> Trace:
    """Return the trace in a file; raises InvalidInput if it cannot be read or holds none."""
    try:
        return Trace.model_validate(json.loads(path.read_bytes()))
    except OSError as problem:
        raise InvalidInput(
            "{file} cannot be read: {cause}. Give the path of a trace file.",
            file=path.name,
            cause=problem.strerror,
        ) from problem
    except (ValidationError, ValueError, RecursionError) as problem:
        raise InvalidInput(
            "{file} is not a trace that this version can read. Make one with `rabbithole trace "
            "export THREAD -o trace.json`.",
            file=path.name,
        ) from problem


def make_trace(services: Services, principal: Principal, thread_id: str) -> Trace:
    """Return everything that a replay of a thread needs besides its documents.

    Raises NotFound if there is no such thread among the principal's, InvalidInput if it has no
    report yet.
    """
    catalog = services.catalog
    run = catalog.runs.get(principal, thread_id)
    report: Json | None = rendered(catalog.runs.report(principal, thread_id))
    if report is None or run.status != "done":
        raise InvalidInput(
            "Thread {thread} has no finished report to replay ({status}). Finish it with "
            "`rabbithole resume {thread}`.",
            thread=thread_id,
            status=run.status,
        )
    records = list(catalog.events.iterate(thread_id))
    events = [record.event for record in records]
    return Trace(
        thread_id=thread_id,
        kind=run.kind,
        collections=run.collections,
        documents=tuple(_documents(services, principal, run.searched, run.documents)),
        turns=tuple(_turns(run, report, records)),
        answers=tuple(human_answers(events)),
        replies=tuple(_replies(catalog, principal, run)),
        recalled=tuple(event for event in events if isinstance(event, PlanRecalled)),
        restored=any(isinstance(event, EvidenceRestored) for event in events),
        report=report,
    )


def _documents(
    services: Services, principal: Principal, collections: Sequence[str], chosen: Sequence[str]
) -> list[TracedDocument]:
    """Return name and hash of the documents of collections, or of those chosen, by name."""
    scope = services.catalog.collections.scope(principal, collections)
    searched = services.catalog.filters.narrowed(scope, chosen).documents
    names = {
        (info.document, info.document_id)
        for collection in collections
        for info in services.library.documents(principal, collection)
        if searched is None or info.document_id in searched
    }
    return [TracedDocument(document=name, document_id=key) for name, key in sorted(names)]


def _turns(
    run: RunInfo, report: Mapping[str, Any], records: Iterable[EventRecord]
) -> Iterator[TracedTurn]:
    """Yield the questions of a run with their options; a research has one."""
    if run.kind == "research":
        usage = report["usage"]
        yield TracedTurn(
            question=run.question,
            options=dict(run.options),
            model=str(usage["model"]),
            reads=usage.get("reads") != "no",
        )
        return
    starts: dict[int, ExecutionStart] = {}
    passages: defaultdict[int, list[str]] = defaultdict(list)
    number = 0
    for record in records:
        match record.event:
            case ExecutionStart() as event:  # a turn that began again counts anew
                number = event.turn
                starts[number], passages[number] = event, []
            case KnowledgeRetrievalComplete() as event:
                passages[number] += [source.chunk_id for source in event.sources]
    for turn in report["turns"]:
        start = starts.get(turn["turn"])
        yield TracedTurn(
            question=turn["question"],
            options=start.options if start else {},
            model=str(turn["usage"]["model"]),
            passages=tuple(passages[turn["turn"]]),
            reads=start is not None and start.reads,
        )


def human_answers(events: Iterable[object]) -> list[HumanAnswer]:
    """Return people's answers in order; of a turn that began again only those since."""
    answers: list[HumanAnswer] = []
    before: dict[int, int] = {}
    for event in events:
        match event:
            case ExecutionStart():
                del answers[before.setdefault(event.turn, len(answers)) :]
            case AnswerGiven():
                answers.append(HumanAnswer(interrupt="clarification", value=event.text))
            case AssumptionsCorrected(at="plan"):
                answers.append(HumanAnswer(interrupt="plan", value={"correction": event.text}))
            case PlanApproved():
                items = [item.model_dump(mode="json") for item in event.items]
                value = {"items": items if event.changes else None}
                answers.append(HumanAnswer(interrupt="plan", value=value))
    return answers


def _replies(catalog: Catalog, principal: Principal, run: RunInfo) -> list[RecordedReply]:
    """Return the model's replies in a thread, after those in the threads it was forked from."""
    replies = catalog.replies.of_thread(run.thread_id)
    runs = {listed.thread_id: listed for listed in catalog.runs.list(principal)}
    while run.parent_thread in runs:
        run = runs[run.parent_thread]
        replies = [*catalog.replies.of_thread(run.thread_id), *replies]
    return replies


class Replay:
    """One replay, in a thread of its own that is deleted afterwards. Runs on the runner's loop.

    Caches of searches and answers are empty, checkpoints stay in memory.
    """

    def __init__(self, services: Services, principal: Principal, trace: Trace) -> None:
        self._services = services
        self._catalog = services.catalog
        self._principal = principal
        self._trace = trace
        self._answers = deque(trace.answers)
        self._saver = InMemorySaver()
        models = (turn.model for turn in trace.turns if turn.model != NO_MODEL)
        self._model = ReplayModel(trace.replies, name=next(models, NO_MODEL))
        self._thread = f"replay-{uuid.uuid4().hex[:12]}"

    async def run(self) -> ReplayReport:
        """Run the trace again and compare the results.

        Raises InvalidInput if the run cannot be replayed from its beginning, NotFound if a
        collection of the run is gone.
        """
        trace = self._trace
        if trace.restored:
            raise InvalidInput(
                "Dropped evidence was restored by hand in thread {thread}, and this cannot be"
                " replayed. Branch the thread before that point, and export a trace of the "
                "branch.",
                thread=trace.thread_id,
            )
        chosen = documents_in(trace.turns[0].options)
        documents = await asyncio.to_thread(
            _documents, self._services, self._principal, trace.collections, chosen
        )
        try:
            difference = await self._run_turns()
        finally:
            await asyncio.to_thread(self._catalog.runs.delete, self._thread)
        before, after = set(trace.documents), set(documents)
        return ReplayReport(
            thread_id=trace.thread_id,
            identical=difference is None,
            difference=difference,
            corpus=CorpusDifference(
                missing=tuple(sorted(document.document for document in before - after)),
                added=tuple(sorted(document.document for document in after - before)),
            ),
        )

    async def _run_turns(self) -> str | None:
        """Run the turns until one differs; return the difference."""
        first, kind = self._trace.turns[0], self._trace.kind
        names, options = self._trace.collections, dict(first.options)
        self._catalog.runs.create(
            self._thread, self._principal, first.question, names, options, kind=kind
        )
        for number, turn in enumerate(self._trace.turns):
            problem = await self._run_turn(turn) or self._compare(number)
            if problem:
                return problem if kind == "research" else f"turn {number + 1}: {problem}"
        return None

    async def _run_turn(self, turn: TracedTurn) -> str | None:
        services = self._with_model(None if turn.model == NO_MODEL else self._model)
        threads: Threads

        async def can_read(*_: object) -> bool:
            return turn.reads

        if self._trace.kind == "research":
            threads = research = ResearchThreads(services, self._saver, can_read)
            starting: Awaitable[Any] = research.start(self._principal, self._run())
        else:
            options = AskOptions.model_validate({**turn.options, "answer_cache": False})
            threads = conversation = AskThreads(services, self._saver, can_read)
            starting = conversation.ask(self._principal, self._run(), turn.question, options)
        try:
            await starting
            return await self._answer_questions(threads)
        finally:
            await threads.pause_all()

    def _with_model(self, model: ChatModel | None) -> Services:
        """Return the services of this home with another model and empty caches."""

        async def chat_model() -> ChatModel | None:
            return model

        services = self._services
        settings = services.settings.model_copy(update={"record_replies": False})
        return services.replaced(
            settings,
            chat_model=chat_model,
            searches=SearchCache,
            answers=AnswerCache,
            telemetry=lambda: None,
            plan_memory=lambda: RecordedPlans(self._trace.recalled),
            rerankers=lambda: make_rerankers(settings, chat_model, lambda: services.encoder),
        )

    def _run(self) -> RunInfo:
        return self._catalog.runs.get(self._principal, self._thread)

    async def _answer_questions(self, threads: Threads) -> str | None:
        """Give people's answers until the turn ends; return what went differently, if anything."""
        while True:
            await threads.settled()
            run, answers = self._run(), self._answers
            pending = run.pending
            if run.status != "waiting" or pending is None:
                return None if run.status == "done" else f"the replay {run.status}: {run.error}"
            while answers and answers[0].interrupt != pending.interrupt:
                answers.popleft()
            if not answers:
                return f"the replay asks a {pending.interrupt} question that the run did not ask"
            value = {"value": answers.popleft().value}
            self._catalog.answers.put(self._thread, pending.interrupt_id, value, self._principal)
            await threads.resume(self._principal, run, pending.interrupt_id)

    def _compare(self, turn: int) -> str | None:
        report: Any = rendered(self._catalog.runs.report(self._principal, self._thread))
        traced: Any = self._trace.report
        turns = list(_turns(self._run(), report, self._catalog.events.iterate(self._thread)))
        before, after = self._trace.turns[turn].passages, turns[turn].passages
        return list_difference("passages found", before, after) or difference(
            answers_of(traced)[turn], answers_of(report)[turn]
        )


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str | None:
    """Return the first difference of evidence, proof or answer; times and ids do not count."""
    for name, field in {"evidence": "evidence", "dropped evidence": "dropped"}.items():
        before, after = ([item["chunk_id"] for item in one.get(field, ())] for one in (old, new))
        if differing := list_difference(name, before, after):
            return differing
    return list_difference("proof", _proof(old), _proof(new)) or text_difference(
        old["answer"], new["answer"]
    )


def list_difference(name: str, old: Sequence[str], new: Sequence[str]) -> str | None:
    index = _first_difference(old, new)
    if index is None:
        return None
    before, after = (names[index] if index < len(names) else "nothing" for names in (old, new))
    return f"{name}: number {index + 1} is {after} instead of {before}"


def text_difference(old: str, new: str) -> str | None:
    index = _first_difference(old, new)
    if index is None:
        return None
    around = slice(max(index - CONTEXT_CHARACTERS, 0), index + CONTEXT_CHARACTERS)
    return f"the answer differs from character {index}: {new[around]!r} instead of {old[around]!r}"


def _proof(report: Mapping[str, Any]) -> list[str]:
    return [
        f"{citation['document']} {citation['start']}-{citation['end']}"
        for citation in cited_by([report])
    ]


def _first_difference(old: Sequence[str], new: Sequence[str]) -> int | None:
    """Return the first index at which two sequences differ; None where they are equal."""
    pairs = enumerate(zip_longest(old, new))
    return next((index for index, (a, b) in pairs if a != b), None)
