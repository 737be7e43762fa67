"""The scripted model keeps the contract that the real ones keep."""

import pytest

from services.models.base import ChatModel
from tests.contracts.chat_model_contract import ChatModelContract, ask
from tests.support.scripted_model import ScriptedModel, UnscriptedRequest


@pytest.fixture
def model() -> ChatModel:
    return ScriptedModel(default="Der Grenzwert beträgt 20 Millisievert.")


class TestScriptedModel(ChatModelContract): ...


async def test_the_first_fitting_rule_answers() -> None:
    model = ScriptedModel([("plan", {"items": ["a"]}), (r"Grenzwert.*UV", "0,3"), ("Grenz", "20")])
    assert (await model.complete(ask("Grenzwert?", task="plan"))).text == '{"items": ["a"]}'
    assert (await model.complete(ask("Grenzwert für UV"))).text == "0,3"
    assert (await model.complete(ask("Grenzwert"))).text == "20"


async def test_an_unforeseen_request_fails_the_test() -> None:
    with pytest.raises(UnscriptedRequest, match="Nenne"):
        await ScriptedModel([("plan", "x")]).complete(ask())
