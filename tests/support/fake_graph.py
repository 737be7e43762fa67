"""A knowledge graph of two things that one edge ties together."""

from collections.abc import Sequence

from services.domain import Scope
from services.domain.errors import NotFound
from services.graph.values import (
    Community,
    EntityCard,
    GraphPassage,
    GraphResult,
    GraphStatus,
    LinkedEntity,
    Node,
    ReferenceNeighbour,
    Step,
)

LIMIT = Node(node_id="term:grenzwert", kind="term", name="Grenzwert", places=3)
NOISE = Node(node_id="term:lärm", kind="term", name="Lärm", places=4)
EDGE = Step(source=LIMIT, kind="cooccurs", target=NOISE)


class FakeGraph:
    """Leads every query that names the limit to ``chunk_ids``; ``about`` are its topics."""

    def __init__(
        self, chunk_ids: Sequence[str] = (), about: Sequence[str] = (), *, loaded: bool = True
    ) -> None:
        self.chunk_ids = tuple(chunk_ids)
        self.about = tuple(about)
        self.loaded = loaded

    def has_graph(self, scope: Scope) -> bool:
        return True

    def ready(self, scope: Scope) -> bool:
        return self.loaded

    def version(self, scope: Scope) -> str:
        return "1"

    def link(self, text: str, scope: Scope, *, limit: int = 8) -> tuple[LinkedEntity, ...]:
        named = LIMIT.name.casefold() in text.casefold()
        return (LinkedEntity(node=LIMIT, text=LIMIT.name, score=1.0),) if named else ()

    def search(
        self, query: str, scope: Scope, *, k: int = 10, hints: Sequence[str] = ()
    ) -> GraphResult:
        entities = self.link(query, scope)
        passages = tuple(
            GraphPassage(chunk_id=each, score=1.0, path=(EDGE,))
            for each in self.chunk_ids[:k]
            if entities
        )
        return GraphResult(entities=entities, passages=passages, confidence=float(bool(entities)))

    def reference_neighbours(
        self, chunk_ids: Sequence[str], scope: Scope
    ) -> tuple[ReferenceNeighbour, ...]:
        return ()

    def card(self, name: str, scope: Scope, *, limit: int = 20) -> EntityCard | None:
        known = {each.name.casefold(): each for each in (LIMIT, NOISE)}
        node = known.get(name.casefold())
        return EntityCard(node=node, definition="was gilt", neighbours=(EDGE,)) if node else None

    def paths(
        self, first: str, second: str, scope: Scope, *, limit: int = 3
    ) -> tuple[tuple[Step, ...], ...]:
        if {first, second} != {LIMIT.name, NOISE.name}:
            raise NotFound(f"Nothing is called {first!r} or {second!r}.")
        return ((EDGE,),)

    def communities(self, scope: Scope, *, limit: int = 20) -> tuple[Community, ...]:
        return ()

    def topics(self, scope: Scope, *, limit: int) -> tuple[str, ...]:
        return self.about[:limit]

    def status(self, scope: Scope) -> GraphStatus:
        return GraphStatus(
            documents=1, built=1, facts=0, nodes={}, edges={}, merges=0, communities=0
        )
