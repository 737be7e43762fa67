"""Who calls: the engine that acts for the token of a request, known before its body is read."""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from agent.engine.engine import Engine
from app.api.doors import Admitted, Doors
from services.domain.tokens import TokenScope

_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="A token of `rabbithole tokens create NAME --scope read|write|admin`.",
)
Shown = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]


def doors(request: Request) -> Doors:
    """What the doors of this server share."""
    shared: Doors = request.app.state.doors
    return shared


Shared = Annotated[Doors, Depends(doors)]


@dataclass(frozen=True)
class Needs:
    """Lets those in whose token suffices for a scope; as a dependency, the engine that acts."""

    scope: TokenScope

    async def admit(self, request: Request) -> Admitted:
        """Checks the token that a request shows; see `Doors.admit` for what it raises."""
        shown = await _bearer(request)
        address = request.client.host if request.client else ""
        token = shown.credentials.strip() if shown else None
        return await run_in_threadpool(doors(request).admit, token, self.scope, address)

    def __call__(self, request: Request, _: Shown) -> Engine:
        admitted: Admitted = request.scope["rabbithole"]
        return admitted.engine


class TokenFirst(APIRoute):
    """A route that checks the token before it reads the body; FastAPI would read that first."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        needed = [d.call for d in self.dependant.dependencies if isinstance(d.call, Needs)]

        async def admitting(request: Request) -> Response:
            for each in needed:
                request.scope["rabbithole"] = await each.admit(request)
            return await handle(request)

        return admitting


Reader = Annotated[Engine, Depends(Needs("read"))]
"""Reads, searches, asks and verifies."""
Writer = Annotated[Engine, Depends(Needs("write"))]
"""Also changes the library, and starts and steers research."""
Admin = Annotated[Engine, Depends(Needs("admin"))]
"""Sees and changes what is everybody's."""
