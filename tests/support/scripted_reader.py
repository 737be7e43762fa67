"""A scripted model that reads: of the passages it is shown it quotes what is nearest to a question.

It answers each prompt of readings and of research by the schema that the reply must have, without
knowing the documents: so what it says is right, if not clever.
"""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from services.language.text.sentences import sentences as sentences_of
from tests.support.reading_rules import grade_reply, read_reply, section_reply, verify_reply

CLAIM: Final = range(60, 200)
"""Characters of a claim; of 438 that a large model wrote the median has 108."""
_QUESTION: Final = re.compile(r"(?m)(?:Frage|Question): (.*)$")

Reply = Callable[[str, int], str]


def question_of(prompt: str) -> str:
    return _QUESTION.findall(prompt)[-1]


def nearest(prompt: str, question: str, most: int) -> list[str]:
    """The sentences of the passages that have most words of the question, in one line each."""
    asked = set(re.findall(r"\w{4,}", question.casefold()))
    passages = prompt[prompt.index("\n[1] ") : prompt.rindex(question)]
    whole = (passages[start:end] for start, end in sentences_of(passages))
    lines = [each for each in whole if len(each) in CLAIM and not each.startswith("[")]

    def shared(sentence: str) -> int:
        return len(asked & set(re.findall(r"\w{4,}", sentence.casefold())))

    return sorted(lines, key=shared, reverse=True)[:most]


def _read(prompt: str, most: int) -> str:
    return read_reply(prompt, nearest(prompt, question_of(prompt), most))


def _plan(prompt: str, _: int) -> str:
    asked = re.findall(r"[^.?!\n]+\?", question_of(prompt)) or [question_of(prompt)]
    parts = [each.strip() for whole in asked for each in re.split(r", und ", whole)]
    tasks = [{"task": each, "why": "", "searches": each.split(" ", 1)} for each in parts]
    return json.dumps({"tasks": tasks}, ensure_ascii=False)


def _look_over(prompt: str, _: int) -> str:
    question = question_of(prompt)
    aspects = [{"aspect": question, "covered": "yes"}]
    held = nearest(prompt, question, 2)
    options = [
        {"answer": answer, "holds": [{"passage": 1, "quote": quote}]}
        for answer, quote in zip(("Im Betrieb", "Zu Hause"), held, strict=False)
    ]
    ask = {"question": "Wo ist das?", "matters": "Davon hängt ab, was gilt.", "options": options}
    questions = [ask] if len(options) == 2 and "Wo ist das?" not in prompt else []
    survey = {"concepts": [], "aspects": aspects, "assumptions": [], "questions": questions}
    return json.dumps(survey, ensure_ascii=False)


def _constant(**value: Any) -> Reply:
    return lambda prompt, most: json.dumps(value)


REPLIES: Final[Mapping[str, Reply]] = {
    "queries": _constant(queries=[], passage=""),
    "claims": _read,
    "readings": lambda prompt, _: verify_reply(prompt),
    "aspects": _look_over,
    "tasks": _plan,
    "grades": lambda prompt, _: grade_reply(prompt),
    "repeats": _constant(repeats=[], contradictions=[]),
    "paragraphs": lambda prompt, _: section_reply(prompt),
}
"""By a field of the schema that only this reply has."""


def reply(body: Mapping[str, Any], claims: int = 3) -> str:
    prompt = body["messages"][-1]["content"]
    form = (body.get("response_format") or {}).get("json_schema") or {}
    fields = form.get("schema", {}).get("properties", {})
    make = next((each for name, each in REPLIES.items() if name in fields), None)
    return "Ja." if make is None else make(prompt, claims)
