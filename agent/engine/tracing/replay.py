"""Replaying a trace: the same graphs over the documents of this home, with recorded replies.

Whether it gave what the run gave is told by the first difference, in words.
"""

import asyncio
import uuid
from collections import deque
from collections.abc import Awaitable, Mapping, Sequence
from itertools import zip_longest
from typing import Any

from langgraph.checkpoint.memory import InMemorySaver

from agent.ask.models import AskOptions
from agent.ask.threads import AskThreads
from agent.engine.driver import Threads
from agent.engine.jobs import CorpusDifference, ReplayReport
from agent.engine.reports import answers_of, cited_by
from agent.engine.tracing.trace import Trace, TracedTurn, all_events, documents_of, turns_of
from agent.research.threads import ResearchThreads
from services.build import Services
from services.domain import Principal
from services.domain.errors import InvalidInput
from services.domain.runs import RunInfo, documents_in
from services.library.answer_cache import AnswerCache
from services.library.plan_memory import RecordedPlans
from services.locale import rendered
from services.models.base import ChatModel
from services.models.recording import ReplayModel
from services.retrieval.cache import SearchCache
from services.retrieval.rerank import make_rerankers

NO_MODEL = "none"
AROUND = 30
"""Characters that are shown before and after the first difference of two answers."""


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
        """Runs the trace again and compares what comes.

        Raises:
            InvalidInput: the run cannot be replayed from its beginning.
            NotFound: a collection of the run is gone.
        """
        trace = self._trace
        if trace.restored:
            raise InvalidInput(
                "In the run {thread} dropped evidence was restored by hand, which cannot be "
                "replayed. Fork it before that, and trace the fork.",
                thread=trace.thread_id,
            )
        now = await asyncio.to_thread(
            documents_of,
            self._services,
            self._principal,
            trace.collections,
            documents_in(trace.turns[0].options),
        )
        try:
            difference = await self._turns()
        finally:
            await asyncio.to_thread(self._catalog.runs.delete, self._thread)
        before, after = set(trace.documents), set(now)
        return ReplayReport(
            thread_id=trace.thread_id,
            identical=difference is None,
            difference=difference,
            corpus=CorpusDifference(
                missing=tuple(sorted(each.document for each in before - after)),
                added=tuple(sorted(each.document for each in after - before)),
            ),
        )

    async def _turns(self) -> str | None:
        """Runs one turn after the other, of which a research has one, until one differs."""
        first, kind = self._trace.turns[0], self._trace.kind
        self._catalog.runs.create(
            self._thread,
            self._principal,
            first.question,
            self._trace.collections,
            dict(first.options),
            kind=kind,
        )
        for number, turn in enumerate(self._trace.turns):
            problem = await self._turn(turn) or self._compared(number)
            if problem:
                return problem if kind == "research" else f"turn {number + 1}: {problem}"
        return None

    async def _turn(self, turn: TracedTurn) -> str | None:
        services = self._with(None if turn.model == NO_MODEL else self._model)
        threads: Threads

        async def can_read(*_: object) -> bool:
            """What was known of the only model when the turn was asked."""
            return turn.reads

        if self._trace.kind == "research":
            threads = research = ResearchThreads(services, self._saver, can_read)
            begun: Awaitable[Any] = research.start(self._principal, self._run())
        else:
            options = AskOptions.model_validate({**turn.options, "answer_cache": False})
            threads = asks = AskThreads(services, self._saver, can_read)
            begun = asks.ask(self._principal, self._run(), turn.question, options)
        try:
            await begun
            return await self._answered(threads)
        finally:
            await threads.pause_all()

    def _with(self, model: ChatModel | None) -> Services:
        """The services of this home with another model and nothing remembered."""

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

    async def _answered(self, threads: Threads) -> str | None:
        """Gives the answers of the people until the turn ends; what went otherwise, if it did."""
        while True:
            await threads.settled(self._thread)
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

    def _compared(self, turn: int) -> str | None:
        report: Any = rendered(self._catalog.runs.report(self._principal, self._thread))
        old: Any = self._trace.report
        turns = list(turns_of(self._run(), report, all_events(self._catalog, self._thread)))
        before, after = self._trace.turns[turn].passages, turns[turn].passages
        return list_difference("passages found", before, after) or difference(
            answers_of(old)[turn], answers_of(report)[turn]
        )


def difference(old: Mapping[str, Any], new: Mapping[str, Any]) -> str | None:
    """Where two reports, or two turns, part: evidence first, then proof, then the answer.

    Times, thread ids and the words for what is told beside the answer do not count.
    """
    for name, field in {"evidence": "evidence", "dropped evidence": "dropped"}.items():
        was, now = ([each["chunk_id"] for each in one.get(field, ())] for one in (old, new))
        if found := list_difference(name, was, now):
            return found
    return list_difference("proof", _proof(old), _proof(new)) or text_difference(
        old["answer"], new["answer"]
    )


def list_difference(name: str, old: Sequence[str], new: Sequence[str]) -> str | None:
    """Where two lists of names part."""
    place = _parting(old, new)
    if place is None:
        return None
    was, now = (each[place] if place < len(each) else "nothing" for each in (old, new))
    return f"{name}: number {place + 1} is {now} instead of {was}"


def text_difference(old: str, new: str) -> str | None:
    """Where two answers part."""
    place = _parting(old, new)
    if place is None:
        return None
    was, now = (each[max(place - AROUND, 0) : place + AROUND] for each in (old, new))
    return f"the answer differs from character {place}: {now!r} instead of {was!r}"


def _proof(report: Mapping[str, Any]) -> list[str]:
    return [
        f"{citation['document']} {citation['start']}-{citation['end']}"
        for citation in cited_by([report])
    ]


def _parting(old: Sequence[str], new: Sequence[str]) -> int | None:
    """The first index at which two sequences differ; None where they are equal."""
    pairs = enumerate(zip_longest(old, new))
    return next((n for n, (a, b) in pairs if a != b), None)
