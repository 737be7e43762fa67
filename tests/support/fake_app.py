"""The app on a house of its own, to be looked at: ``streamlit run tests/support/fake_app.py``.

``?fake=hostile`` has documents and a model that attack the page; a research takes a second a step.
With ``&thread=t1``, ``?fake=still`` stands still amid its tasks, ``asked`` has asked back,
``failed`` has failed as it wrote, and ``doubtful`` has a report with two doubtful sentences.
``?fake=new`` is an empty home, ``?fake=grids`` has three leases and a model that reads them,
``?fake=contracts`` the same model and no documents.
"""

import runpy
import sys
import tempfile
from pathlib import Path

import streamlit as st

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from agent.engine.engine import Engine, connect_to  # noqa: E402
from app.session import ENGINE  # noqa: E402
from services.domain import Principal  # noqa: E402
from services.settings import Settings  # noqa: E402
from tests.support import grid_house  # noqa: E402
from tests.support.desk import make_services, until_ended, until_waiting  # noqa: E402
from tests.support.grid_model import grid_rules  # noqa: E402
from tests.support.house import QUESTION, REPLY, House  # noqa: E402
from tests.support.played_session import HOSTILE  # noqa: E402
from tests.support.read_home import put_doubts  # noqa: E402
from tests.support.scripted_model import ScriptedModel  # noqa: E402

STEP_S, FOR_EVER_S = 1.0, 3600.0
THREAD = "t1"


@st.cache_resource
def engine_of(kind: str) -> Engine:
    home = Path(tempfile.mkdtemp())
    if kind == "new":
        return connect_to(make_services(home), Principal())
    if kind == "contracts":
        settings = Settings(home=home, llm="none", reads="yes")
        model = ScriptedModel(grid_rules())
        return connect_to(make_services(home, model, settings=settings), Principal())
    if kind.startswith("grids"):
        return grid_house.House(home / "home").engine
    house = House(home, HOSTILE if kind == "hostile" else "")
    if kind in STATES:
        STATES[kind](house)
    else:
        house.model.delay_s = STEP_S if kind == "hostile" else 0.0
    return house.engine


def _work_without_end(house: House) -> None:
    thread, plan = _planned(house)
    house.model.delay_s = FOR_EVER_S
    house.engine.threads.approve(thread, plan)


def _fail(house: House) -> None:
    thread, plan = _planned(house)
    house.disturb("break")
    house.engine.threads.approve(thread, plan)
    until_ended(house.engine, thread)


def _ask_back(house: House) -> str:
    thread = house.engine.threads.start(QUESTION, thread_id=THREAD)
    return until_waiting(house.engine, thread).interrupt_id


def _planned(house: House) -> tuple[str, str]:
    threads = house.engine.threads
    threads.answer(THREAD, _ask_back(house), REPLY)
    return THREAD, until_waiting(house.engine, THREAD).interrupt_id


def _doubt(house: House) -> None:
    thread, plan = _planned(house)
    house.engine.threads.approve(thread, plan)
    until_ended(house.engine, thread)
    put_doubts(house.engine, thread)


STATES = {
    "still": _work_without_end,
    "asked": _ask_back,
    "failed": _fail,
    "doubtful": _doubt,
}


if ENGINE not in st.session_state:
    st.session_state[ENGINE] = engine_of(st.query_params.get("fake", "plain"))
runpy.run_path(str(ROOT / "app" / "streamlit_app.py"), run_name="__main__")
