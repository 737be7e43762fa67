"""What the engine says, each sentence with a code and a text in both languages."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

FIELD: Final = re.compile(r"\{(\w+)\}")
_QUOTE: Final = "['\"]"


@dataclass(frozen=True)
class Message:
    """A sentence of the engine with what is filled in.

    Args:
        code: names the message; stays when the wording changes.
        said: the engine's sentence, ``{name}`` standing for what is filled in. A value called
            ``reason`` is a sentence of the engine itself.
        de: the sentence for people in German.
        en: the same in English; empty where the engine's sentence is good for that.
        also: the engine's sentence in German, where it speaks the language of the question.
    """

    code: str
    said: str
    de: str
    en: str = ""
    also: str = ""

    def text(self, language: str) -> str:
        """The text in ``de``, else in English."""
        return self.de if language == "de" else self.en or self.said

    def values(self, sentence: str) -> dict[str, str] | None:
        """What is filled in, if the sentence is this message."""
        for pattern in self._patterns:
            if found := pattern.fullmatch(sentence):
                return found.groupdict()
        return None

    @cached_property
    def weight(self) -> int:
        """Letters that are no value: of two messages that fit, the one with more is meant."""
        return len(FIELD.sub("", self.said))

    @cached_property
    def _patterns(self) -> list[re.Pattern[str]]:
        return [_pattern(said) for said in (self.said, self.also) if said]


def _pattern(said: str) -> re.Pattern[str]:
    """Python writes a name between quotes of either kind."""
    parts = FIELD.split(said)
    escaped = [
        f"(?P<{part}>.*?)" if number % 2 else re.escape(part).replace("'", _QUOTE)
        for number, part in enumerate(parts)
    ]
    return re.compile("".join(escaped), re.DOTALL)
