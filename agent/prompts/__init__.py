"""Model tasks by subject, with their prompts in ``prompts.toml`` and texts for readers beside it.

Small models follow a short prompt in the language of the answer best, so each prompt exists in
German and English; other languages get the English text and a line naming the language.
"""

import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import NoneType
from typing import Any, ClassVar, Final, TypeVar, cast

from services.domain import Language, Value
from services.models.base import Message
from services.models.output import language_name
from services.models.tasks import ModelTask


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


_READER_TEXTS: Final[dict[str, dict[str, str]]] = _read("reader_texts.toml")
_PROMPTS: Final = _read("prompts.toml")
_FIELD: Final = re.compile(r"\{([a-z_]+)(?:\|([a-z]+))?\}")
_LINES: Final = {
    None: "- {line}",
    "numbered": "{n}. {line}",
    "bracketed": "[{n}] {line}",
}
"""The forms of a line of ``{field|form}``; ``n`` counts from 1."""
_OPTIONAL: Final = re.compile(r"(?:\?(?P<field>\w+):)?(?P<text>.*)", re.DOTALL)
"""A block of a prompt, and the field without which it is left out."""


class _Number(int):
    """A number that chooses the word of ``{0:one|many}``; in French zero is singular, too."""

    singular: tuple[int, ...] = (1,)

    def __format__(self, spec: str) -> str:
        if "|" not in spec:
            return super().__format__(spec)
        one, many = spec.split("|")
        return one if self in self.singular else many


class _FrenchNumber(_Number):
    singular = (0, 1)


def say(language: Language, key: str, *values: object, **fields: object) -> str:
    """Return a text for a reader, filled in; English where the language has none."""
    texts = _READER_TEXTS[key]
    number = _FrenchNumber if language == "fr" and "fr" in texts else _Number
    filled = [number(value) if isinstance(value, int) else value for value in values]
    return (texts.get(language) or texts["en"]).format(*filled, **fields)


def prompt_texts(task: str, language: Language) -> Mapping[str, Any]:
    """Return the texts of a prompt, not filled in; English where the language has none."""
    texts = _PROMPTS[task]
    return cast(Mapping[str, Any], texts.get(language) or texts["en"])


def filled(text: str, values: Mapping[str, object]) -> str:
    """Fill in the ``{fields}`` of a text but none in the values; a tuple becomes lines."""

    def as_text(field: re.Match[str]) -> str:
        value, form = values[field[1]], _LINES[field[2]]
        if not isinstance(value, tuple):
            return str(value)
        return "\n".join(form.format(n=n, line=line) for n, line in enumerate(value, start=1))

    return _FIELD.sub(as_text, text)


class PromptInput(Value):
    """Input of a task: the language of its answer."""

    language: Language


class QuestionInput(PromptInput):
    """Input of a task about a question."""

    question: str


In = TypeVar("In", bound=PromptInput)
Out = TypeVar("Out")


class PromptTask(ModelTask[In, Out]):
    """A task with a prompt in ``prompts.toml``, filled in with its input and what ``values`` adds.

    A person's instructions replace the system prompt. ``otherwise`` is the type of an empty result.
    """

    otherwise: ClassVar[type[Any]] = NoneType

    def __init__(self, temperature: float = 0.0) -> None:
        self.temperature = temperature

    def render(self, inp: In) -> tuple[Message, ...]:
        texts = prompt_texts(self.name, inp.language)
        fields = dict(inp)
        values = fields | {"name": language_name(inp.language)} | self.values(inp, texts)
        translated = inp.language in _PROMPTS[self.name]
        other = "" if translated else texts.get("other", "")  # names the language
        system = fields.get("instructions") or filled(texts["system"] + other, values)
        blocks = (_OPTIONAL.match(block) for block in texts["user"])
        user = "".join(
            b["text"] for b in blocks if b and (b["field"] is None or values[b["field"]])
        )
        return (
            Message(role="system", content=system),
            Message(role="user", content=filled(user, values)),
        )

    def values(self, inp: In, texts: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is filled in besides the input."""
        return {}

    def fallback(self, inp: In) -> Out:
        """Return the result of code, if the input has one as ``fallback``, else nothing."""
        return cast(Out, getattr(inp, "fallback", self.otherwise()))
