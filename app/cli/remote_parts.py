"""Plans, reviews and the knowledge graph of a server, as the parts of an engine that hold them."""

from collections.abc import Sequence
from typing import Any

from agent.graph_paths import Community, EntityCard, FactsCost, GraphStatus, NamedPlace, Step
from app.cli.server import RemotePart, Server, part
from services.domain.plans import PlanCase


class RemotePlans(RemotePart):
    """Remembered plans."""

    def list(self) -> list[PlanCase]:
        return self._server.get(list[PlanCase], "plans", of="plans")

    def get(self, case_id: str) -> PlanCase:
        return self._server.get(PlanCase, f"plans/{part(case_id)}")

    def forget(self, case_id: str | None = None) -> int:
        path = "plans" if case_id is None else f"plans/{part(case_id)}"
        return self._server.read(int, "DELETE", path, "forgotten")


class RemoteReviews(RemotePart):
    """Decisions about the sentences of an answer."""

    def listed(self, thread_id: str, turn: int = 1) -> Any:
        return self._server.get(dict[str, Any], f"runs/{part(thread_id)}/review", turn=turn)

    def decide(
        self, thread_id: str, sentence: int, decision: str, text: str = "", turn: int = 1
    ) -> None:
        body = {"sentence": sentence, "decision": decision, "text": text, "turn": turn}
        self._server.send("POST", f"runs/{part(thread_id)}/review", json=body)

    def sign(self, thread_id: str, turn: int = 1) -> None:
        path = f"runs/{part(thread_id)}/review/sign"
        self._server.send("POST", path, params={"turn": turn})


class RemoteGraph(RemotePart):
    """What the graph knows; places come with the steps that they belong to."""

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self._places: dict[Step, NamedPlace | None] = {}

    def status(self, collection: str | None = None) -> GraphStatus:
        return self._server.get(GraphStatus, "graph", of="status", collection=collection)

    def facts_cost(self, collection: str | None = None) -> FactsCost:
        return self._server.get(FactsCost, "graph", of="facts_cost", collection=collection)

    def entity(
        self, name: str, collections: Sequence[str] | None = None, *, limit: int = 20
    ) -> EntityCard:
        query: dict[str, Any] = {"name": name, "limit": limit, "collections": collections}
        found = self._server.get(dict[str, Any], "graph/entity", **query)
        card = EntityCard.model_validate(found["entity"])
        self._keep(card.neighbours, found["places"])
        return card

    def paths(
        self, first: str, second: str, collections: Sequence[str] | None = None, *, limit: int = 3
    ) -> tuple[tuple[Step, ...], ...]:
        query: dict[str, Any] = {"first": first, "second": second, "limit": limit}
        found = self._server.get(dict[str, Any], "graph/paths", collections=collections, **query)
        ways = tuple(tuple(map(Step.model_validate, way)) for way in found["paths"])
        for way, places in zip(ways, found["places"], strict=True):
            self._keep(way, places)
        return ways

    def communities(
        self, collections: Sequence[str] | None = None, *, limit: int = 20
    ) -> tuple[Community, ...]:
        query: dict[str, Any] = {"limit": limit, "collections": collections}
        kind = tuple[Community, ...]
        return self._server.get(kind, "graph/communities", of="communities", **query)

    def places_of(
        self, steps: Sequence[Step], _: Sequence[str] | None = None
    ) -> list[NamedPlace | None]:
        return [self._places[step] for step in steps]

    def _keep(self, steps: Sequence[Step], places: Sequence[Any]) -> None:
        named = (each and NamedPlace.model_validate(each) for each in places)
        self._places.update(zip(steps, named, strict=True))
