"""The part of a client that reads, starts and steers threads."""

import time
import uuid
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from agent.engine.commands import ResumeRun, StartRun, StopRun
from agent.engine.connection import POLL_S, Connected
from agent.models import PlanDecision, RunOptions
from agent.research.plans import checked_plan, with_parameters
from services.domain.errors import AlreadyAnswered, InvalidInput
from services.domain.events import EventRecord, PlanItem
from services.domain.runs import RunInfo

OPEN_ENDED = ("queued", "running")


class RunsClient(Connected):
    """Reading needs the catalog alone, in any process; doing goes through commands."""

    def run(self, thread_id: str) -> RunInfo:
        return self._catalog.runs.get(self._principal, thread_id)

    def runs(self) -> list[RunInfo]:
        return self._catalog.runs.list(self._principal)

    def active_runs(self) -> Sequence[RunInfo]:
        """Those of ``runs`` that are queued or running; made to be asked for by every page."""
        return self._catalog.runs.active(self._principal)

    def report(self, thread_id: str) -> dict[str, Any] | None:
        return self._catalog.runs.report(self._principal, thread_id)

    def export_report(self, thread_id: str, format_name: str) -> bytes:
        """The report of a thread as a file; raises as ``agent.engine.exports.export``."""
        from agent.engine.exports import export

        return export(self._services, self._principal, thread_id, format_name)

    def events(self, thread_id: str, after: int = 0) -> list[EventRecord]:
        """Events of a thread with ``seq > after``, oldest first."""
        self._catalog.runs.get(self._principal, thread_id)
        return self._catalog.events.since(thread_id, after)

    def last_event(self, thread_id: str) -> int:
        """``seq`` of a thread's newest event, 0 without one: what follows it is news."""
        self._catalog.runs.get(self._principal, thread_id)
        newest = self._catalog.events.last(thread_id)
        return 0 if newest is None else newest.seq

    def look(self, thread_id: str, after: int = 0) -> tuple[RunInfo, list[EventRecord]]:
        """``run`` and ``events`` in one query, for those who look once a second."""
        return self._catalog.runs.poll(self._principal, thread_id, after)

    def follow(self, thread_id: str, after: int = 0) -> Iterator[EventRecord]:
        """Events as they come, until the run waits for a person or has ended."""
        while True:
            run = self.run(thread_id)
            records = self.events(thread_id, after)
            for record in records:
                after = record.seq
                yield record
            if not records and run.status not in OPEN_ENDED:
                return
            if not records:
                time.sleep(POLL_S)

    def start(
        self,
        question: str,
        *,
        collections: Sequence[str] | None = None,
        options: RunOptions | None = None,
        thread_id: str | None = None,
    ) -> str:
        """Starts a research run; returns its thread id when it is under way.

        Raises:
            InvalidInput: the question is empty, there is nothing to search, or the profile is
                switched off.
            NotFound: a collection does not exist or may not be read, or there is no such profile.
        """
        if not question.strip():
            raise InvalidInput("The question is empty. Ask something.")
        options = options or RunOptions()
        configuration = self._services.library.configuration
        effective = configuration.for_request(self._principal, options.profile)
        options = with_parameters(options, effective)
        wanted = effective.collections(tuple(collections) if collections else None)
        names = self._searched(wanted)
        thread_id = thread_id or uuid.uuid4().hex[:12]
        self._catalog.runs.create(
            thread_id, self._principal, question.strip(), names, options.model_dump(mode="json")
        )
        self._do(
            StartRun(
                thread_id=thread_id,
                question=question.strip(),
                collections=names,
                options=options,
            )
        )
        return thread_id

    def _searched(self, wanted: tuple[str, ...] | None) -> tuple[str, ...]:
        """The collections that are wanted, else all that one may read.

        Raises:
            InvalidInput: there are none.
            NotFound: one is unknown or may not be read.
        """
        readable = self._services.library.collections
        names = wanted or tuple(info.name for info in readable(self._principal))
        self._catalog.collections.scope(self._principal, names)
        if not names:
            raise InvalidInput(
                "There are no documents yet. Add some: rabbithole ingest PATH... --collection NAME"
            )
        return names

    def answer(self, thread_id: str, interrupt_id: str, text: str) -> None:
        """Answers the clarification question; ``/end`` goes on to the plan.

        Raises:
            AlreadyAnswered: another answer came first.
            InvalidInput: the answer is empty, or the thread waits for an approval.
        """
        if not text.strip():
            raise InvalidInput("The answer is empty. Write one, or /end to go on without.")
        self._reply(thread_id, interrupt_id, "clarification", text.strip())

    def approve(
        self, thread_id: str, interrupt_id: str, items: Sequence[PlanItem] | None = None
    ) -> None:
        """Approves the plan, as proposed or as edited.

        Raises:
            AlreadyAnswered: another approval came first.
            InvalidInput: the edited plan is empty or too long, or the thread waits for an answer.
        """
        if items is not None:
            checked_plan(tuple(items))
        decision = PlanDecision(items=None if items is None else tuple(items))
        self._reply(thread_id, interrupt_id, "plan", decision.model_dump(mode="json"))

    def keep_draft(self, thread_id: str, interrupt_id: str, draft: dict[str, Any]) -> None:
        """Keeps what this person is preparing as the answer to a question, until it is given."""
        self.run(thread_id)
        self._catalog.drafts.put(thread_id, interrupt_id, draft, self._principal)

    def draft(self, thread_id: str, interrupt_id: str) -> dict[str, Any] | None:
        """The draft that was kept last, in any window."""
        self.run(thread_id)
        return self._catalog.drafts.get(thread_id, interrupt_id, self._principal)

    def _reply(
        self, thread_id: str, interrupt_id: str, to: Literal["clarification", "plan"], value: Any
    ) -> None:
        run = self.run(thread_id)
        if run.pending is None or run.pending.interrupt_id != interrupt_id:
            raise AlreadyAnswered("This question was answered before; the thread went on.")
        if run.pending.interrupt != to:
            raise InvalidInput(
                "The thread waits for an answer to its questions, not for an approval."
                if to == "plan"
                else "The thread waits for its plan to be approved, not for an answer."
            )
        self._catalog.answers.put(thread_id, interrupt_id, {"value": value}, self._principal)
        self._catalog.drafts.forget(thread_id, interrupt_id)
        self._do(ResumeRun(thread_id=thread_id, interrupt_id=interrupt_id))

    def resume(self, thread_id: str) -> None:
        """Continues an interrupted, paused or failed thread where it stopped."""
        self.run(thread_id)
        self._do(ResumeRun(thread_id=thread_id))

    def pause(self, thread_id: str) -> None:
        self._do(StopRun(thread_id=thread_id, cancel=False))

    def cancel(self, thread_id: str) -> None:
        """Ends a thread; if evidence was gathered, with a report of it."""
        self._do(StopRun(thread_id=thread_id, cancel=True))
