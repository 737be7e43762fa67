"""The safe way out: what runs is paused, and the server ends with exit code 0."""

import signal
import threading
import time
from contextlib import ExitStack

SHOW_S = 2.0
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
        threading.Thread(target=_end, name="rabbithole-exit", daemon=True).start()


def _end() -> None:
    # Streamlit has no call for this; its handler of the signal stops the server.
    time.sleep(SHOW_S)
    signal.raise_signal(signal.SIGTERM)
