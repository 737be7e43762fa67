"""The output of a model: its schema, checks of form and language, and the prompt of a repair."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import TypeVar, cast

from pydantic import BaseModel, JsonValue, ValidationError
from pydantic_core import ErrorDetails

from services.domain import Language
from services.domain.errors import BadGeneration, InvalidGeneration, TruncatedGeneration
from services.domain.notices import Notice
from services.language.text.normal import one_line
from services.language.vocabulary import NAMES
from services.models.base import Message

Schema = TypeVar("Schema", bound=BaseModel)

IN_TEXT = "Reply with one JSON object that fits this JSON schema, and with nothing else:"
_NOT_FOR_GRAMMARS = ("title", "description", "default", "examples")
SHOWN_ERRORS = 3


@cache
def generation_schema(model: type[BaseModel]) -> dict[str, JsonValue]:
    """Return the JSON schema of ``model`` as a grammar needs it.

    Every property is required, in the order of the class, and no other is allowed: a small model
    leaves out whatever it may. Servers do not show titles, descriptions and defaults to the model.
    """
    return cast(dict[str, JsonValue], _tightened(model.model_json_schema()))


def _tightened(node: JsonValue) -> JsonValue:
    if isinstance(node, list):
        return [_tightened(item) for item in node]
    if not isinstance(node, dict):
        return node
    keywords = {key: value for key, value in node.items() if key not in _NOT_FOR_GRAMMARS}
    properties = keywords.pop("properties", None)
    tight = {key: _tightened(value) for key, value in keywords.items()}
    if isinstance(properties, dict):
        # The names of properties are not keywords: one may well be called "title".
        tight["properties"] = {name: _tightened(value) for name, value in properties.items()}
        tight["required"] = list(properties)
        tight["additionalProperties"] = False
    return tight


def json_object(text: str) -> str:
    """Return the JSON object in a text that may fence or introduce it; "" if it has none."""
    inner = text[max(0, text.find("{")) : text.rfind("}") + 1]
    with suppress(ValueError):
        json.loads(inner)
        return inner
    return ""


def with_schema(
    messages: Sequence[Message], schema: Mapping[str, JsonValue]
) -> tuple[Message, ...]:
    """Return the prompt with the schema as text, for servers that do not enforce one."""
    return _extended(messages, f"{IN_TEXT}\n{json.dumps(schema, ensure_ascii=False)}")


def _extended(messages: Sequence[Message], text: str) -> tuple[Message, ...]:
    last = messages[-1]
    return (*messages[:-1], Message(role=last.role, content=f"{last.content}\n\n{text}"))


def _unbroken(value: JsonValue) -> JsonValue:
    """Put each text on one line: a break could begin a heading of its own."""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, list):
        return [_unbroken(item) for item in value]
    if isinstance(value, dict):
        return {name: _unbroken(item) for name, item in value.items()}
    return value


def read_output(schema: type[Schema], text: str) -> Schema:
    """Parse a generation as ``schema``, with each of its texts on one line.

    Raise InvalidGeneration naming the first fields that are wrong, for the repair.
    """
    if json_text := json_object(text):
        text = json.dumps(_unbroken(json.loads(json_text)))
    try:
        return schema.model_validate_json(text)
    except ValidationError as error:
        problems = [_notice_of(problem) for problem in error.errors(include_url=False)]
        if len(problems) == 1:
            raise InvalidGeneration(problems[0]) from error
        raise InvalidGeneration("; ".join(map(str, problems[:SHOWN_ERRORS]))) from error


def _notice_of(problem: ErrorDetails) -> Notice:
    path = ".".join(map(str, problem["loc"]))
    match problem["type"]:
        case "missing":
            return Notice.of("{path}: Field required", path=path)
        case "json_invalid":
            return Notice.of("JSON: Invalid JSON: {said}", said=problem["ctx"]["error"])
    return Notice(message=f"{path or 'JSON'}: {problem['msg']}")


FEWEST_WORDS = 5
"""A piece with fewer words, such as a heading or a label, is not checked."""

LARGEST_FOREIGN_SHARE = 0.4
"""Share of the letters that may stand in sentences of another language."""

_QUOTED = re.compile(r"„[^“”\"]*[“”\"]|“[^”]*”|»[^«]*«|«[^»]*»|\"[^\"\n]*\"|`[^`]*`")
_PIECE = re.compile(r"(?<=[.!?:;])\s+|\n+")
_WORD = re.compile(r"[^\W\d_]{2,}")
_EAST_ASIAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_EAST_ASIAN_LANGUAGES = ("zh", "ja", "ko")


def check_language(text: str, expected: Language) -> None:
    """Raise InvalidGeneration, in words for the model, unless a text is mostly in ``expected``.

    Quotations, short pieces and whatever the detector is unsure of pass. Chinese, Japanese or
    Korean characters pass only if expected: small models slip into them amid a sentence.
    """
    unquoted = _QUOTED.sub(" ", text)
    tongue = language_name(expected)
    if expected not in _EAST_ASIAN_LANGUAGES and _EAST_ASIAN.search(unquoted):
        raise InvalidGeneration("the text has East Asian characters; write {tongue}", tongue=tongue)
    foreign = _foreign_letters(unquoted, expected)
    if foreign.total() > LARGEST_FOREIGN_SHARE * _letters(unquoted):
        ((other, _),) = foreign.most_common(1)
        raise InvalidGeneration(
            "the text is in {other}, not in {tongue}; write {tongue}",
            other=language_name(other),
            tongue=tongue,
        )


def _foreign_letters(text: str, expected: Language) -> Counter[Language]:
    """Count the letters in sentences of other languages."""
    from services.language.query.language import detect_language

    counts: Counter[Language] = Counter()
    for piece in _PIECE.split(text):
        if len(_WORD.findall(piece)) >= FEWEST_WORDS:
            counts[detect_language(piece, default=expected)] += _letters(piece)
    del counts[expected]
    return counts


def _letters(text: str) -> int:
    return sum(map(len, _WORD.findall(text)))


def language_name(language: Language) -> str:
    """Return the English name of a language for prompts: ``German`` for ``de``."""
    return NAMES.get(language, language)


SHOWN_CHARS = 1500
"""Of the unusable answer; its beginning is enough to see what went wrong."""

_TEXTS: dict[Language, tuple[str, str]] = {
    "de": (
        "Deine Antwort war nicht brauchbar: {problem}. Gib die ganze Antwort noch einmal, ohne "
        "diesen Fehler und ohne Erklärung.",
        "Deine Antwort war zu lang und wurde abgeschnitten. Gib die ganze Antwort noch einmal, "
        "höchstens halb so lang.",
    ),
    "en": (
        "Your answer was not usable: {problem}. Give the whole answer again, without this "
        "mistake and without an explanation.",
        "Your answer was too long and was cut off. Give the whole answer again, at most half "
        "as long.",
    ),
}


def repair_messages(
    messages: Sequence[Message], answer: str, error: BadGeneration, language: Language | None
) -> tuple[Message, ...]:
    """Return the prompt again, followed by the unusable answer and what is wrong with it.

    The beginning stays, so that a server can reuse it. Without an answer to show, the last message
    is extended: some templates insist that roles alternate.
    """
    wrong, too_long = _TEXTS.get(language or "en", _TEXTS["en"])
    truncated = isinstance(error, TruncatedGeneration)
    complaint = too_long if truncated else wrong.format(problem=str(error).rstrip("."))
    start = answer.strip()[:SHOWN_CHARS]
    if truncated or not start:
        return _extended(messages, complaint)
    reply = Message(role="assistant", content=start)
    return (*messages, reply, Message(role="user", content=complaint))
