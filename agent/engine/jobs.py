"""Jobs: what the process that owns the stores is asked to do, and what comes of each."""

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Generic, Self, TypeVar

from pydantic import ConfigDict, JsonValue, TypeAdapter

from agent.ask.models import AskOptions
from agent.research.checkpoint_info import CheckpointInfo
from services.catalog.values import JobStatus, QueuedJob
from services.domain import (
    CacheStatistics,
    Chunking,
    CollectionHealth,
    DocumentInfo,
    IngestEngine,
    IngestReport,
    Principal,
    SearchRequest,
    SearchResult,
    Value,
)
from services.domain.collections import BinnedDocument
from services.domain.errors import Interrupted
from services.domain.events import Event
from services.domain.model_checks import EmbedderCheck, ModelCheck, ModelReading, ModelState
from services.domain.notices import Notice
from services.graph.values import BuildReport, FactsCost
from services.ingestion.job import Alone
from services.library.archive.values import RestoreReport
from services.library.library import Library

R = TypeVar("R")
Record = Callable[[Event], None]
_KINDS: Final[dict[str, "type[Job[Any]]"]] = {}


class Job(Value, Generic[R]):
    """Something to do; ``R`` is what comes of it.

    ``kind`` names it in the queue, and the method of `agent.engine.handlers.Handlers` that does it,
    unless it is a `Change`.
    One that is ``short`` changes nothing and is waited for, so nobody misses it after the process
    has died: an owner does it without the queue.
    """

    model_config = ConfigDict(extra="ignore")  # an earlier version may have queued it
    kind: ClassVar[str]
    short: ClassVar[bool] = False

    def is_called(self, *, shared: bool) -> bool:
        """Whether an owner does it without the queue, in a home that is ``shared`` or not."""
        return self.short

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of what it is to read."""
        return ()

    @property
    def needs_waiter(self) -> bool:
        """Whether it is given up even after it has begun when whoever waited for it has left."""
        return self.short

    @classmethod
    def __pydantic_init_subclass__(cls, **options: Any) -> None:
        super().__pydantic_init_subclass__(**options)
        if "kind" in vars(cls):
            _KINDS[cls.kind] = cls

    @classmethod
    def _outcome(cls) -> TypeAdapter[R]:
        declared: Any = cls.__mro__[1]  # the class that was given ``R``
        (declared,) = declared.__pydantic_generic_metadata__["args"]
        return TypeAdapter(declared)

    @classmethod
    def stored(cls, result: R) -> JsonValue:
        """What came of it, as the queue keeps it."""
        kept: JsonValue = cls._outcome().dump_python(result, mode="json")
        return kept

    @classmethod
    def result_of(cls, stored: JsonValue) -> R:
        """What came of it, from what the queue keeps."""
        return cls._outcome().validate_python(stored)


class ThreadJob(Job[R], Generic[R]):
    """Something to do with a thread, told the other fields."""

    thread_id: str


class Change(Job[R], Generic[R]):
    """Something that the library does to the stores; one such work is done at a time.

    ``Ingest`` makes room for those of other people while it does not write.
    """

    def decided(self, library: Library, principal: Principal) -> Self:
        """The job with what its names stand for, kept before it is carried out.

        Whoever does it again after a kill goes by that: the names may mean nothing any more.
        """
        return self

    def carry_out(self, library: Library, principal: Principal, record: Record) -> R:
        """Does it in the calling thread, and tells the progress."""
        raise NotImplementedError


class StartThread(ThreadJob[None]):
    """Starts a research that the catalog knows already."""

    kind = "start"


class ResumeThread(ThreadJob[None]):
    """Continues a thread: with the stored answer of ``interrupt_id``, or where it stopped."""

    kind = "resume"
    interrupt_id: str | None = None


class AskQuestion(ThreadJob[int]):
    """Asks a question in a conversation that the catalog knows already; the number of the turn.

    After a kill whoever asked asks again. Only several workers share questions by the queue.
    """

    kind = "ask"
    question: str
    options: AskOptions

    def is_called(self, *, shared: bool) -> bool:
        return not shared


class StopThread(ThreadJob[None]):
    """Pauses a thread, or cancels it with a report of what there is."""

    kind = "stop"
    cancel: bool


class RestoreEvidence(ThreadJob[None]):
    """Lets dropped evidence of a finished thread count again."""

    kind = "restore_evidence"
    chunk_ids: tuple[str, ...]


class ListCheckpoints(ThreadJob[list[CheckpointInfo]]):
    """Says where a thread can be forked, oldest first."""

    kind = "checkpoints"
    short = True


class ForkThread(ThreadJob[None]):
    """Makes a new thread that continues from a checkpoint of another."""

    kind = "fork"
    checkpoint_id: str
    new_thread_id: str


class DeleteThread(ThreadJob[None]):
    """Deletes a thread with its events, checkpoints, answers and report.

    Once it has ``begun``, whoever does it again after a kill need not find the thread.
    """

    kind = "delete_run"
    begun: bool = False


class Ingest(Change[IngestReport]):
    kind = "ingest"
    paths: tuple[str, ...]
    collection: str
    language: str = "auto"
    chunking: Chunking = Chunking()
    prune: bool = False
    engine: IngestEngine = "local"

    @property
    def files(self) -> tuple[str, ...]:
        return self.paths

    def carry_out(
        self, library: Library, principal: Principal, record: Record, alone: Alone = nullcontext
    ) -> IngestReport:
        arguments = {**dict(self), "paths": [Path(path) for path in self.paths]}
        return library.ingest(principal, **arguments, on_event=record, alone=alone)


class Search(Job[SearchResult]):
    kind = "search"
    short = True
    request: SearchRequest


class Removed(Value):
    """The document as it was."""

    document: DocumentInfo


class RemoveDocument(Change[Removed]):
    """Takes a document, by name or id, out of a collection, by name or id."""

    kind = "remove"
    collection: str
    document: str
    found: DocumentInfo | None = None

    def decided(self, library: Library, principal: Principal) -> Self:
        found = self.found or library.removable(principal, self.collection, self.document)
        return self.model_copy(update={"found": found})

    def carry_out(self, library: Library, principal: Principal, record: Record) -> Removed:
        assert self.found is not None
        library.remove(principal, self.collection, self.found)
        return Removed(document=self.found)


class RestoreDocument(Change[DocumentInfo]):
    """Puts a document back, by name or id, from the bin of a collection."""

    kind = "restore_document"
    collection: str
    document: str
    found: BinnedDocument | None = None

    def decided(self, library: Library, principal: Principal) -> Self:
        found = self.found or library.binned(principal, self.collection, self.document)
        return self.model_copy(update={"found": found})

    def carry_out(self, library: Library, principal: Principal, record: Record) -> DocumentInfo:
        assert self.found is not None
        return library.put_back(principal, self.collection, self.found, record)


class EmptyBin(Change[list[BinnedDocument]]):
    """Gives up what lies in the bin of a collection; what nobody else uses is deleted."""

    kind = "empty_bin"
    collection: str

    def carry_out(
        self, library: Library, principal: Principal, record: Record
    ) -> list[BinnedDocument]:
        given_up = library.empty_bin(principal, self.collection)
        library.clear_deleted()
        return given_up


class ClearDeleted(Change[None]):
    """Takes out of the stores what deleted collections left there."""

    kind = "clear"

    def carry_out(self, library: Library, principal: Principal, record: Record) -> None:
        library.clear_deleted()


class Checked(Value):
    """How the collections are, after the repair if there was one, and the steps of threads.

    ``steps`` says what is wrong with these, or what a repair has left of them; ``home`` that other
    users of the machine can enter the home.
    """

    collections: tuple[CollectionHealth, ...]
    steps: Notice | None = None
    home: Notice | None = None


class CheckIndexes(Change[Checked]):
    """Compares indexes with the catalog; of one collection, or of all one may change.

    ``repair`` makes them agree; ``afresh`` too, with the embedding model in use and nothing of
    the old indexes.
    """

    kind = "check"
    collection: str | None
    repair: bool
    afresh: bool = False

    @property
    def needs_waiter(self) -> bool:
        return not (self.repair or self.afresh)

    def carry_out(self, library: Library, principal: Principal, record: Record) -> Checked:
        if self.repair or self.afresh:
            states = library.repair(principal, self.collection, record, afresh=self.afresh)
        else:
            states = library.health(principal, self.collection)
        return Checked(collections=tuple(states))


class BuildGraph(Job[BuildReport]):
    """Builds the knowledge graph of one collection, or of all one may change.

    ``facts`` has the language model read the texts too, for whoever waits for them: when they
    leave, or the process that reads dies, the job is given up, and nothing reads on unasked.
    """

    kind = "build_graph"
    collection: str | None
    facts: bool = False

    @property
    def needs_waiter(self) -> bool:
        return self.facts


class EstimateFacts(Job[FactsCost]):
    """Says what ``BuildGraph`` with ``facts`` would ask of the model."""

    kind = "estimate_facts"
    collection: str | None


class RestoreCollection(Change[RestoreReport]):
    """Makes a collection of an exported file, under its old name or another."""

    kind = "restore"
    file: str
    name: str | None

    @property
    def files(self) -> tuple[str, ...]:
        return (self.file,)

    def carry_out(self, library: Library, principal: Principal, record: Record) -> RestoreReport:
        return library.restore_collection(principal, Path(self.file), self.name, record)


class CorpusDifference(Value):
    """Names of documents that a run searched and that are gone, and of those that came since."""

    missing: tuple[str, ...]
    added: tuple[str, ...]


class ReplayReport(Value):
    """Whether a replay gave what the run gave; if not, the first difference in words."""

    thread_id: str
    identical: bool
    difference: str | None
    corpus: CorpusDifference


class ReplayTrace(Job[ReplayReport]):
    """Runs the trace in a file again, with the replies that it holds."""

    kind = "replay"
    file: str


class ShowModel(Job[ModelState]):
    """Says how the language model is, without waiting for it.

    ``warm`` has it made in the background; ``again`` replaces it by what is chosen now.
    """

    kind = "show_model"
    short = True
    warm: bool = False
    again: bool = False


class CheckModel(Job[ModelCheck]):
    """Has the language model write a line."""

    kind = "check_model"
    short = True


class ExamineModel(Job[ModelReading | None]):
    """Say whether the language model reads, examined if need be, or ``again``; None without."""

    kind = "examine_model"
    short = True
    again: bool = False


class CheckEmbedder(Job[EmbedderCheck]):
    """Has the embedding model read a question."""

    kind = "check_embedder"
    short = True


class ShowCache(Job[CacheStatistics]):
    """Says how the memory of searches does, emptied first if wanted."""

    kind = "cache"
    short = True
    clear: bool


LISTED: Final[Sequence[str]] = ("ingest", "remove", "restore_document", "check", "restore")
"""Kinds that are listed to whoever submitted them, and can be followed."""


def job_of(queued: QueuedJob) -> Job[Any]:
    """The job that the queue keeps.

    Raises:
        KeyError: no version has jobs of this kind.
        ValidationError: no version wrote one like it.
    """
    return _KINDS[queued.kind].model_validate(queued.payload)


def log_thread(number: int) -> str:
    """The thread of the event log with the progress of a job; no run has a colon in its id."""
    return f"command:{number}"


def given_up(job: Job[Any]) -> Interrupted:
    """What is said of a job that was given up."""
    if isinstance(job, BuildGraph) and job.facts:
        return Interrupted(
            "Reading the facts was ended. What was read is kept; the same command goes on from "
            "there."
        )
    return Interrupted("Nobody waits for this any more, so it was given up.")


@dataclass(frozen=True)
class JobState:
    """A job that was submitted and what became of it; ``created_at`` is ISO 8601 in UTC.

    Jobs that change the stores wait for each other, so one that is ``running`` may wait.
    """

    number: int
    job: Job[Any]
    status: JobStatus
    created_at: str
    error: Notice | None = None
    stored: JsonValue = None

    @classmethod
    def of(cls, queued: QueuedJob) -> "JobState":
        """How a job in the queue is."""
        return cls(
            number=queued.id,
            job=job_of(queued),
            status=queued.status,
            created_at=queued.created_at,
            error=queued.error if queued.status == "failed" else None,
            stored=queued.result,
        )

    @property
    def open(self) -> bool:
        """Whether it is still to be done."""
        return self.status in ("queued", "running")

    @property
    def result(self) -> Any:
        """What came of it; None unless it is done."""
        return None if self.stored is None else self.job.result_of(self.stored)
