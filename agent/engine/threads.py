"""Start, steer and read threads: ``engine.threads``."""

import json
import re
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, Literal

from pydantic import JsonValue

from agent.engine.connection import (
    POLL_S,
    TAKE_OVER_AFTER_S,
    Connection,
    EnginePart,
    with_parameters,
)
from agent.engine.jobs import (
    ALREADY_ANSWERED,
    DeleteThread,
    ForkThread,
    ListCheckpoints,
    ReplayReport,
    ReplayTrace,
    RestoreEvidence,
    ResumeThread,
    StartThread,
    StopThread,
)
from agent.engine.reports import ResearchReport, read_report, with_newer
from agent.models import TODO_MAX_ITEMS, PlanDecision, RunOptions
from agent.research.plan_edits import check_plan
from agent.research.state import CheckpointInfo
from services.catalog.runs import own_id
from services.domain import Principal
from services.domain.errors import AlreadyAnswered, InvalidInput, NotFound
from services.domain.events import EventRecord, PlanItem
from services.domain.notices import Notice
from services.domain.runs import ACTIVE, RunInfo

WAITS_FOR_ANSWER: Final = Notice.of(
    "The thread is waiting for an answer to its questions, not for an approval."
)
WAITS_FOR_APPROVAL: Final = Notice.of(
    "The thread is waiting for you to approve its plan, not for an answer."
)


def _with_queries(options: RunOptions) -> RunOptions:
    """Return the options without duplicate queries; raises InvalidInput for empty or too many."""
    queries = tuple(dict.fromkeys(" ".join(query.split()) for query in options.research_queries))
    if "" in queries:
        raise InvalidInput("One of the queries is empty. Say what to search for, or leave it out.")
    if len(queries) > TODO_MAX_ITEMS:
        raise InvalidInput(
            "{queries} queries were given; at most {most} are allowed. Give fewer.",
            queries=len(queries),
            most=TODO_MAX_ITEMS,
        )
    return options.model_copy(update={"research_queries": queries})


def _refuse_grids(run: RunInfo) -> None:
    if run.kind in ("grid", "sweep"):
        raise InvalidInput(
            "Thread {thread} is a {kind} and has no report. Show it: rabbithole grid show {thread}",
            thread=run.thread_id,
            kind=run.kind,
        )


class ThreadsPart(EnginePart):
    """Research and conversations; ``answers`` asks the questions of a conversation."""

    def __init__(self, connection: Connection, principal: Principal) -> None:
        super().__init__(connection, principal)
        runs = self._catalog.runs
        self.active = partial(runs.active, principal)
        self.poll = partial(runs.poll, principal)
        self.costs = partial(runs.costs, principal)
        self.rename = partial(runs.rename, principal)
        self.marks = runs.marks

    def run(self, thread_id: str) -> RunInfo:
        """Return a thread of the person; raises NotFound."""
        return self._with_interrupted([self._catalog.runs.get(self._principal, thread_id)])[0]

    def named(self, thread_id: str) -> RunInfo | None:
        """Return the person's thread with this id, given or chosen; None without one."""
        for name in (thread_id, own_id(self._principal, thread_id)):
            with suppress(NotFound):
                return self._catalog.runs.get(self._principal, name)
        return None

    def runs(self) -> list[RunInfo]:
        """Return the person's threads, newest first; for an admin everybody's."""
        return self._with_interrupted(self._catalog.runs.list(self._principal))

    def report(self, thread_id: str) -> dict[str, Any] | None:
        """Return the report and what is newer than its sources; no grid or sweep has one."""
        _refuse_grids(run := self.run(thread_id))
        report = self._catalog.runs.report(self._principal, thread_id)
        if report is None:
            return None
        return with_newer(report, run, self._services, self._principal)

    def research_report(self, thread_id: str) -> ResearchReport | None:
        """Return the report of a research as a typed value."""
        report = self.report(thread_id)
        return None if report is None else read_report(report)

    def export_report(self, thread_id: str, format_name: str, *, appendix: bool = True) -> bytes:
        """Return a report or a conversation as ``agent.engine.exports.export`` does."""
        from agent.engine.exports import export

        _refuse_grids(self.run(thread_id))
        return export(self._services, self._principal, thread_id, format_name, appendix=appendix)

    def events(self, thread_id: str, after: int = 0) -> list[EventRecord]:
        """Return the events of a thread with ``seq > after``, oldest first."""
        self._catalog.runs.get(self._principal, thread_id)
        return self._catalog.events.since(thread_id, after)

    def last_event(self, thread_id: str) -> int:
        """Return the ``seq`` of a thread's newest event, 0 without one."""
        self._catalog.runs.get(self._principal, thread_id)
        newest = self._catalog.events.last(thread_id)
        return 0 if newest is None else newest.seq

    def follow(self, thread_id: str, after: int = 0) -> Iterator[EventRecord]:
        """Yield events as they come, until the run waits for a person, has ended, or was killed.

        Raises AskPerson if the run failed and the catalog cannot record that, as with a full disk.
        """
        looked_at: int | None = None
        records: list[EventRecord] = []
        alone = not self._services.settings.shared  # else another process goes on with it
        heard, read_with = time.monotonic(), None
        while True:
            if (log := self._connection.log(thread_id)) is not None and log is read_with:
                for record in log.news(after, POLL_S):  # all before is read
                    after = record.seq
                    yield record
                if log.problem is not None:
                    raise log.problem
                continue
            quiet = time.monotonic() - heard > TAKE_OVER_AFTER_S
            killed = alone and quiet and self._connection.orphaned
            version = self._catalog.version()  # before the look: what comes after it counts as new
            if killed or log or version is None or version != looked_at:
                run, records = self.poll(thread_id, after)
                for record in records:
                    after = record.seq
                    yield record
                if not records and (killed or self._is_over(run)):
                    return
                looked_at = None if records else version
            if records or quiet:
                heard = time.monotonic()
            if not records:
                read_with = log
                if log is None:
                    time.sleep(POLL_S)

    def _is_over(self, run: RunInfo) -> bool:
        """Return whether nobody works on a run or is going to: another worker continues it."""
        if run.status == "interrupted" and self._services.settings.shared:
            return not self._catalog.workers.alive()
        return run.status not in ACTIVE

    def start(
        self,
        question: str,
        *,
        collections: Sequence[str] | None = None,
        options: RunOptions | None = None,
        thread_id: str | None = None,
    ) -> str:
        """Start a research; return its thread id when it is under way or in the queue.

        Raises InvalidInput if the question is empty, there is nothing to search, or the profile is
        switched off, and NotFound if a collection, a document or the profile is unknown or may not
        be read.
        """
        if not question.strip():
            raise InvalidInput("The question is empty. Ask something.")
        options = _with_queries(options or RunOptions())
        effective = self._effective(options.profile)
        k = effective.hits(options.k if "k" in options.model_fields_set else None)
        options = with_parameters(options.model_copy(update={"k": k}), effective)
        names = effective.collections(collections)
        run = self._create("research", question.strip(), options, names, thread_id)
        several = self._services.settings.shared  # whose turn it is may come later
        (self._submit if several else self._do)(StartThread(thread_id=run.thread_id))
        return run.thread_id

    def answer(self, thread_id: str, interrupt_id: str, text: str) -> None:
        """Answer the clarification question; ``/end`` goes on to the plan.

        Raises AlreadyAnswered if another answer came first, InvalidInput if the answer is empty, or
        the thread waits for an approval.
        """
        if not text.strip():
            raise InvalidInput(
                "The answer is empty. Write one, or enter /end to continue without an answer."
            )
        self._reply(thread_id, interrupt_id, "clarification", text.strip())

    def approve(
        self, thread_id: str, interrupt_id: str, items: Sequence[PlanItem] | None = None
    ) -> None:
        """Approve the plan, as proposed or as edited.

        Raises AlreadyAnswered if another approval came first, InvalidInput if the edited plan is
        empty or too long, or the thread waits for an answer.
        """
        if items is not None:
            check_plan(tuple(items))
        self._decide(thread_id, interrupt_id, items=None if items is None else tuple(items))

    def correct(self, thread_id: str, interrupt_id: str, text: str) -> None:
        """Correct the assumptions of a run, with the answer to its questions or before its plan.

        A line that begins with ``A1:`` replaces the first assumption; another line replaces the one
        that it is about. If the plan waits for approval, a new one is proposed. Raises
        AlreadyAnswered if another answer came first, InvalidInput if the correction is empty.
        """
        if not text.strip():
            raise InvalidInput("The correction is empty. Say what is true instead.")
        pending = self.run(thread_id).pending
        if pending is not None and pending.interrupt == "clarification":
            self.answer(thread_id, interrupt_id, text)
        else:
            self._decide(thread_id, interrupt_id, correction=text.strip())

    def _decide(self, thread_id: str, interrupt_id: str, **decision: Any) -> None:
        value = PlanDecision(**decision).model_dump(mode="json")
        self._reply(thread_id, interrupt_id, "plan", value)

    def keep_draft(self, thread_id: str, interrupt_id: str, draft: dict[str, Any]) -> None:
        """Keep the draft of this person's answer to a question, until it is answered."""
        self.run(thread_id)
        self._catalog.drafts.put(thread_id, interrupt_id, draft, self._principal)

    def draft(self, thread_id: str, interrupt_id: str) -> dict[str, Any] | None:
        """Return the draft that was kept last, in any window."""
        self.run(thread_id)
        return self._catalog.drafts.get(thread_id, interrupt_id, self._principal)

    def _reply(
        self, thread_id: str, interrupt_id: str, to: Literal["clarification", "plan"], value: Any
    ) -> None:
        run = self.run(thread_id)
        if run.pending is None or run.pending.interrupt_id != interrupt_id:
            raise AlreadyAnswered(ALREADY_ANSWERED)
        if run.pending.interrupt != to:
            raise InvalidInput(WAITS_FOR_ANSWER if to == "plan" else WAITS_FOR_APPROVAL)
        resume = ResumeThread(thread_id=thread_id, interrupt_id=interrupt_id)
        try:
            self._catalog.answers.put(thread_id, interrupt_id, {"value": value}, self._principal)
        except AlreadyAnswered:
            with suppress(AlreadyAnswered):  # a kill may have kept the thread from continuing
                self._do(resume)
            raise
        self._catalog.drafts.forget(thread_id, interrupt_id)
        with suppress(AlreadyAnswered):  # a second answer may have continued it
            self._do(resume)

    def resume(self, thread_id: str) -> None:
        """Continue an interrupted, paused or failed thread where it stopped."""
        self.run(thread_id)
        self._do(ResumeThread(thread_id=thread_id))

    def pause(self, thread_id: str) -> None:
        self._do(StopThread(thread_id=thread_id, cancel=False))

    def cancel(self, thread_id: str) -> None:
        """End a thread, with a report of the evidence if there is any."""
        self._do(StopThread(thread_id=thread_id, cancel=True))

    def restore_evidence(self, thread_id: str, chunk_ids: Sequence[str]) -> None:
        """Let dropped evidence of a finished thread count, and write the report anew.

        Nothing is searched or extracted again. The old report stays until the new one is there, for
        which ``follow`` waits. Raises InvalidInput if the thread has no finished report, or the
        evidence counts already, and NotFound if a chunk is no evidence of the thread.
        """
        self._do(RestoreEvidence(thread_id=thread_id, chunk_ids=tuple(chunk_ids)))

    def checkpoints(self, thread_id: str) -> list[CheckpointInfo]:
        """Return the checkpoints from which a thread can be forked, oldest first."""
        return self._do(ListCheckpoints(thread_id=thread_id))

    def fork(self, thread_id: str, checkpoint_id: str) -> str:
        """Fork a thread; return the new id. Raises NotFound for an unknown checkpoint."""
        new = uuid.uuid4().hex[:12]
        self._do(ForkThread(thread_id=thread_id, checkpoint_id=checkpoint_id, new_thread_id=new))
        return new

    def delete(self, thread_id: str) -> None:
        """Delete a thread with everything of it; raises InvalidInput if it is running."""
        self._do(DeleteThread(thread_id=thread_id))

    def trace(self, thread_id: str) -> dict[str, Any]:
        """Return a finished thread with everything that a replay needs besides the documents.

        Raises NotFound if there is no such thread of the person, InvalidInput if it has no report
        yet, or is a grid or a sweep.
        """
        from agent.engine.tracing import make_trace

        _refuse_grids(self.run(thread_id))
        return make_trace(self._services, self._principal, thread_id).model_dump(mode="json")

    def verify(self, report: Mapping[str, JsonValue]) -> dict[str, Any]:
        """Verify a report, answer or trace against the readable documents; raises InvalidInput."""
        from agent.offline import verified

        text = json.dumps(report)
        scope = self._catalog.collections.opening(self._principal)
        with TemporaryDirectory() as folder:
            file, documents = Path(folder, "report.json"), Path(folder, "documents")
            file.write_text(text, encoding="utf-8")
            documents.mkdir()
            for name in set(re.findall(r"\b[0-9a-f]{64}\b", text)):
                with suppress(NotFound):
                    self._catalog.documents.info(name, scope=scope)
                    original = self._services.settings.home / "originals" / name
                    (documents / name).symlink_to(original.resolve())
            return verified(file, documents, self._services.settings)

    def replay(self, file: Path) -> ReplayReport:
        """Run a trace again with the recorded replies; return the first difference, if any.

        Raises InvalidInput if the file is no trace, or its run cannot be replayed, and NotFound if
        a collection of the run is gone.
        """
        return self._do(ReplayTrace(file=str(file.absolute())))
