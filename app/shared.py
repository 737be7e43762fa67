"""The one connection of a server's process to its home: pages and doors use the same."""

import functools
import threading

from agent.engine.engine import Engine
from app import server_exit
from services.settings import Settings

_opening = threading.Lock()


def engine_of_process() -> Engine:
    """The connection, opened when it is first needed and closed when the server has ended."""
    with _opening:
        return _engine()


@functools.cache
def settings_of_process() -> Settings:
    """Settings from the environment of the server, read once."""
    return Settings()


@functools.cache
def _engine() -> Engine:
    from agent.engine.engine import connect

    connected = connect(settings_of_process())
    server_exit.at_end.callback(connected.close)
    return connected
