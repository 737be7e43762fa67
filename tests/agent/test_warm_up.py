"""What a first question needs is loaded when somebody looks, and never in their way."""

import time
from pathlib import Path

import pytest

from agent.engine import handlers
from agent.engine.engine import Engine, connect_to
from services.domain import Principal
from tests.support.desk import make_services
from tests.support.fake_cross_encoder import FakeCrossEncoder
from tests.support.waiting import until


def observed(home: Path, made: list[str], *, breaks: bool = False) -> Engine:
    """An engine whose encoder is noted as it is made."""

    def encoder() -> FakeCrossEncoder:
        made.append("encoder")
        if breaks:
            raise OSError("no weights")
        return FakeCrossEncoder()

    return connect_to(make_services(home).replaced(encoder=encoder), Principal())


@pytest.mark.parametrize("breaks", [False, True])
def test_the_search_is_loaded_once_by_whoever_looks_first(tmp_path: Path, breaks: bool) -> None:
    made: list[str] = []
    with observed(tmp_path, made, breaks=breaks) as engine:
        engine.library.collections()
        assert not made
        engine.settings.model_state(warm=True)
        until(lambda: made == ["encoder"])
        assert engine.settings.model_state(warm=True).status == "ready"
    assert made == ["encoder"]


def test_a_home_that_is_left_at_once_loads_nothing_and_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handlers, "WARM_UP_AFTER_S", 60.0)
    made: list[str] = []
    with observed(tmp_path, made) as engine:
        engine.settings.model_state(warm=True)
        began = time.monotonic()
    assert time.monotonic() - began < 60 and not made
