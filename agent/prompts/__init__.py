"""Model tasks by subject: typed input, schema, check and fallback. Their words stand in
``prompts.toml``, those that readers see in ``words.toml``.

Small models follow a short prompt in the language of the answer best, so each prompt exists in
German and English; other languages get the English text and a line naming the language.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar, cast

from services.domain import Language, Value
from services.domain.errors import InvalidGeneration
from services.models.base import Message
from services.models.output import language_name
from services.models.tasks import ModelTask
from services.retrieval.context import blocks


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


_WORDS: Final[dict[str, dict[str, str]]] = _read("words.toml")
_PROMPTS: Final = _read("prompts.toml")
_FIELD: Final = re.compile(r"\{([a-z_]+)\}")
_OPTIONAL: Final = re.compile(r"(?:\?(?P<field>\w+):)?(?P<text>.*)", re.DOTALL)
"""A block of a prompt, and the field without which it is left out."""


class _Number(int):
    """A number that ``{0:one|many}`` gives its word to; in French nothing is singular, too."""

    singular: tuple[int, ...] = (1,)

    def __format__(self, spec: str) -> str:
        if "|" not in spec:
            return super().__format__(spec)
        one, many = spec.split("|")
        return one if self in self.singular else many


class _FrenchNumber(_Number):
    singular = (0, 1)


def say(language: Language, key: str, *values: object, **words: object) -> str:
    """Words that a reader sees, filled in; English where the language has none."""
    texts = _WORDS[key]
    number = _FrenchNumber if language == "fr" and "fr" in texts else _Number
    filled = [number(each) if isinstance(each, int) else each for each in values]
    return (texts.get(language) or texts["en"]).format(*filled, **words)


def words_of(task: str, language: Language) -> Mapping[str, Any]:
    """The words of a prompt, as they stand in the table."""
    texts = _PROMPTS[task]
    found: Mapping[str, Any] = texts.get(language) or texts["en"]
    return found


def filled(text: str, values: Mapping[str, object]) -> str:
    """A text of the table with its ``{fields}``; what is filled in is never read again.

    Of several values each gets a line of its own, behind a dash.
    """
    return _FIELD.sub(lambda field: _as_text(values[field[1]]), text)


def _as_text(value: object) -> str:
    return "\n".join(f"- {line}" for line in value) if isinstance(value, tuple) else str(value)


class Worded(Value):
    """What every task is told: the language of its answer."""

    language: Language


class Asked(Worded):
    """What most tasks are told besides: a question."""

    question: str


class PassageText(Value):
    """Text of one place, as prompts show it; ``place`` names title, section, page and day."""

    place: str
    text: str


def shown(passages: Sequence[PassageText]) -> str:
    """Passages in one line each, under their places."""
    return blocks((each.place, " ".join(each.text.split())) for each in passages)


In = TypeVar("In", bound=Worded)
Out = TypeVar("Out")


class PromptTask(ModelTask[In, Out]):
    """A task whose words stand in ``prompts.toml`` under its name, or ``prompt`` if that differs.

    The fields of its input are filled in, and what ``values`` makes of them besides. Instructions
    of a person replace the system prompt.
    """

    prompt: ClassVar[str] = ""

    def __init__(self, temperature: float = 0.0) -> None:
        self.temperature = temperature

    def render(self, inp: In) -> tuple[Message, ...]:
        words = words_of(self.prompt or self.name, inp.language)
        given = dict(inp)
        values = given | {"name": language_name(inp.language)} | self.values(inp, words)
        system = given.get("instructions") or filled(words["system"] + self._other(inp), values)
        blocks = (_OPTIONAL.match(block) for block in words["user"])
        user = "".join(
            b["text"] for b in blocks if b and (b["field"] is None or values[b["field"]])
        )
        return (
            Message(role="system", content=system + filled(values.get("after", ""), values)),
            Message(role="user", content=filled(user, values)),
        )

    def values(self, inp: In, words: Mapping[str, Any]) -> dict[str, Any]:
        """What is filled in besides the input; ``after`` follows every system prompt."""
        return {}

    def _other(self, inp: In) -> str:
        """Names the language to the model, where the prompt is not written in it."""
        texts = _PROMPTS[self.prompt or self.name]
        return "" if inp.language in texts else str(texts["en"].get("other", ""))

    def fallback(self, inp: In) -> Out:
        """What code had in mind; "" where the input has no ``fallback``."""
        return cast(Out, getattr(inp, "fallback", ""))


class TextTask(PromptTask[In, str]):
    """A task that writes free text in one paragraph for a reader; "" without a model."""

    def language(self, inp: In) -> Language | None:
        return inp.language

    def check(self, inp: In, output: str) -> str:
        text = " ".join(output.split())
        if not text:
            raise InvalidGeneration("the answer is empty")
        return text
