"""Rules of a scripted model that reads: it knows some sentences, and quotes those that it sees."""

import json
import re
from collections.abc import Sequence
from typing import Any

from services.models.base import ChatRequest
from tests.support.scripted_model import Answer, Rule

NO_WORDS: dict[str, Any] = {"queries": [], "passage": ""}


def reading_replies(*sentences: str, declined: str = "?!") -> dict[str, Answer]:
    """By task: no searches of its own, the sentences that stand in a passage, nothing missing.

    The question ``declined`` is not answered.
    """

    def read(request: ChatRequest) -> str:
        prompt = request.messages[-1].content
        return read_reply(prompt, () if declined in prompt else sentences)

    return {
        "words": NO_WORDS,
        "read": read,
        "verify": lambda request: verify_reply(request.messages[-1].content),
    }


def read_reply(prompt: str, sentences: Sequence[str]) -> str:
    claims = [_claim(each, prompt) for each in sentences if each in prompt]
    answered = "yes" if claims else "no"
    return _json({"answered": answered, "claims": claims, "missing": ""})


def verify_reply(prompt: str) -> str:
    numbers = re.findall(r"(?m)^(\d+)\. ", prompt)
    return _json({"readings": [{"number": int(n), "missing": ""} for n in numbers]})


def grade_reply(prompt: str) -> str:
    numbers = re.findall(r"(?m)^(\d+)\. ", prompt)
    grades = [{"number": int(n), "grade": 9, "why": "answers"} for n in numbers]
    return _json({"grades": grades})


def section_reply(prompt: str) -> str:
    """The findings of the prompt, each as a sentence of prose."""
    found = re.findall(r"(?m)^\[(\d+)\] (.*)$", prompt)
    sentences = [{"text": text, "claims": [int(n)]} for n, text in found]
    return _json({"paragraphs": [{"form": "prose", "columns": [], "sentences": sentences}]})


def reading_rules(*sentences: str) -> list[Rule]:
    return [(f"^{task}$", reply) for task, reply in reading_replies(*sentences).items()]


def _claim(sentence: str, prompt: str) -> dict[str, Any]:
    number = re.findall(r"(?m)^\[(\d+)\]", prompt[: prompt.index(sentence)])[-1]
    return {"text": sentence, "sources": [{"passage": int(number), "quote": sentence}]}


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)
