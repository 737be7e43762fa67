"""The app as it is; at the end of each page stands, unseen, what its session was told of runs.

That is one entry a look, ``[thread, [seq, …]]``, in the order in which the events came.
"""

import json
import runpy
import sys
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from app import session  # noqa: E402


class Tape:
    """The client that all sessions share, with what this one has heard through it."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.told: list[tuple[str, list[int]]] = []

    def poll(self, thread_id: str, after: int = 0) -> Any:
        run, page = self._client.threads.poll(thread_id, after)
        if page:
            self.told.append((thread_id, [record.seq for record in page]))
        return run, page

    @property
    def threads(self) -> "Tape":
        return self

    def __getattr__(self, name: str) -> Any:
        threads = self._client.threads
        return getattr(threads if hasattr(threads, name) else self._client, name)


if session.ENGINE not in st.session_state:
    st.session_state[session.ENGINE] = Tape(session.engine())
runpy.run_path(str(ROOT / "app" / "streamlit_app.py"), run_name="__main__")
told = json.dumps(st.session_state[session.ENGINE].told)
st.html(f'<div id="told" data-told="{escape(told)}"></div>')
