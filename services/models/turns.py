"""Taking turns at a model: so many calls at once, and nobody waits for all of somebody else's."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """Lets so many in at once; then one caller after the other, each one's calls in order."""

    def __init__(self, at_once: int) -> None:
        self._free = at_once
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}

    @asynccontextmanager
    async def of(self, caller: str) -> AsyncIterator[None]:
        """Waits for a turn of this caller and holds it until the end of the block."""
        if self._free:
            self._free -= 1
        else:
            await self._called(caller)
        try:
            yield
        finally:
            self._pass_on()

    async def _called(self, caller: str) -> None:
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # it was called and went away at the same moment
                self._pass_on()
            raise

    def _pass_on(self) -> None:
        """Calls the next caller's oldest; whoever has more stands at the end again."""
        while self._waiting:
            caller = next(iter(self._waiting))
            calls = self._waiting.pop(caller)
            turn = calls.popleft()
            if calls:
                self._waiting[caller] = calls
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1
