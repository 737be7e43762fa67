"""Taking turns at a model: so many calls at once, and nobody waits for all of somebody else's."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar


@dataclass(eq=False)
class Place:
    """Takes ``slots`` calls at once. While it is shut, it is used only if all others are, too."""

    slots: int
    calls: int = 0
    shut: bool = False
    shut_at: float = 0.0
    """When it was shut the last time: of places with equally many calls, the oldest comes first."""


AnyPlace = TypeVar("AnyPlace", bound=Place)


class Turns(Generic[AnyPlace]):
    """Gives each call the place with the fewest others; where none is free, the callers take turns.

    Each caller's calls go in order.
    """

    def __init__(self, *places: AnyPlace) -> None:
        self._places = places
        self._waiting: dict[str, deque[asyncio.Future[AnyPlace]]] = {}

    @asynccontextmanager
    async def of(self, caller: str) -> AsyncIterator[AnyPlace]:
        """Waits for a turn of this caller and holds its place until the end of the block."""
        place = self._taken() or await self._called(caller)
        try:
            yield place
        finally:
            self._leave(place)

    def free(self, besides: Collection[AnyPlace] = ()) -> AnyPlace | None:
        """The place for the next call, none of ``besides``; None if there is none."""
        others = [place for place in self._places if place not in besides]
        usable = [place for place in others if not place.shut] or others
        free = (place for place in usable if place.calls < place.slots)
        return min(free, key=lambda place: (place.calls, place.shut_at), default=None)

    def call(self) -> None:
        """Calls whoever there is a place for; whoever waits with more stands at the end again."""
        while self._waiting and (place := self._taken()) is not None:
            caller = next(iter(self._waiting))
            calls = self._waiting.pop(caller)
            turn = calls.popleft()
            if calls:
                self._waiting[caller] = calls
            if turn.done():  # it went away
                place.calls -= 1
            else:
                turn.set_result(place)

    def _taken(self) -> AnyPlace | None:
        place = self.free()
        if place is not None:
            place.calls += 1
        return place

    def _leave(self, place: AnyPlace) -> None:
        place.calls -= 1
        self.call()

    async def _called(self, caller: str) -> AnyPlace:
        turn: asyncio.Future[AnyPlace] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was called and went away at the same moment
                self._leave(turn.result())
            raise
