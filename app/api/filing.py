"""HTTP API: how documents are filed, what was thrown away, subscriptions, past ingestions."""

from fastapi import APIRouter

from app.api import values
from app.api.access import Reader, Writer
from app.api.library import In
from app.api.problems import FOUND
from app.api.values import Name
from services.domain import CollectionInfo, DocumentInfo

router = APIRouter(tags=["library"])


@router.put("/collections/{name}/subscription", responses=FOUND)
def subscribe(engine: Writer, name: Name) -> CollectionInfo:
    """Let an unlisted collection of somebody else show up; it is named by its id."""
    return engine.library.subscribe(name)


@router.delete("/collections/{name}/subscription", responses=FOUND)
def unsubscribe(engine: Writer, name: Name) -> CollectionInfo:
    """Take a subscription back."""
    return engine.library.unsubscribe(name)


@router.get("/documents/{document}/outline", responses=FOUND)
def outline(engine: Reader, document: Name, collection: In = None) -> values.Outline:
    """A document with its sections in the order of its text."""
    info, sections = engine.library.outline(document, collection)
    return values.Outline(document=info, outline=tuple(sections))


@router.patch("/collections/{name}/documents/{document:file}", responses=FOUND)
def edit_document(engine: Writer, name: Name, document: Name, to: values.Metadata) -> DocumentInfo:
    """Set tags, category, author or date of a document in a collection."""
    return engine.library.edit_document(name, document, to)


@router.get("/collections/{name}/bin", responses=FOUND)
def binned(engine: Reader, name: Name) -> values.Bin:
    """What was removed from a collection in the last 30 days."""
    return values.Bin(documents=tuple(engine.library.bin(name)))


@router.delete("/collections/{name}/bin", responses=FOUND)
def empty_bin(engine: Writer, name: Name) -> values.Bin:
    """Give up all that lies in the bin of a collection."""
    return values.Bin(documents=tuple(engine.library.empty_bin(name)))


@router.post("/collections/{name}/bin/{document}", responses=FOUND)
def restore_document(engine: Writer, name: Name, document: Name) -> DocumentInfo:
    """Put a document back from the bin."""
    return engine.library.restore_document(name, document)


@router.get("/ingestions")
def ingestions(engine: Reader) -> values.Ingestions:
    """Your last 20 ingestions, newest first; with an `admin` token everybody's."""
    return values.Ingestions(ingestions=tuple(engine.library.ingestions()))
