"""What the engine says, each sentence with a code and a text in both languages."""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final

FIELD: Final = re.compile(r"\{(\w+)\}")


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
        found = (_filled_in(parts, sentence) for parts in self._parts)
        return next((values for values in found if values is not None), None)

    @cached_property
    def weight(self) -> int:
        """Letters that are no value: of two messages that fit, the one with more is meant."""
        return len(FIELD.sub("", self.said))

    @cached_property
    def _parts(self) -> list[list[str]]:
        """Words and names of values in turn."""
        return [FIELD.split(said) for said in (self.said, self.also) if said]


def _filled_in(parts: list[str], sentence: str) -> dict[str, str] | None:
    """Finds the words one after the other, which takes no longer than the sentence is.

    Python writes a name between quotes of either kind.
    """
    alike = sentence.replace('"', "'")
    words, names = parts[::2], parts[1::2]
    if not names:
        return {} if alike == words[0] else None
    end = len(alike) - len(words[-1])
    if not alike.startswith(words[0]) or not alike.endswith(words[-1]) or end < len(words[0]):
        return None
    values, start = {}, len(words[0])
    for name, word in zip(names[:-1], words[1:-1], strict=True):
        at = alike.find(word, start, end)
        if at < 0:
            return None
        values[name], start = sentence[start:at], at + len(word)
    return {**values, names[-1]: sentence[start:end]}
