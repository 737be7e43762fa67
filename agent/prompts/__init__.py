"""Model tasks by subject: typed input, schema, check and fallback. Their words stand in
``prompts.toml``, those that readers see in ``words.toml``.

Small models follow a short prompt in the language of the answer best, so each prompt exists in
German and English; other languages get the English text and a line naming the language.
"""

import tomllib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, TypeVar

from services.domain import Language, Value
from services.domain.errors import InvalidGeneration
from services.models.base import Message
from services.models.output import language_name
from services.models.tasks import ModelTask


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name(name).read_text(encoding="utf-8"))


_WORDS: Final[dict[str, dict[str, str]]] = _read("words.toml")
_PROMPTS: Final = _read("prompts.toml")


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


def words_of(task: str, language: Language) -> Mapping[str, str]:
    """The words of a prompt, as they are."""
    texts = _PROMPTS[task]
    found: Mapping[str, str] = texts.get(language) or texts["en"]
    return found


def in_language(task: str, language: Language, text: str, verb: str = "\nAnswer") -> str:
    """Instructions that name the language to the model, where the prompt is not written in it."""
    return text if language in _PROMPTS[task] else f"{text}{verb} in {language_name(language)}."


def numbered(lines: Sequence[str]) -> str:
    """Lines as ``[1] …``, the form in which small models refer back most reliably."""
    return "\n".join(f"[{number}] {line}" for number, line in enumerate(lines, start=1))


def bullets(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)


class Worded(Value):
    """What every task is told: the language of its answer."""

    language: Language


class Asked(Worded):
    """What most tasks are told besides: a question."""

    question: str


In = TypeVar("In", bound=Worded)
Out = TypeVar("Out")


class PromptTask(ModelTask[In, Out]):
    """A task whose words stand in ``prompts.toml`` under ``prompt``."""

    prompt: ClassVar[str]

    def __init__(self, temperature: float = 0.0) -> None:
        self.temperature = temperature

    def render(self, inp: In) -> tuple[Message, ...]:
        words = words_of(self.prompt, inp.language)
        return (
            Message(role="system", content=self.system(inp, words)),
            Message(role="user", content=self.user(inp, words)),
        )

    def system(self, inp: In, words: Mapping[str, str]) -> str:
        """What the task is."""
        return in_language(self.prompt, inp.language, words["system"])

    @abstractmethod
    def user(self, inp: In, words: Mapping[str, str]) -> str:
        """What it is to be done with."""


class TextTask(PromptTask[In, str]):
    """A task that writes free text in one paragraph for a reader; "" without a model."""

    def language(self, inp: In) -> Language | None:
        return inp.language

    def check(self, inp: In, output: str) -> str:
        text = " ".join(output.split())
        if not text:
            raise InvalidGeneration("the answer is empty")
        return text

    def fallback(self, inp: In) -> str:
        return ""
