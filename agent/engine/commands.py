"""Commands that front ends put into the catalog and the runner carries out."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from agent.ask.models import AskOptions
from agent.models import RunOptions
from services.domain import Chunking, SearchRequest, Value


class StartRun(Value):
    kind: Literal["start"] = "start"
    thread_id: str
    question: str
    collections: tuple[str, ...] | None
    options: RunOptions


class ResumeRun(Value):
    """Continues a thread: with the stored answer of ``interrupt_id``, or where it stopped."""

    kind: Literal["resume"] = "resume"
    thread_id: str
    interrupt_id: str | None = None


class AskQuestion(Value):
    """Asks a question in a conversation that the catalog knows already."""

    kind: Literal["ask"] = "ask"
    thread_id: str
    question: str
    options: AskOptions


class StopRun(Value):
    """Pauses a thread, or cancels it with a report of what there is."""

    kind: Literal["stop"] = "stop"
    thread_id: str
    cancel: bool


class RestoreEvidence(Value):
    """Lets dropped evidence of a finished thread count again."""

    kind: Literal["restore_evidence"] = "restore_evidence"
    thread_id: str
    chunk_ids: tuple[str, ...]


class ListCheckpoints(Value):
    """Asks where a thread can be forked."""

    kind: Literal["checkpoints"] = "checkpoints"
    thread_id: str


class ForkRun(Value):
    """Makes a new thread that continues from a checkpoint of another."""

    kind: Literal["fork"] = "fork"
    thread_id: str
    checkpoint_id: str
    new_thread_id: str


class DeleteRun(Value):
    """Deletes a thread with its events, checkpoints, answers and report."""

    kind: Literal["delete_run"] = "delete_run"
    thread_id: str


class IngestFiles(Value):
    kind: Literal["ingest"] = "ingest"
    paths: tuple[str, ...]
    collection: str
    language: str = "auto"
    chunking: Chunking = Chunking()
    prune: bool = False


class SearchCorpus(SearchRequest):
    kind: Literal["search"] = "search"


class RemoveDocument(Value):
    """Takes a document, by name or id, out of a collection, by name or id."""

    kind: Literal["remove"] = "remove"
    collection: str
    document: str


class ClearDeleted(Value):
    """Takes out of the stores what deleted collections left there."""

    kind: Literal["clear"] = "clear"


class CheckIndexes(Value):
    """Compares indexes with the catalog; of one collection, or of all one may change.

    ``repair`` makes them agree; ``afresh`` too, with the embedding model in use and nothing of
    the old indexes.
    """

    kind: Literal["check"] = "check"
    collection: str | None
    repair: bool
    afresh: bool = False


class BuildGraph(Value):
    """Builds the knowledge graph of one collection, or of all one may change.

    ``facts`` has the language model read the texts too; ``estimate`` only says what that takes.
    Facts are read for whoever waits for them: when they leave, or the process that reads dies,
    the command is given up, and nothing reads on unasked.
    """

    kind: Literal["build_graph"] = "build_graph"
    collection: str | None
    facts: bool = False
    estimate: bool = False


class RestoreCollection(Value):
    """Makes a collection of an exported file, under its old name or another."""

    kind: Literal["restore"] = "restore"
    file: str
    name: str | None


class ReplayTrace(Value):
    """Runs the trace in a file again, with the replies that it holds."""

    kind: Literal["replay"] = "replay"
    file: str


class NameModel(Value):
    """Asks the owner which model it uses."""

    kind: Literal["model"] = "model"


class CheckModel(Value):
    """Asks the owner to try its language model."""

    kind: Literal["check_model"] = "check_model"


class CheckEmbedder(Value):
    """Asks the owner to try its embedding model."""

    kind: Literal["check_embedder"] = "check_embedder"


class ShowCache(Value):
    """Asks the owner how its memory of searches does, emptied first if wanted."""

    kind: Literal["cache"] = "cache"
    clear: bool


AnyCommand = Annotated[
    StartRun
    | AskQuestion
    | ResumeRun
    | StopRun
    | RestoreEvidence
    | ListCheckpoints
    | ForkRun
    | DeleteRun
    | IngestFiles
    | SearchCorpus
    | RemoveDocument
    | ClearDeleted
    | CheckIndexes
    | BuildGraph
    | RestoreCollection
    | ReplayTrace
    | NameModel
    | CheckModel
    | CheckEmbedder
    | ShowCache,
    Field(discriminator="kind"),
]
SHORT = SearchCorpus | ListCheckpoints | NameModel | CheckModel | CheckEmbedder | ShowCache
"""What changes nothing and is waited for: nobody misses it after the process has died."""
COMMAND: TypeAdapter[AnyCommand] = TypeAdapter(AnyCommand)
INGEST_THREAD = "command:{}"
"""Thread of the event log under which the progress of a command is kept; no run has a colon."""
