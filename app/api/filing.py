"""HTTP API: how documents are filed, what was thrown away, subscriptions, past ingestions."""

from fastapi import APIRouter

from app.api import values
from app.api.access import Reader, Writer
from app.api.library import In
from app.api.values import Name, under
from services.domain import CollectionInfo, DocumentInfo
from services.domain.collections import BinnedDocument
from services.domain.runs import IngestionInfo

router = APIRouter(tags=["library"])
IN_BIN = under("documents", list[BinnedDocument], "Bin")


@router.put("/collections/{name}/subscription")
def subscribe(engine: Writer, name: Name) -> CollectionInfo:
    """Let an unlisted collection of somebody else show up; it is named by its id."""
    return engine.library.subscribe(name)


@router.delete("/collections/{name}/subscription")
def unsubscribe(engine: Writer, name: Name) -> CollectionInfo:
    """Take a subscription back."""
    return engine.library.unsubscribe(name)


@router.get("/documents/{document}/outline")
def outline(engine: Reader, document: Name, collection: In = None) -> values.Outline:
    """A document with its sections in the order of its text."""
    info, sections = engine.library.outline(document, collection)
    return values.Outline(document=info, outline=tuple(sections))


@router.patch("/collections/{name}/documents/{document:file}")
def edit_document(engine: Writer, name: Name, document: Name, to: values.Metadata) -> DocumentInfo:
    """Set tags, category, author or date of a document in a collection."""
    return engine.library.edit_document(name, document, to)


@router.get("/collections/{name}/bin", response_model=IN_BIN)
def binned(engine: Reader, name: Name) -> dict[str, list[BinnedDocument]]:
    """What was removed from a collection in the last 30 days."""
    return {"documents": engine.library.bin(name)}


@router.delete("/collections/{name}/bin", response_model=IN_BIN)
def empty_bin(engine: Writer, name: Name) -> dict[str, list[BinnedDocument]]:
    """Give up all that lies in the bin of a collection."""
    return {"documents": engine.library.empty_bin(name)}


@router.post("/collections/{name}/bin/{document}")
def restore_document(engine: Writer, name: Name, document: Name) -> DocumentInfo:
    """Put a document back from the bin."""
    return engine.library.restore_document(name, document)


@router.get("/ingestions", response_model=under("ingestions", list[IngestionInfo]))
def ingestions(engine: Reader) -> dict[str, list[IngestionInfo]]:
    """Your last 20 ingestions, newest first; with an `admin` token everybody's."""
    return {"ingestions": engine.library.ingestions()}
