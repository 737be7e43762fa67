"""What a server's process has once: its connection to the home, and its end in good order."""

import functools
import signal
import threading
import time
from contextlib import ExitStack

from agent.engine.engine import Engine
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
    at_end.callback(connected.close)
    return connected


GOODBYE_S = 2.0
"""Time for the page to say goodbye before its connection is gone."""

at_end = ExitStack()
"""What is done when the server of this process has ended, however it was told to.

It is closed on the main thread: once that has ended, Python starts no work on others.
"""


def end_soon() -> None:
    """Has the server of this process end in good order; without effect in tests of pages."""
    from streamlit import runtime

    # Tests of pages have a mock that passes for an instance.
    if runtime.exists() and type(runtime.get_instance()) is runtime.Runtime:
        threading.Thread(target=_end_server, name="rabbithole-exit", daemon=True).start()


def _end_server() -> None:
    # Streamlit has no call for this; its handler of the signal stops the server.
    time.sleep(GOODBYE_S)
    signal.raise_signal(signal.SIGTERM)
