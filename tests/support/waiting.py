"""Polls, for what tells nobody that it has happened."""

import time
import urllib.request
from collections.abc import Callable
from typing import Any

POLL_S = 0.02


def until(*conditions: Callable[[], Any], seconds: float = 60.0) -> Any:
    """Return the first true value of any condition; fail where there is none in time."""
    deadline = time.monotonic() + seconds
    while True:
        for condition in conditions:
            if value := condition():
                return value
        assert time.monotonic() < deadline, f"not within {seconds:.0f} s"
        time.sleep(POLL_S)


def answers(url: str) -> bool:
    """Return whether a server answers at an address."""
    try:
        with urllib.request.urlopen(url, timeout=5):
            return True
    except OSError:
        return False
