"""Rules of a scripted model that reads: it knows some sentences, and quotes those that it sees."""

import json
import re
from typing import Any

from services.models.base import ChatRequest
from tests.support.scripted_model import Answer

NO_WORDS: dict[str, Any] = {"queries": [], "passage": ""}


def reading_replies(*sentences: str, declined: str = "?!") -> dict[str, Answer]:
    """By task: no searches of its own, the sentences that stand in a passage, nothing missing.

    The question ``declined`` is not answered.
    """

    def read(request: ChatRequest) -> str:
        prompt = request.messages[-1].content
        known = () if declined in prompt else sentences
        claims = [_claim(each, prompt) for each in known if each in prompt]
        answered = "yes" if claims else "no"
        return _json({"answered": answered, "claims": claims, "missing": ""})

    def verify(request: ChatRequest) -> str:
        numbers = re.findall(r"(?m)^(\d+)\. ", request.messages[-1].content)
        return _json({"readings": [{"number": int(n), "missing": ""} for n in numbers]})

    return {"words": NO_WORDS, "read": read, "verify": verify}


def _claim(sentence: str, prompt: str) -> dict[str, Any]:
    number = re.findall(r"(?m)^\[(\d+)\]", prompt[: prompt.index(sentence)])[-1]
    return {"text": sentence, "sources": [{"passage": int(number), "quote": sentence}]}


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
