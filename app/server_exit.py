"""The safe way out: what runs has been paused, and the server ends with exit code 0."""

import signal
import threading
import time

SHOW_S = 2.0
"""Time for the page to say goodbye before its connection is gone."""


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
