"""Who calls: the engine that acts for the token of a request."""

from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from agent.engine.engine import Engine
from app.api.doors import Doors
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


class Needs:
    """Lets those in whose token suffices for a scope."""

    def __init__(self, scope: TokenScope) -> None:
        self._scope = scope

    def __call__(self, request: Request, shown: Shown) -> Engine:
        address = request.client.host if request.client else ""
        token = shown.credentials if shown else None
        return doors(request).admit(token, self._scope, address).engine


Shared = Annotated[Doors, Depends(doors)]
Reader = Annotated[Engine, Depends(Needs("read"))]
"""Reads, searches, asks and verifies."""
Writer = Annotated[Engine, Depends(Needs("write"))]
"""Also changes the library, and starts and steers research."""
