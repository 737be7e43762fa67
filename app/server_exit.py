"""The safe way out: what runs is paused, then the server ends with exit code 0."""

import signal
import threading
import time

from app.contract import ResearchClient

SHOW_S = 1.0
"""Time for the page to say goodbye before its connection is gone."""


def leave(client: ResearchClient) -> None:
    """Pauses what runs and gives the stores up; the server of this process ends soon after.

    Paused runs resume after the next start. Returns once nothing can be lost any more.
    """
    client.close()
    if _serving():
        threading.Thread(target=_end_soon, name="rabbithole-exit", daemon=True).start()


def _serving() -> bool:
    """Whether this process is a server of Streamlit, and not for instance a test of pages."""
    from streamlit import runtime

    return runtime.exists() and isinstance(runtime.get_instance(), runtime.Runtime)


def _end_soon() -> None:
    # Streamlit has no call for this; its handler of the signal stops the server in good order.
    time.sleep(SHOW_S)
    signal.raise_signal(signal.SIGTERM)
