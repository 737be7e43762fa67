"""HTTP API: what the knowledge graph knows, each step with the place where it was read."""

from typing import Annotated

from fastapi import APIRouter, Query

from agent.graph_paths import Community
from app.api import values
from app.api.access import Reader, TokenFirst
from app.api.library import In
from app.api.values import NOT_NUL, under

router = APIRouter(route_class=TokenFirst, prefix="/graph", tags=["graph"])
Called = Annotated[
    str, Query(min_length=1, max_length=400, pattern=NOT_NUL, examples=["§ 78 StrlSchG"])
]
Most = Annotated[int, Query(ge=1, le=200)]


@router.get("")
def status(engine: Reader, collection: In = None) -> values.GraphState:
    """Show how much of the graph is built, and what reading facts with a model would cost."""
    return values.GraphState(
        status=engine.graph.status(collection), facts_cost=engine.graph.facts_cost(collection)
    )


@router.get("/entity")
def entity(
    engine: Reader, name: Called, collections: values.Searched = None, limit: Most = 20
) -> values.Entity:
    """Describe a section, document, term or word: its definition and its relations."""
    card = engine.graph.entity(name, collections, limit=limit)
    places = engine.graph.places_of(card.neighbours, collections)
    return values.Entity(entity=card, places=tuple(places))


@router.get("/paths")
def paths(
    engine: Reader,
    first: Called,
    second: Called,
    collections: values.Searched = None,
    limit: Annotated[int, Query(ge=1, le=10)] = 3,
) -> values.Ways:
    """Find the shortest paths between two entities."""
    ways = engine.graph.paths(first, second, collections, limit=limit)
    places = tuple(tuple(engine.graph.places_of(way, collections)) for way in ways)
    return values.Ways(paths=ways, places=places)


@router.get("/communities", response_model=under("communities", list[Community]))
def communities(
    engine: Reader, collections: values.Searched = None, limit: Most = 20
) -> dict[str, tuple[Community, ...]]:
    """List groups of entities and sections that belong together."""
    return {"communities": engine.graph.communities(collections, limit=limit)}
