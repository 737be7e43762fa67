"""What commands share that work in a home: the connection to it, as one of its users."""

import functools
from collections.abc import Callable
from typing import Any

from agent.engine.engine import Engine, connect, looking
from agent.engine.runner import TakeUp
from app.cli.common import (
    Command,
    Shown,
    as_admin,
    as_user,
    at_server,
    make_settings,
    open_server,
    prints,
)
from services.domain import Principal
from services.domain.runs import RunInfo
from services.settings import Settings


def of_engine(
    *, admin: bool = False, changes: str | None = None, looks: bool = False
) -> Callable[[Command], Callable[..., None]]:
    """Hands the command a client of ``--user``, which with ``admin`` may be an administrator.

    Without the option that ``changes`` names it only looks, and finishes nothing of others; with
    it, it first finishes what was killed.
    One that ``looks`` does so in a read-only home too; what it writes there is not kept.
    With ``--server`` it is one of that server, for the person whose token it is.
    """

    def decorated(command: Command) -> Callable[..., None]:
        @functools.wraps(command)
        def run(
            *, user: str, server: str | None, token: str | None, admin: bool = False, **options: Any
        ) -> Shown | None:
            opened: Any
            if server:
                opened = open_server(server, token, user=user, admin=admin)
            else:
                take_up: TakeUp = "last"
                if changes is not None:
                    take_up = "first" if options[changes] else "never"
                open_ = looking if looks or take_up == "never" else connect
                opened = open_(make_settings(), principal_of(user, admin), take_up=take_up)
            with opened as engine:
                return command(engine, **options)

        return at_server(as_user(as_admin(prints(run)) if admin else prints(run)))

    return decorated


def waiting(run: RunInfo) -> dict[str, Any]:
    """A thread that waits for a person, as JSON."""
    return {"thread_id": run.thread_id, "status": run.status, "pending": run.pending}


def open_engine(
    user: str, settings: Settings | None = None, *, admin: bool = False, take_up: TakeUp = "last"
) -> Engine:
    """Connects to the home that the environment names."""
    return connect(settings or make_settings(), principal_of(user, admin), take_up=take_up)


def principal_of(user: str, admin: bool) -> Principal:
    return Principal(user=user, role="admin" if admin else "user")
