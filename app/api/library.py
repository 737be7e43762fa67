"""HTTP API: collections, documents, bins, jobs, and the knowledge graph of the documents."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, File, Form, Path, Query, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response, StreamingResponse

from agent.engine.changes import Ingest
from agent.engine.engine import Engine
from agent.engine.jobs import JobState
from agent.engine.library import Outline
from agent.graph_paths import Community
from app import uploads
from app.api import values
from app.api.events import STREAM, LastEvent, as_stream, stream_of
from app.api.gateway import Gateway, Reader, TokenFirst, Writer
from app.api.values import NOT_NUL, Name, Offset, under
from services.domain import CollectionInfo, DocumentInfo, Shelf
from services.domain.collections import BinnedDocument
from services.domain.errors import InvalidInput
from services.domain.runs import IngestionInfo

router = APIRouter(route_class=TokenFirst, tags=["library"])
graph = APIRouter(route_class=TokenFirst, prefix="/graph", tags=["graph"])
IN_BIN: Final[Mapping[str, Any]] = {
    "response_model": under("documents", list[BinnedDocument], "Bin"),
    "response_model_exclude": {"documents": {"__all__": {"source"}}},  # a path of the server
}
MAX_CHARACTERS = 20_000
"""Characters of a document in one response, at most."""
EntityName = Annotated[
    str, Query(min_length=1, max_length=400, pattern=NOT_NUL, examples=["§ 78 StrlSchG"])
]
Limit = Annotated[int, Query(ge=1, le=200)]
In = Annotated[str | None, Query(max_length=200, pattern=NOT_NUL, description="Name or id.")]


@router.get("/collections", response_model=under("collections", list[Shelf]))
def collections(engine: Reader) -> dict[str, list[Shelf]]:
    """List the collections that you can read."""
    return {"collections": engine.library.shelves()}


@router.post("/collections", status_code=201)
def create_collection(engine: Writer, new: values.NewCollection) -> CollectionInfo:
    """Create an empty collection that you own."""
    return engine.library.create_collection(**dict(new))


@router.get("/collections/{name}")
def collection(engine: Reader, name: Name) -> Shelf:
    """Show one collection."""
    return engine.library.shelf(name)


@router.patch("/collections/{name}")
def change_collection(engine: Writer, name: Name, to: values.CollectionChanges) -> CollectionInfo:
    """Rename, describe or share a collection."""
    return engine.library.change_collection(name, **dict(to))


@router.delete("/collections/{name}", response_model=under("deleted", CollectionInfo))
def delete_collection(engine: Writer, name: Name) -> dict[str, CollectionInfo]:
    """Delete a collection; its files are removed soon after."""
    return {"deleted": engine.library.delete_collection(name, wait=False)}


@router.put("/collections/{name}/subscription")
def subscribe(engine: Writer, name: Name) -> CollectionInfo:
    """Add another person's unlisted collection to your list, by its id."""
    return engine.library.subscribe(name)


@router.delete("/collections/{name}/subscription")
def unsubscribe(engine: Writer, name: Name) -> CollectionInfo:
    """Remove a collection from your list."""
    return engine.library.unsubscribe(name)


@router.post("/collections/{name}/documents", status_code=202)
async def upload(
    gateway: Gateway,
    engine: Writer,
    name: Name,
    files: Annotated[list[UploadFile], File(description="Documents; see docs/documents.md.")],
    language: Annotated[str, Form(pattern=r"^(auto|[a-z]{2})$")] = "auto",
) -> values.Accepted:
    """Start a job that adds files to a collection, creating it if needed."""
    await run_in_threadpool(_require_changeable, engine, name)
    received = [(file.filename or "upload", file.file) for file in files]
    awaited = await run_in_threadpool(engine.awaited_files)
    paths = await run_in_threadpool(uploads.store, gateway.settings.home, received, awaited)
    job = Ingest(paths=tuple(map(str, paths)), collection=name, language=language)
    number = await run_in_threadpool(engine.submit, job)
    gateway.remove_after(engine, number, paths)
    return values.Accepted(number=number)


def _require_changeable(engine: Engine, name: str) -> None:
    shelves = [s for s in engine.library.shelves() if name in (s.name, s.collection_id)]
    if shelves and not any(shelf.changeable for shelf in shelves):
        raise InvalidInput("You can read the collection {name}, but not change it.", name=name)


@router.get("/documents", response_model=under("documents", list[DocumentInfo]))
def documents(engine: Reader, collection: In = None) -> dict[str, list[DocumentInfo]]:
    """List the documents of a collection, or of all collections that you can read."""
    return {"documents": engine.library.documents(collection)}


@router.patch("/collections/{name}/documents/{document:file}")
def edit_document(engine: Writer, name: Name, document: Name, to: values.Metadata) -> DocumentInfo:
    """Set the tags, category, author or date of a document in a collection."""
    return engine.library.edit_document(name, document, to)


@router.delete(
    "/collections/{name}/documents/{document:file}", response_model=under("removed", DocumentInfo)
)
def remove_document(engine: Writer, name: Name, document: Name) -> dict[str, DocumentInfo]:
    """Move a document to the bin of its collection."""
    return {"removed": engine.library.remove_document(name, document)}


@router.get("/collections/{name}/bin", **IN_BIN)
def binned(engine: Reader, name: Name) -> dict[str, list[BinnedDocument]]:
    """List what was removed from a collection in the last 30 days."""
    return {"documents": engine.library.bin(name)}


@router.delete("/collections/{name}/bin", **IN_BIN)
def empty_bin(engine: Writer, name: Name) -> dict[str, list[BinnedDocument]]:
    """Empty the bin of a collection."""
    return {"documents": engine.library.empty_bin(name)}


@router.post("/collections/{name}/bin/{document:file}")
def restore_document(engine: Writer, name: Name, document: Name) -> DocumentInfo:
    """Restore a document from the bin."""
    return engine.library.restore_document(name, document)


@router.get("/documents/{document:file}/outline")
def outline(engine: Reader, document: Name, collection: In = None) -> Outline:
    """Show a document with its sections, its summary, if any, and what changes what."""
    return engine.library.outline(document, collection)


@router.get("/documents/{document:file}/text")
def text(engine: Reader, document: Name, start: Offset = 0, end: Offset = 2000) -> values.Section:
    """Return the characters of a document that a citation refers to (`start`, `end`)."""
    return section_of(engine, document, start, end)


def section_of(engine: Engine, document: str, start: int, end: int) -> values.Section:
    """Return characters of a document with their section and page."""
    opened = engine.library.open_document(document)
    parsed, end = opened.parsed, min(end, start + MAX_CHARACTERS, len(opened.parsed.text))
    labels = [section.label for section in parsed.sections if section.start <= start]
    return values.Section(
        document_id=opened.info.document_id,
        document=opened.info.document,
        start=start,
        end=max(start, end),
        length=len(parsed.text),
        section=labels[-1] if labels else "",
        **parsed.page_fields(start),
        text=parsed.text[start:end],
        recognised=parsed.is_recognised(start, end),
    )


@router.get(
    "/documents/{document:file}/pages/{page}",
    response_class=Response,
    responses={200: {"content": {"image/png": {}}, "description": "A PNG image."}},
)
def page_image(
    engine: Reader,
    document: Name,
    page: Annotated[int, Path(ge=1, le=100_000)],
    start: Offset = 0,
    end: Offset = 0,
) -> Response:
    """Return a PDF page as an image, with the characters of a span highlighted."""
    document_id = engine.library.open_document(document).info.document_id
    span = (start, end) if start < end else None
    image = engine.library.page_image(document_id, page, span=span)
    return Response(image.png, media_type="image/png")


@router.get("/documents/{document:file}")  # after those whose paths go on
def document(engine: Reader, document: Name) -> DocumentInfo:
    """Show one document, by name or id."""
    return engine.library.open_document(document).info


@router.get("/ingestions", response_model=under("ingestions", list[IngestionInfo]))
def ingestions(engine: Reader) -> dict[str, list[IngestionInfo]]:
    """List your last 20 ingestions, newest first; with an `admin` token everybody's."""
    return {"ingestions": engine.library.ingestions()}


@router.get("/jobs", response_model=under("jobs", list[values.JobInfo]))
def jobs(engine: Reader) -> dict[str, list[values.JobInfo]]:
    """List your last jobs that change collections, newest first."""
    return {"jobs": [job_info(state) for state in engine.jobs()]}


@router.get("/jobs/{number}")
def job(engine: Reader, number: values.JobNumber) -> values.JobInfo:
    """Show the progress and the result of a job."""
    return job_info(engine.job(number))


def job_info(state: JobState) -> values.JobInfo:
    """Return a job for programs, without the paths at which the server stores uploaded files."""
    result = state.stored if isinstance(state.stored, dict) else None
    if isinstance(state.job, Ingest) and result is not None:
        files = [file | {"path": file["document"]} for file in result["files"]]  # type: ignore
        result = result | {"files": files}
    return values.JobInfo(
        number=state.number,
        kind=state.job.kind,
        status=state.status,
        created_at=state.created_at,
        error=state.error,
        result=result,
    )


@router.get("/jobs/{number}/events", responses=STREAM)
def job_events(
    gateway: Gateway, engine: Reader, number: values.JobNumber, after: LastEvent
) -> StreamingResponse:
    """Stream the progress of a job as server-sent events until it is done."""
    engine.job(number)
    return as_stream(stream_of(gateway.follow_job(engine, number, after)))


@graph.get("")
def graph_status(engine: Reader, collection: In = None) -> values.GraphState:
    """Show how much of the graph is built, and what extracting facts with a model would cost."""
    return values.GraphState(
        status=engine.graph.status(collection), facts_cost=engine.graph.facts_cost(collection)
    )


@graph.get("/entity")
def entity(
    engine: Reader, name: EntityName, collections: values.Searched = None, limit: Limit = 20
) -> values.Entity:
    """Describe a section, document, term or word: its definition and its relations."""
    card = engine.graph.entity(name, collections, limit=limit)
    locations = engine.graph.places_of(card.neighbours, collections)
    return values.Entity(entity=card, places=tuple(locations))


@graph.get("/paths")
def graph_paths(
    engine: Reader,
    first: EntityName,
    second: EntityName,
    collections: values.Searched = None,
    limit: Annotated[int, Query(ge=1, le=10)] = 3,
) -> values.GraphPaths:
    """Find the shortest paths between two entities."""
    paths = engine.graph.paths(first, second, collections, limit=limit)
    locations = tuple(tuple(engine.graph.places_of(path, collections)) for path in paths)
    return values.GraphPaths(paths=paths, places=locations)


@graph.get("/communities", response_model=under("communities", list[Community]))
def communities(
    engine: Reader, collections: values.Searched = None, limit: Limit = 20
) -> dict[str, tuple[Community, ...]]:
    """List groups of entities and sections that belong together."""
    return {"communities": engine.graph.communities(collections, limit=limit)}
