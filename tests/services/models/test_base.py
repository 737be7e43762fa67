"""Fitting prompts to a model's context and speed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.domain.errors import PromptTooLong
from services.models.base import (
    ChatRequest,
    Message,
    count_prompt,
    fit_passages,
    passage_tokens,
    require_fit,
)
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
    with pytest.raises(PromptTooLong, match=f"{needed - 1} tokens of scripted"):
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
    found = passage_tokens(counter, fixed_tokens=200, max_tokens=max_tokens, deadline_s=deadline_s)
    assert found == room


@given(st.lists(st.text(max_size=60), max_size=12), st.integers(min_value=0, max_value=200))
def test_fitting_passages_are_the_longest_beginning(passages: list[str], tokens: int) -> None:
    counter = model()
    fitting = fit_passages(counter, passages, tokens)
    assert fitting == passages[: len(fitting)]
    cost = sum(counter.count_tokens(text) + 1 for text in fitting)
    assert cost <= tokens
    if len(fitting) < len(passages):
        assert cost + counter.count_tokens(passages[len(fitting)]) + 1 > tokens
