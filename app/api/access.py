"""Who calls: the engine that acts for the token of a request."""

from collections.abc import Callable
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


Shared = Annotated[Doors, Depends(doors)]


def with_scope(scope: TokenScope) -> Callable[..., Engine]:
    """Lets those in whose token suffices for a scope."""

    def admitted(request: Request, doors: Shared, shown: Shown) -> Engine:
        address = request.client.host if request.client else ""
        return doors.admit(shown.credentials if shown else None, scope, address).engine

    return admitted


Reader = Annotated[Engine, Depends(with_scope("read"))]
"""Reads, searches, asks and verifies."""
Writer = Annotated[Engine, Depends(with_scope("write"))]
"""Also changes the library, and starts and steers research."""
Admin = Annotated[Engine, Depends(with_scope("admin"))]
