"""Plans, reviews and the knowledge graph of a server, as the parts of an engine that hold them."""

from collections.abc import Sequence
from typing import Any

from agent.graph_paths import Community, EntityCard, FactsCost, GraphStatus, NamedPlace, Step
from app.cli.server import RemotePart, Server, call, part
from services.domain.plans import PlanCase


class RemotePlans(RemotePart):
    """Remembered plans."""

    def list(self) -> list[PlanCase]:
        return self._server.get(list[PlanCase], "plans", of="plans")

    get = call(PlanCase, "GET plans/{}")

    def forget(self, case_id: str | None = None) -> int:
        path = "plans" if case_id is None else f"plans/{part(case_id)}"
        return self._server.read(int, "DELETE", path, "forgotten")


class RemoteReviews(RemotePart):
    """Decisions about the sentences of an answer."""

    listed = call(dict[str, Any], "GET runs/{}/review", "turn")
    decide = call(dict[str, Any], "POST runs/{}/review", "sentence", "decision", "text", "turn")

    def sign(self, thread_id: str, turn: int = 1) -> None:
        path = f"runs/{part(thread_id)}/review/sign"
        self._server.send("POST", path, params={"turn": turn})


class RemoteGraph(RemotePart):
    """What the graph knows; places come with the steps that they belong to."""

    def __init__(self, server: Server) -> None:
        super().__init__(server)
        self._places: dict[Step, NamedPlace | None] = {}

    status = call(GraphStatus, "GET graph", "collection", of="status")
    facts_cost = call(FactsCost, "GET graph", "collection", of="facts_cost")
    communities = call(
        tuple[Community, ...], "GET graph/communities", "collections", of="communities"
    )

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

    def places_of(
        self, steps: Sequence[Step], _: Sequence[str] | None = None
    ) -> list[NamedPlace | None]:
        return [self._places[step] for step in steps]

    def _keep(self, steps: Sequence[Step], places: Sequence[Any]) -> None:
        named = (each and NamedPlace.model_validate(each) for each in places)
        self._places.update(zip(steps, named, strict=True))
