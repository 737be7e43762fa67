"""Accumulating a stream: thoughts, counts, ends."""

import pytest

from services.domain.errors import InvalidGeneration, TruncatedGeneration
from services.models.endpoint import Endpoint
from services.models.streaming import Delta, Generation


def generation(*deltas: Delta) -> Generation:
    whole = Generation(Endpoint("m", "http://127.0.0.1", remedy="", protocol=""))
    for delta in deltas:
        whole.add(delta)
    return whole


def test_later_counts_win() -> None:
    whole = generation(Delta(text="a", prompt_tokens=1), Delta(prompt_tokens=9, cached_tokens=0))
    assert whole.prompt_tokens == 9
    assert whole.cached_tokens == 0


def test_the_endpoints_own_time_wins() -> None:
    assert generation(Delta(text="a"), Delta(prompt_seconds=3.5)).prompt_seconds == 3.5


def test_whole() -> None:
    generation(Delta(text="Ja."), Delta(finish_reason="stop")).require_whole(10)


@pytest.mark.parametrize(
    ("deltas", "error"),
    [
        ([Delta(text="Ja")], TruncatedGeneration),
        ([Delta(text="Ja"), Delta(finish_reason="length")], TruncatedGeneration),
        ([Delta(text="<think>Hm"), Delta(finish_reason="length")], TruncatedGeneration),
        ([], InvalidGeneration),
        ([Delta(text=" \n"), Delta(finish_reason="stop")], InvalidGeneration),
        ([Delta(text="<think>Hm"), Delta(finish_reason="stop")], InvalidGeneration),
        ([Delta(text="Ja"), Delta(finish_reason="content_filter")], InvalidGeneration),
    ],
)
def test_not_whole(deltas: list[Delta], error: type[Exception]) -> None:
    with pytest.raises(error):
        generation(*deltas).require_whole(10)
