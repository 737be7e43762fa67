"""The app with a scripted client, to be looked at: ``streamlit run tests/support/fake_app.py``.

``?fake=empty`` has no documents, ``?fake=hostile`` documents that attack the page; a running
session moves on by two events a look. ``?fake=still&thread=t1`` stands still amid its tasks.
"""

import runpy
import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from app.session import ENGINE  # noqa: E402
from tests.support.fake_client import FakeClient  # noqa: E402
from tests.support.played_session import ANSWER, QUESTION  # noqa: E402


def still() -> FakeClient:
    """One session that was asked twice, whose second task is at work."""
    client = FakeClient()
    thread = client.threads.start(QUESTION)
    for reply in (ANSWER, "/end"):
        pending = client.threads.run(thread).pending
        assert pending is not None
        client.threads.answer(thread, pending.interrupt_id, reply)
    pending = client.threads.run(thread).pending
    assert pending is not None
    client.threads.approve(thread, pending.interrupt_id)
    client.pace = 20
    client.threads.run(thread)
    client.pace = 0
    return client


@st.cache_resource
def fake(kind: str) -> FakeClient:
    if kind == "still":
        return still()
    return FakeClient(documents=kind != "empty", pace=2, hostile=kind == "hostile")


if ENGINE not in st.session_state:
    st.session_state[ENGINE] = fake(st.query_params.get("fake", "plain"))
runpy.run_path(str(ROOT / "app" / "streamlit_app.py"), run_name="__main__")
