"""What front ends use: submit commands, answer questions, follow events.

The first process becomes the owner of the stores and runs the runner; others put their commands
into the catalog and the owner carries them out. Both look the same from here. When an owner goes
away while a command waits, this process takes over.
"""

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from agent.ask_client import AskClient
from agent.commands import (
    INGEST_THREAD,
    AnyCommand,
    IngestFiles,
    NameModel,
    ResumeRun,
    SearchCorpus,
    StartRun,
    StopRun,
)
from agent.graph_building import facts_ended, for_who_waits
from agent.graph_client import GraphClient
from agent.graph_reading import GraphReading
from agent.history_client import HistoryClient
from agent.library_client import LibraryClient
from agent.models import PlanDecision, RunOptions
from agent.parameters import with_parameters
from agent.plans import checked_plan
from agent.settings_client import SettingsClient
from agent.trace_client import TraceClient
from services import errors
from services.build import Services, build_services
from services.catalog.values import Command, RunInfo
from services.errors import AlreadyAnswered, InvalidInput, RabbitholeError, StoresBusy
from services.events import Event, EventRecord, PlanItem
from services.ownership import OwnerLock
from services.settings import Settings
from services.types import (
    Chunking,
    Hit,
    IngestReport,
    Principal,
    SearchFilter,
    SearchMode,
    SearchRequest,
    SearchResult,
)

POLL_S = 0.05
TAKE_OVER_AFTER_S = 1.0
OPEN_ENDED = ("queued", "running")
EVERYWHERE = SearchFilter()


class _Connection:
    """What all clients of a process share: the services, and the runner once it owns them."""

    def __init__(self, services: Services, lock: OwnerLock) -> None:
        self.services = services
        self.lock = lock
        self.runner: Any = None
        self.model: str | None = None
        self._deciding = threading.Lock()

    def become_owner(self) -> bool:
        """Starts the runner if nobody else owns the home; whether it runs here."""
        with self._deciding:
            if self.runner is None and self.lock.acquire():
                from agent.runner import Runner  # langgraph is slow to import

                runner = Runner(self.services)
                try:
                    runner.start()
                except BaseException:
                    self.lock.release()
                    raise
                self.runner = runner
            return self.runner is not None

    def close(self) -> None:
        with self._deciding:
            if self.runner is not None:
                self.runner.stop()
                self.runner = None
                self.lock.release()
            self.services.close()


class Client(
    LibraryClient,
    GraphClient,
    GraphReading,
    HistoryClient,
    SettingsClient,
    AskClient,
    TraceClient,
):
    """A principal's view of one home; safe to share among threads. Use ``connect``."""

    def __init__(self, connection: _Connection, principal: Principal) -> None:
        self._connection = connection
        self._services = connection.services
        self._catalog = connection.services.catalog
        self._principal = principal

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Pauses what runs here and gives the stores up."""
        self._connection.close()

    @property
    def owner(self) -> bool:
        """Whether this process owns the stores; decided by the first command."""
        return self._connection.runner is not None

    def acting_as(self, principal: Principal) -> "Client":
        """The same connection for another person."""
        return Client(self._connection, principal)

    # Reading: straight from the catalog, in any process.

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
        """The report of a thread as a file; raises as ``agent.exports.export``."""
        from agent.exports import export

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
        return self._catalog.runs.look(self._principal, thread_id, after)

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

    # Doing: through commands, carried out by the owner.

    def model_name(self) -> str:
        """The language model in use, or ``none``; where its owner runs, it is asked once."""
        connection = self._connection
        if connection.runner is None:
            return str(self._do(NameModel())["model"])
        if connection.model is None:
            connection.model = str(self._do(NameModel())["model"])
        return connection.model

    def ingest(
        self,
        paths: Sequence[Path],
        collection: str,
        *,
        language: str = "auto",
        chunking: Chunking | None = None,
        prune: bool = False,
        on_event: Callable[[Event], None] | None = None,
    ) -> IngestReport:
        """Takes files and folders into a collection, creating it when missing.

        With ``prune``, documents whose files are gone from these folders are taken out.
        """
        command = IngestFiles(
            paths=tuple(str(Path(path).resolve()) for path in paths),
            collection=collection,
            language=language,
            chunking=chunking or Chunking(),
            prune=prune,
        )
        return IngestReport.model_validate(self._do(command, on_event=on_event))

    def search(
        self,
        query: str,
        *,
        collections: Sequence[str] | None = None,
        k: int = 10,
        mode: SearchMode = "hybrid",
        only: SearchFilter = EVERYWHERE,
    ) -> list[Hit]:
        names = _names(collections)
        request = SearchRequest(query=query, collections=names, k=k, mode=mode, only=only)
        return list(self.find(request).hits)

    def find(self, request: SearchRequest) -> SearchResult:
        """What a search finds, with the parameters of its profile, and where it came from."""
        command = SearchCorpus.model_validate(request.model_dump())
        return SearchResult.model_validate(self._do(command))

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
        wanted = effective.collections(_names(collections))
        names = wanted or tuple(info.name for info in self.collections())
        self._catalog.collections.scope(self._principal, names)
        if not names:
            raise InvalidInput(
                "There are no documents yet. Add some: rabbithole ingest PATH... --collection NAME"
            )
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

    def answer(self, thread_id: str, interrupt_id: str, text: str) -> None:
        """Answers the clarification question; ``/end`` goes on to the plan.

        Raises:
            AlreadyAnswered: another answer came first.
            InvalidInput: the answer is empty.
        """
        if not text.strip():
            raise InvalidInput("The answer is empty. Write one, or /end to go on without.")
        self._reply(thread_id, interrupt_id, text.strip())

    def approve(
        self, thread_id: str, interrupt_id: str, items: Sequence[PlanItem] | None = None
    ) -> None:
        """Approves the plan, as proposed or as edited.

        Raises:
            AlreadyAnswered: another approval came first.
            InvalidInput: the edited plan is empty or too long.
        """
        if items is not None:
            checked_plan(tuple(items))
        decision = PlanDecision(items=None if items is None else tuple(items))
        self._reply(thread_id, interrupt_id, decision.model_dump(mode="json"))

    def keep_draft(self, thread_id: str, interrupt_id: str, draft: dict[str, Any]) -> None:
        """Keeps what this person is preparing as the answer to a question, until it is given."""
        self.run(thread_id)
        self._catalog.drafts.put(thread_id, interrupt_id, draft, self._principal)

    def draft(self, thread_id: str, interrupt_id: str) -> dict[str, Any] | None:
        """The draft that was kept last, in any window."""
        self.run(thread_id)
        return self._catalog.drafts.get(thread_id, interrupt_id, self._principal)

    def _reply(self, thread_id: str, interrupt_id: str, value: Any) -> None:
        run = self.run(thread_id)
        if run.pending is None or run.pending.interrupt_id != interrupt_id:
            raise AlreadyAnswered("This question was answered before; the thread went on.")
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

    def _submit(self, command: AnyCommand) -> int:
        self._connection.become_owner()
        payload = command.model_dump(mode="json", exclude={"kind"})
        number = self._catalog.commands.submit(self._principal, command.kind, payload)
        if self._connection.runner is not None:
            self._connection.runner.wake()
        return number

    def _do(
        self, command: AnyCommand, on_event: Callable[[Event], None] | None = None
    ) -> dict[str, Any]:
        """Submits a command and waits for its result."""
        number = self._submit(command)
        try:
            return self._result(number, on_event)
        except KeyboardInterrupt:
            if for_who_waits(command.kind, command.model_dump()):
                self._catalog.commands.give_up(number, facts_ended())
            raise

    def _result(
        self, number: int, on_event: Callable[[Event], None] | None = None
    ) -> dict[str, Any]:
        submitted = time.monotonic()
        seen = 0
        while True:
            current = self._catalog.commands.get(number)
            if on_event is not None:
                for record in self._catalog.events.since(INGEST_THREAD.format(number), seen):
                    seen = record.seq
                    on_event(record.event)
            if current.status in ("done", "failed"):
                return _outcome(current)
            if current.status == "queued" and time.monotonic() - submitted > TAKE_OVER_AFTER_S:
                self._take_over()
            time.sleep(POLL_S if on_event else POLL_S / 10)

    def _take_over(self) -> None:
        """Nobody claimed the command in time: its owner is gone or does not listen."""
        if not self._connection.become_owner():
            pid = self._connection.lock.owner_pid()
            if pid is None:
                return
            raise StoresBusy(
                f"Process {pid} owns {self._services.settings.home} and does not answer. "
                "Wait until it has finished, or end it."
            )


def connect(settings: Settings, principal: Principal | None = None) -> Client:
    """Opens a home, as its owner if nobody else is."""
    settings.home.mkdir(parents=True, exist_ok=True)
    return connect_to(build_services(settings), principal or Principal())


def connect_to(services: Services, principal: Principal) -> Client:
    """``connect`` for services that were built elsewhere."""
    return Client(_Connection(services, OwnerLock(services.settings.home)), principal)


def _names(collections: Sequence[str] | None) -> tuple[str, ...] | None:
    return tuple(collections) if collections else None


def _outcome(command: Command) -> dict[str, Any]:
    if command.status == "done":
        return command.result or {}
    kind = getattr(errors, command.error_type or "", RabbitholeError)
    raise kind(command.error)
