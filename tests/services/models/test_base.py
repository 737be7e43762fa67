"""Fitting prompts to a model's context and speed."""

import pytest

from services.domain.errors import PromptTooLong
from services.models.base import ChatRequest, Message, count_prompt, passage_tokens, require_fit
from tests.support.scripted_model import ScriptedModel


def model(context: int = 8192, speed: float = 1000.0) -> ScriptedModel:
    scripted = ScriptedModel(context_tokens=context)
    scripted.prompt_tokens_per_s = speed
    return scripted


def test_a_prompt_fits_exactly_or_not() -> None:
    request = ChatRequest(
        messages=(Message(role="user", content="x" * 280),), max_tokens=100, deadline_s=1
    )
    needed = count_prompt(model(), request.messages) + 100
    require_fit(model(needed), request)
    with pytest.raises(PromptTooLong, match=f"{needed - 1} tokens that scripted allows"):
        require_fit(model(needed - 1), request)


@pytest.mark.parametrize(
    ("counter", "max_tokens", "deadline_s", "room"),
    [
        (model(4096), 500, 120, 4096 - 200 - 500),  # a fast one is bounded by its context
        (model(speed=20), 500, 60, 20 * 60 * 0.4 - 200),  # a slow one by its speed
        (model(speed=1), 5, 1, 0),  # no room is none, not less
    ],
)
def test_room_for_passages(
    counter: ScriptedModel, max_tokens: int, deadline_s: float, room: float
) -> None:
    tokens = passage_tokens(counter, fixed_tokens=200, max_tokens=max_tokens, deadline_s=deadline_s)
    assert tokens == room
