"""Replies are kept as they came, and given again to the same request."""

import pytest

from services.domain.errors import Broken, ModelTimeout
from services.models.base import ChatRequest, Message
from services.models.recording import RecordedReply, RecordingModel, ReplayModel, request_key
from tests.support.scripted_model import ScriptedModel


def request(text: str = "Frage", **changes: object) -> ChatRequest:
    fields = {"messages": (Message(role="user", content=text),), "max_tokens": 9, "deadline_s": 1.0}
    return ChatRequest.model_validate({**fields, **changes})


async def test_a_recorded_call_is_replayed_without_the_model() -> None:
    replies: list[RecordedReply] = []
    scripted = ScriptedModel([("Frage", ["eins", "zwei"]), ("langsam", ModelTimeout("zu langsam"))])
    recording = RecordingModel(scripted, replies.append)
    count = recording.count_tokens("ein Text")
    first = await recording.complete(request())
    await recording.complete(request())
    with pytest.raises(ModelTimeout):
        await recording.complete(request("langsam"))

    replay = ReplayModel(replies, name=recording.name)
    assert (replay.name, replay.context_tokens) == (scripted.name, scripted.context_tokens)
    assert replay.count_tokens("ein Text") == count
    assert replay.prompt_tokens_per_s == scripted.prompt_tokens_per_s
    texts: list[str] = []
    again = await replay.complete(request(), texts.append)
    assert (again.text, again.prompt_tokens) == (first.text, first.prompt_tokens)
    assert texts == ["eins"]
    assert [(await replay.complete(request())).text for _ in range(2)] == ["zwei", "zwei"]
    with pytest.raises(ModelTimeout, match="zu langsam"):
        await replay.complete(request("langsam"))
    with pytest.raises(Broken, match="no reply to this prompt"):
        await replay.complete(request("etwas anderes"))


def test_what_a_reply_depends_on_makes_another_key() -> None:
    key = request_key(request())
    assert key == request_key(request(deadline_s=99.0, task="other"))
    others = [request("Frage?"), request(seed=8), request(temperature=0.1), request(max_tokens=10),
              request(json_schema={"type": "object"})]  # fmt: skip
    assert len({key, *map(request_key, others)}) == len(others) + 1
