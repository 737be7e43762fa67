"""What a server process has once: its engine, and its orderly shutdown."""

import functools
import signal
import threading
import time
from contextlib import ExitStack

from agent.engine.engine import Engine
from services.settings import Settings

_opening = threading.Lock()


def engine_of_process() -> Engine:
    """Return the engine, connected on first use and closed after the server has ended."""
    with _opening:
        return _engine()


@functools.cache
def _engine() -> Engine:
    from agent.engine.engine import connect

    connected = connect(Settings())
    at_end.callback(connected.close)
    return connected


GOODBYE_S = 2.0
"""Time for the page to say goodbye before the server closes its connection."""

at_end = ExitStack()
"""Runs when the server of this process has ended, for whatever reason.

It is closed on the main thread: after that one has ended, Python starts no other threads.
"""


def end_soon() -> None:
    """Shut the server of this process down; do nothing in tests of pages."""
    from streamlit import runtime

    # Tests of pages mock the instance.
    if runtime.exists() and type(runtime.get_instance()) is runtime.Runtime:
        threading.Thread(target=_end_server, name="rabbithole-exit", daemon=True).start()


def _end_server() -> None:
    # Streamlit has no call for this; its signal handler stops the server.
    time.sleep(GOODBYE_S)
    signal.raise_signal(signal.SIGTERM)
