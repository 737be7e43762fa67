"""The app on a house of its own, to be looked at: ``streamlit run tests/support/fake_app.py``.

``?fake=hostile`` has documents and a model that attack the page; a research takes a second a step.
``?fake=still&thread=t1`` stands still amid its tasks.
"""

import runpy
import sys
import tempfile
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from agent.engine.engine import Engine  # noqa: E402
from app.session import ENGINE  # noqa: E402
from tests.support.desk import until_waiting  # noqa: E402
from tests.support.house import QUESTION, REPLY, House  # noqa: E402
from tests.support.played_session import HOSTILE  # noqa: E402

STEP_S, FOR_EVER_S = 1.0, 3600.0


@st.cache_resource
def engine_of(kind: str) -> Engine:
    house = House(Path(tempfile.mkdtemp()), HOSTILE if kind == "hostile" else "")
    if kind == "still":
        _work_without_end(house)
    else:
        house.model.delay_s = STEP_S if kind == "hostile" else 0.0
    return house.engine


def _work_without_end(house: House) -> None:
    """A research that was asked back, and whose plan is approved."""
    threads = house.engine.threads
    thread = threads.start(QUESTION, thread_id="t1")
    threads.answer(thread, until_waiting(house.engine, thread).interrupt_id, REPLY)
    pending = until_waiting(house.engine, thread)
    house.model.delay_s = FOR_EVER_S
    threads.approve(thread, pending.interrupt_id)


if ENGINE not in st.session_state:
    st.session_state[ENGINE] = engine_of(st.query_params.get("fake", "plain"))
runpy.run_path(str(ROOT / "app" / "streamlit_app.py"), run_name="__main__")
