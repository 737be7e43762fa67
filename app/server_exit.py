"""The safe way out: what runs is paused, then the server ends with exit code 0."""

import threading
import time

from app.contract import ResearchClient

SHOW_S = 1.0
"""Time for the page to say goodbye before its connection is gone."""


def leave(client: ResearchClient, *, after_s: float = SHOW_S) -> threading.Thread:
    """Begins to end the process and returns; paused runs resume after the next start."""

    def end() -> None:
        time.sleep(after_s)
        try:
            client.close()
        finally:
            stop_server()

    # Not a daemon: the process waits until the stores are closed.
    thread = threading.Thread(target=end, name="rabbithole-exit")
    thread.start()
    return thread


def stop_server() -> None:
    """Ends the server of this process, if there is one."""
    from streamlit import runtime

    if runtime.exists():
        runtime.get_instance().stop()
