"""Faults of a server are no result of a model's examination; a result is repeated and overruled."""

import asyncio
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from agent.examination import AGAIN_AFTER_S, Examiner, keep
from agent.writing_skill import SAMPLES
from app.cli.main import main
from services.build import Services
from services.domain.errors import ModelUnavailable
from services.domain.model_checks import Examination
from services.domain.notices import Notice
from services.models.openai_compatible import OpenAICompatibleModel
from services.settings import Settings
from tests.support import model_replies
from tests.support.desk import make_services
from tests.support.loopback import Body
from tests.support.openai_server import OpenAIServer

MODEL = "openai:m"
KEPT = Examination(model=MODEL, share=0.9, at=1.0)
SERVERS_OWN = (
    "cut", "drop", "empty", "blank", "thinking", "garbage", "error", "hangup", "missing",
    "too_long", "silent",
)  # fmt: skip


def faithful(body: Body) -> str:
    return model_replies.faithful(body["messages"][-1]["content"])


def services_at(server: OpenAIServer, home: Path) -> Services:
    model = OpenAICompatibleModel("m", url=server.base_url, first_word_s=2.0)
    return make_services(home, model, measured=False)


def examined(services: Services, **how: Any) -> Examination:
    return asyncio.run(Examiner(services).examined(MODEL, again=how.get("again", False)))


def learn(services: Services, at: float, told: list[Notice]) -> bool:
    """What a process that starts at that time learns."""
    with suppress(ModelUnavailable):
        return asyncio.run(Examiner(services, clock=lambda: at).reads(MODEL, told.append))
    return False


@pytest.mark.parametrize("fault", SERVERS_OWN)
def test_a_fault_of_the_server_is_no_result_and_takes_none_away(fault: Any, tmp_path: Path) -> None:
    with OpenAIServer(faithful) as server:
        server.fault = fault
        services = services_at(server, tmp_path)
        found = examined(services)
        assert found.share is None and found.answers == () and found.problem is not None
        assert "openai:m" in str(found.problem)
        keep(services, KEPT)
        again = examined(services, again=True)
        assert (again.share, again.at) == (0.9, 1.0) and again.problem is not None
        services.close()


def test_a_fault_amid_the_questions_is_none_either(tmp_path: Path) -> None:
    with OpenAIServer(faithful) as server:
        services = services_at(server, tmp_path)
        server.reply = lambda body: faithful(body) if len(server.requests) < 5 else ""
        assert examined(services).share is None
        server.reply = faithful
        whole = examined(services)
        assert whole.share == 1.0 and whole.problem is None
        assert [each.question for each in whole.answers] == [each.question for each in SAMPLES]
        services.close()


@pytest.mark.parametrize("fault", ["length", "english"])
def test_what_a_model_writes_badly_is_its_own(fault: Any, tmp_path: Path) -> None:
    with OpenAIServer(faithful) as server:
        server.fault = fault
        services = services_at(server, tmp_path)
        assert examined(services).share == 0.0
        services.close()


def test_an_unfinished_examination_is_not_repeated_by_each_process(tmp_path: Path) -> None:
    told: list[Notice] = []
    with OpenAIServer(faithful) as server:
        server.fault = "error"
        services = services_at(server, tmp_path)
        assert learn(services, 1000.0, told) is False
        assert len(told) == 2 and "CUDA out of memory" in str(told[1])
        server.fault, asked = "none", len(server.requests)
        assert learn(services, 1000.0 + AGAIN_AFTER_S - 1, told) is False
        assert len(server.requests) == asked and len(told) == 2
        assert learn(services, 1000.0 + AGAIN_AFTER_S, told) is True
        services.close()


def test_one_that_was_broken_off_with_its_process_is_none_to_repeat_at_once(tmp_path: Path) -> None:
    async def broken_off(services: Services) -> None:
        begun = asyncio.Event()

        async def endless(*_: object) -> Any:
            begun.set()
            await asyncio.Event().wait()

        examiner = Examiner(services, endless, clock=lambda: 1000.0)
        waiting = asyncio.create_task(examiner.reads(MODEL, lambda _: None))
        await begun.wait()
        await examiner.stop()
        await waiting

    with OpenAIServer(faithful) as server:
        services = services_at(server, tmp_path)
        asyncio.run(broken_off(services))
        assert learn(services, 1001.0, []) is False
        assert learn(services, 1000.0 + AGAIN_AFTER_S, []) is True
        services.close()


@pytest.mark.parametrize(("reads", "may"), [("yes", True), ("no", False)])
def test_what_is_set_counts_before_what_was_measured(reads: Any, may: bool, tmp_path: Path) -> None:
    services = make_services(tmp_path, settings=Settings(home=tmp_path, llm="none", reads=reads))
    for measured in (None, 0.0, 0.9):
        keep(services, Examination(model=MODEL, share=measured))
        assert learn(services, 0.0, []) is may
    services.close()


@pytest.fixture
def doctor(tmp_path: Path) -> Callable[..., Result]:
    def run(server: OpenAIServer, *options: str, **env: str) -> Result:
        set_ = {"HOME": str(tmp_path), "LLM": MODEL, "OPENAI_URL": server.base_url, **env}
        return CliRunner().invoke(
            main,
            ["doctor", "--models", *options],
            env={f"RABBITHOLE_{name}": value for name, value in set_.items()},
        )

    return run


def test_doctor_shows_repeats_and_says_what_overrules(doctor: Callable[..., Result]) -> None:
    with OpenAIServer(faithful) as server:
        server.fault = "cut"
        failed = doctor(server)
        assert failed.exit_code == 1 and "broke off in the middle" in failed.stdout
        assert "not measured; quotes alone" in failed.stdout
        server.fault = "english"
        assert "openai:m: 0 % proven; quotes alone" in doctor(server, "--again").stdout
        server.fault, asked = "none", len(server.requests)
        looked = doctor(server)
        assert "0 % proven" in looked.stdout and len(server.requests) == asked
        assert "it writes (RABBITHOLE_READS=yes)" in doctor(server, READS="yes").stdout
        found = json.loads(doctor(server, "--again", "--json").stdout)
        assert (found["share"], found["writes"], found["reads"]) == (1.0, True, "auto")
        assert {"question", "text", "proven", "sentences"} == set(found["answers"][0])
        assert "quotes alone (RABBITHOLE_READS=no)" in doctor(server, READS="no").stdout
