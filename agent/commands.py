"""Commands that front ends put into the catalog and the runner carries out."""

from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from agent.models import RunOptions
from services.types import Chunking, SearchRequest, Value


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


class StopRun(Value):
    """Pauses a thread, or cancels it with a report of what there is."""

    kind: Literal["stop"] = "stop"
    thread_id: str
    cancel: bool


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
    """Compares indexes with the catalog; of one collection, or of all one may change."""

    kind: Literal["check"] = "check"
    collection: str | None
    repair: bool


class RestoreCollection(Value):
    """Makes a collection of an exported file, under its old name or another."""

    kind: Literal["restore"] = "restore"
    file: str
    name: str | None


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
    | ResumeRun
    | StopRun
    | IngestFiles
    | SearchCorpus
    | RemoveDocument
    | ClearDeleted
    | CheckIndexes
    | RestoreCollection
    | NameModel
    | CheckModel
    | CheckEmbedder
    | ShowCache,
    Field(discriminator="kind"),
]
COMMAND: TypeAdapter[AnyCommand] = TypeAdapter(AnyCommand)
INGEST_THREAD = "ingest-{}"
"""Thread of the event log under which the progress of an ingest command is kept."""
