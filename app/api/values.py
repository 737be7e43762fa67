"""Request bodies of the HTTP API, and the responses that are no values of the engine."""

from typing import Annotated, Any, Final, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field, JsonValue, create_model
from starlette.convertors import StringConvertor, register_url_convertor

from agent.ask.models import AskedDepth
from agent.graph_paths import EntityCard, FactsCost, GraphStatus, Step
from agent.models import RunOptions
from services.domain import (
    DocumentSpan,
    Location,
    MetadataChanges,
    SearchFilter,
    SearchRequest,
    Value,
)
from services.domain.answers import Decision
from services.domain.collections import Visibility
from services.domain.events import PlanItem, Waiting
from services.domain.grids import MOST_COLUMNS, Column, RowKind
from services.domain.notices import Notice


class FileName(StringConvertor):
    """The remaining path, for names of files that contain slashes or line breaks."""

    regex = "(?s:.+)"


register_url_convertor("file", FileName())
NOT_NUL: Final = r"^[^\x00]*$"
Name = Annotated[str, Path(max_length=200, pattern=NOT_NUL, description="Name or id.")]
Thread = Annotated[str, Path(max_length=64, pattern=r"^[0-9A-Za-z_-]+$", examples=["1f0c6d2b9a3e"])]
JobNumber = Annotated[int, Path(ge=1, le=2**53, examples=[7])]
Offset = Annotated[int, Query(ge=0, le=2**53)]
After = Annotated[int, Query(ge=0, le=2**53, description="Events with a greater `seq` only.")]
Text = Annotated[str, Field(max_length=4000, pattern=NOT_NUL)]
ShortText = Annotated[str, Field(max_length=200, pattern=NOT_NUL)]
Texts = Annotated[tuple[Text, ...], Field(max_length=100)]
Listed = Annotated[tuple[ShortText, ...], Field(max_length=100)]
Names = Annotated[tuple[ShortText, ...] | None, Field(max_length=100, examples=[["law"]])]
"""Collections, or documents within them; without any, everything that the caller may read."""
Searched = Annotated[list[ShortText] | None, Query(max_length=100, description="Names or ids.")]
"""``Names`` in the query of an address."""
JsonObject = dict[str, JsonValue]


def under(key: str, kind: Any, name: str = "") -> type[Value]:
    """Return the schema of a response with one field under this key."""
    fields: dict[str, Any] = {key: (kind, ...)}
    return create_model(name or key.title(), __base__=Value, **fields)


class Body(BaseModel):
    """A request body that refuses unknown fields, so that a typing error sets no default."""

    model_config = ConfigDict(extra="forbid")


class NewCollection(Body):
    name: ShortText = Field(examples=["law"])
    description: Text = ""
    visibility: Visibility = "private"


class CollectionChanges(Body):
    """Omitted fields stay; ``visibility`` says who may read the collection."""

    model_config = ConfigDict(validate_by_name=True)
    new_name: ShortText | None = Field(default=None, alias="name", examples=["german law"])
    description: Text | None = None
    visibility: Visibility | None = None


class Only(SearchFilter):
    documents: Listed = ()
    sections: Listed = ()
    tags: Listed = ()
    categories: Listed = ()
    authors: Listed = ()


class SearchFor(SearchRequest):
    query: Text = Field(min_length=1, examples=["Grenzwert für Beschäftigte unter 18 Jahren"])
    collections: Names = None
    documents: Listed = ()
    only: Only = Only()
    k: int | None = Field(default=None, ge=1, le=100)
    profile: ShortText | None = None


class Ask(Body):
    """With ``wait`` False the call returns at once; follow the events of the thread."""

    question: Text = Field(
        min_length=1, examples=["Ab welchem Alter darf man ein Solarium nutzen?"]
    )
    thread_id: Annotated[str, Field(pattern=r"^[0-9A-Za-z_-]{1,64}$")] | None = None
    collections: Names = None
    documents: Names = None
    depth: AskedDepth = "auto"
    k: int | None = Field(default=None, ge=1, le=100)
    profile: ShortText | None = None
    wait: bool = True


class Classify(Body):
    question: Text = Field(min_length=1, examples=["Was unterscheidet § 78 von § 79?"])
    collections: Names = None


class Options(RunOptions):
    documents: Listed = ()
    follows: ShortText | None = None
    profile: ShortText | None = None
    synthesis_prompt: Text = ""
    research_queries: Texts = ()


class Research(Body):
    question: Text = Field(min_length=1, examples=["Wer darf ein Solarium betreiben?"])
    collections: Names = None
    options: Options = Field(default=Options(), examples=[{"clarify": False}])


class Reply(Body):
    """The answer to the question that ``interrupt_id`` names."""

    interrupt_id: ShortText
    text: Text = Field(min_length=1, examples=["/end"])


class Task(PlanItem):
    task: Text
    context: Text = ""
    subtasks: Texts = ()


class Approval(Body):
    """The edited plan; without ``items`` the plan as proposed."""

    interrupt_id: ShortText
    items: tuple[Task, ...] | None = Field(default=None, max_length=100)


class Fork(Body):
    checkpoint_id: ShortText


class Restore(Body):
    chunk_ids: tuple[ShortText, ...] = Field(min_length=1, max_length=1000)


class Rename(Body):
    title: ShortText


class Ballot(Body):
    up: bool
    text: Text = ""
    turn: int | None = Field(default=None, ge=1, le=10_000)


class Metadata(MetadataChanges):
    """Omitted fields stay, empty ones are cleared; `tags` replaces all tags."""

    tags: Listed | None = None
    category: ShortText | None = None
    author: ShortText | None = None
    date: ShortText | None = Field(default=None, examples=["2017-06-27"])


class Verdict(Body):
    """A decision about a sentence, by its number; ``text`` is the new wording or the note."""

    sentence: int = Field(ge=0, le=100_000)
    decision: Decision
    text: Text = ""
    turn: int = Field(default=1, ge=1, le=10_000)


Budget = Annotated[int | None, Field(ge=1, le=10**6, description="Model calls of a run at most.")]


class GridScope(Body):
    collections: Names = None
    documents: Listed = ()
    max_calls: Budget = None


class NewSweep(GridScope):
    """``counts`` says what belongs to the list and what does not."""

    question: Text = Field(min_length=1, examples=["Which periods do the contracts name?"])
    counts: Text = Field("", max_length=2_000, examples=["Every period with a number."])


class GridColumn(Column):
    question: Text = Field(min_length=1, max_length=500, examples=["How long is the notice?"])


Columns = Annotated[tuple[GridColumn, ...], Field(min_length=1, max_length=MOST_COLUMNS)]


class NewGrid(GridScope):
    """``sweep`` is the thread whose list the rows are, with ``rows`` set to ``sweep``."""

    name: ShortText = Field(min_length=1, examples=["Contracts"])
    columns: Columns
    rows: RowKind = "documents"
    sweep: ShortText | None = None


class GridChanges(Body):
    """Omitted fields stay; a column that keeps its id and question keeps its cells."""

    columns: Columns | None = None
    documents: Listed | None = None
    max_calls: Budget = None


class CellDecision(Body):
    """The corrected value of a cell; without one, the value is accepted as it was read."""

    value: ShortText | None = None


class Section(DocumentSpan, Location):
    """Characters of a document's text, with their section and page.

    `recognised`: they were read from a picture.
    """

    length: int
    text: str
    recognised: bool = False


class Accepted(Value):
    """A job that was accepted; `/api/v1/jobs/{number}` shows its progress."""

    number: int


class JobInfo(Value):
    number: int
    kind: str
    status: Literal["queued", "running", "done", "failed"]
    created_at: str
    error: Notice | None
    result: JsonObject | None


class Started(Value):
    """A thread at work; the events after ``after`` belong to this call."""

    thread_id: str
    after: int
    turn: int | None = None


class AskResult(BaseModel):
    """The turn as ``rabbithole ask --json`` prints it, or the questions it asks (``pending``)."""

    model_config = ConfigDict(extra="allow")
    thread_id: str
    pending: Waiting | None = None


class GraphState(Value):
    status: GraphStatus
    facts_cost: FactsCost


class Entity(Value):
    """``places`` tell where the relation to each neighbour was read."""

    entity: EntityCard
    places: tuple[Location | None, ...]


class GraphPaths(Value):
    """``places`` tell where each step of each path was read."""

    paths: tuple[tuple[Step, ...], ...]
    places: tuple[tuple[Location | None, ...], ...]
