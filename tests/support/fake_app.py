"""The app with a scripted client, to be looked at: ``streamlit run tests/support/fake_app.py``.

``?fake=empty`` has no documents, ``?fake=hostile`` documents that attack the page; a running
session moves on by two events a look.
"""

import runpy
import sys
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from app.session import CLIENT  # noqa: E402
from tests.support.fake_client import FakeClient  # noqa: E402


@st.cache_resource
def fake(kind: str) -> FakeClient:
    return FakeClient(documents=kind != "empty", pace=2, hostile=kind == "hostile")


if CLIENT not in st.session_state:
    st.session_state[CLIENT] = fake(st.query_params.get("fake", "plain"))
runpy.run_path(str(ROOT / "app" / "streamlit_app.py"), run_name="__main__")
