"""Jobs for the process that owns the stores, and their states in the queue."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Generic, TypeVar

from pydantic import ConfigDict, JsonValue, TypeAdapter

from agent.ask.models import AskOptions
from agent.research.state import CheckpointInfo
from services.catalog.values import JobStatus, QueuedJob
from services.domain import CacheStatistics, SearchRequest, SearchResult, TaskUsage, Value, errors
from services.domain.errors import Interrupted, RabbitholeError
from services.domain.events import Event
from services.domain.grids import Contradiction, Estimate
from services.domain.model_checks import EmbedderCheck, ModelCheck, ModelReading, ModelState
from services.domain.notices import Notice
from services.graph.values import BuildReport, FactsCost

R = TypeVar("R")
_KINDS: Final[dict[str, "type[Job[Any]]"]] = {}


class Job(Value, Generic[R]):
    """A job with a result of the type ``R``.

    ``kind`` names it in the queue, and names the method of `agent.engine.handlers.Handlers` that
    does it, unless it is a `Change`. A ``short`` job changes nothing and somebody waits for it, so
    the owner does it without the queue.
    """

    model_config = ConfigDict(extra="ignore")  # an earlier version may have queued it
    kind: ClassVar[str]
    short: ClassVar[bool] = False

    @property
    def files(self) -> tuple[str, ...]:
        """Paths of the files that the job reads."""
        return ()

    @property
    def needs_waiter(self) -> bool:
        """Whether the job is given up, even after it has begun, once nobody waits for it."""
        return self.short

    def abandoned(self) -> Interrupted:
        """Return the error of a job that nobody waits for any more."""
        return Interrupted(UNAWAITED)

    def __init_subclass__(cls, *, kind: str = "", short: bool = False, **options: Any) -> None:
        super().__init_subclass__(**options)
        if kind:
            cls.kind, cls.short = kind, short
            _KINDS[kind] = cls

    @classmethod
    def _outcome(cls) -> TypeAdapter[R]:
        declared: Any = cls.__mro__[1]  # the class that was given ``R``
        (declared,) = declared.__pydantic_generic_metadata__["args"]
        return TypeAdapter(declared)

    @classmethod
    def stored(cls, result: R) -> JsonValue:
        value: JsonValue = cls._outcome().dump_python(result, mode="json")
        return value

    @classmethod
    def result_of(cls, stored: JsonValue) -> R:
        return cls._outcome().validate_python(stored)


class ThreadJob(Job[R], Generic[R]):
    """A job of a thread; its other fields are the arguments."""

    thread_id: str


class StartThread(ThreadJob[None], kind="start"):
    """Start a research that is in the catalog."""


class ResumeThread(ThreadJob[None], kind="resume"):
    """Continue a thread with the stored answer to ``interrupt_id``, or where it stopped."""

    interrupt_id: str | None = None


class AskQuestion(ThreadJob[int], kind="ask"):
    """Ask a question in a conversation that is in the catalog; results in the turn's number.

    The only owner of a home needs no such job, see `agent.engine.connection.Connection.ask`.
    """

    question: str
    options: AskOptions


class StopThread(ThreadJob[None], kind="stop"):
    """Pause a thread, or cancel it with a report of what there is."""

    cancel: bool


class RestoreEvidence(ThreadJob[None], kind="restore_evidence"):
    """Let dropped evidence of a finished thread count again."""

    chunk_ids: tuple[str, ...]


class ListCheckpoints(ThreadJob[list[CheckpointInfo]], kind="checkpoints", short=True):
    """List the checkpoints from which a thread can be forked, oldest first."""


class ForkThread(ThreadJob[None], kind="fork"):
    """Make a new thread that continues from a checkpoint of another."""

    checkpoint_id: str
    new_thread_id: str


class EstimateReading(ThreadJob[Estimate], kind="estimate", short=True):
    """Estimate what is still to be read for a grid or a sweep."""


class CompareColumn(ThreadJob[list[Contradiction]], kind="compare", short=True):
    """Find contradictions among what was read for a column of a grid."""

    column: int


class RowsRead(Value):
    """What was told while rows were read; ``gone`` is why the model was given up."""

    events: tuple[Event, ...] = ()
    usage: tuple[TaskUsage, ...] = ()
    warnings: tuple[Notice, ...] = ()
    gone: Notice | None = None


class ReadRows(Job[RowsRead], kind="read_rows"):
    """Read the ``chunks`` of a ``state`` of a grid or a sweep, in any worker, for its driver."""

    grid: str
    state: dict[str, JsonValue]


class DeleteThread(ThreadJob[None], kind="delete_run"):
    """Delete a thread; once it has ``begun``, the thread may be gone when it is done again."""

    begun: bool = False


class SearchJob(Job[SearchResult], kind="search", short=True):
    request: SearchRequest


class BuildGraph(Job[BuildReport], kind="build_graph"):
    """Build the graph of a collection, or of all; ``facts`` are read as long as somebody waits."""

    collection: str | None
    facts: bool = False

    @property
    def needs_waiter(self) -> bool:
        return self.facts

    def abandoned(self) -> Interrupted:
        if not self.facts:
            return super().abandoned()
        return Interrupted(
            "Fact extraction was stopped. Facts found so far are kept; the same command continues "
            "from there."
        )


class Summarise(Job[None], kind="summarise"):
    """Summarise documents, by id, in the background."""

    documents: tuple[str, ...]


class EstimateFacts(Job[FactsCost], kind="estimate_facts"):
    """Estimate what ``BuildGraph`` with ``facts`` would cost."""

    collection: str | None


class CorpusDifference(Value):
    """Names of documents that are gone since a run, and of those that were added."""

    missing: tuple[str, ...]
    added: tuple[str, ...]


class ReplayReport(Value):
    """Whether a replay gave the same results as the run; if not, the first difference in words."""

    thread_id: str
    identical: bool
    difference: str | None
    corpus: CorpusDifference


class ReplayTrace(Job[ReplayReport], kind="replay"):
    """Run the trace in a file again, with its recorded replies."""

    file: str


class ShowModel(Job[ModelState], kind="show_model", short=True):
    """Report the state of the language model without waiting for it.

    ``warm`` loads it in the background; ``again`` replaces it by the current choice.
    """

    warm: bool = False
    again: bool = False


class CheckModel(Job[ModelCheck], kind="check_model", short=True):
    """Have the language model write a line."""


class TakeReadingTest(Job[ModelReading | None], kind="take_reading_test", short=True):
    """Report whether the model passes the reading test, taken if need be; None without a model."""

    again: bool = False


class CheckEmbedder(Job[EmbedderCheck], kind="check_embedder", short=True):
    """Have the embedding model read a question."""


class ShowCache(Job[CacheStatistics], kind="cache", short=True):
    """Report on the cache of searches, emptied first with ``clear``."""

    clear: bool


SHUTTING_DOWN: Final = Notice.of("Rabbithole is shutting down. Try again when it is running again.")
UNAWAITED: Final = Notice.of(
    "The job was cancelled because nobody is waiting for its result any more."
)
ALREADY_ANSWERED: Final = Notice.of(
    "This question has already been answered; the thread has continued."
)
LISTED: Final[Sequence[str]] = ("ingest", "remove", "restore_document", "check", "restore")
"""Kinds of jobs that their submitter can list and follow."""


def job_of(queued: QueuedJob) -> Job[Any]:
    """Return the job of a row of the queue.

    Raises KeyError if no version has jobs of this kind, ValidationError if none wrote one like it.
    """
    return _KINDS[queued.kind].model_validate(queued.payload)


def error_of(queued: QueuedJob) -> RabbitholeError:
    """Return the error of a failed job."""
    kind: type[RabbitholeError] = getattr(errors, queued.error_type or "", RabbitholeError)
    return kind(queued.error or "")


@dataclass(frozen=True)
class JobState:
    """A submitted job with its status; ``created_at`` is ISO 8601 in UTC.

    Jobs that change the stores wait for each other, so a ``running`` one may be waiting.
    """

    number: int
    job: Job[Any]
    status: JobStatus
    created_at: str
    error: Notice | None = None
    stored: JsonValue = None

    @classmethod
    def of(cls, queued: QueuedJob) -> "JobState":
        """Return the state of a job in the queue."""
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
        """Whether the job is still to be done."""
        return self.status in ("queued", "running")

    @property
    def result(self) -> Any:
        """The job's result; None unless it is done."""
        return None if self.stored is None else self.job.result_of(self.stored)
