"""The engine's sentences in the language of whoever reads them.

Errors, warnings and reasons travel as one English sentence: through the catalog, events, reports
and JSON, into old threads as well as new ones. Here each of them has a code and a text in both
languages; a sentence is recognised by its wording, which tests hold against the source.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from agent.messages import (
    asking,
    checking,
    desk,
    engines,
    files,
    library,
    models,
    research,
    search,
    stores,
)
from agent.messages.base import FIELD, Message
from agent.messages.terms import TERMS

__all__ = ["MESSAGES", "Message", "Understood", "tell", "understood"]

MESSAGES: Final = (
    *research.MESSAGES,
    *asking.MESSAGES,
    *search.MESSAGES,
    *library.MESSAGES,
    *desk.MESSAGES,
    *files.MESSAGES,
    *models.MESSAGES,
    *engines.MESSAGES,
    *stores.MESSAGES,
    *checking.MESSAGES,
)
LONGEST: Final = 4000
"""Longer sentences hold a document's text and are left as they are."""
NESTED: Final = "reason"
DEPTH: Final = 3
TELLING: Final = 7
"""Letters from which on a message is told by its own words, whatever it holds."""
_NUMBER: Final = re.compile(r"\d{1,3}(,\d{3})+|\d+\.\d+")


@dataclass(frozen=True)
class Understood:
    """A sentence of the engine: which one, and what is filled in."""

    message: Message
    values: Mapping[str, str]

    @property
    def code(self) -> str:
        return self.message.code


@lru_cache(maxsize=1024)
def understood(sentence: str, depth: int = DEPTH) -> Understood | None:
    """The message that a sentence is; None for one that the catalogue does not know.

    Of several messages that fit, one that holds another known one is meant, else the longest: a
    value may be anything, the beginning of an outer message included.

    Args:
        sentence: as the engine said it.
        depth: how many messages may stand within each other.
    """
    if len(sentence) > LONGEST:
        return None
    ranked = [
        (_holds_known(values, depth), message.weight, Understood(message, values))
        for message in MESSAGES
        if (values := message.values(sentence)) is not None
    ]
    sure = [each for each in ranked if each[0] or each[1] >= TELLING]
    return max(sure, key=lambda each: each[:2])[2] if sure else None


def _holds_known(values: Mapping[str, str], depth: int) -> bool:
    reason = values.get(NESTED)
    return depth > 1 and reason is not None and _known(reason, depth - 1) is not None


def _known(reason: str, depth: int) -> str | None:
    """The sentence that the engine put into another one, where its full stop may be missing."""
    ways = (reason,) if reason.endswith(".") else (reason, f"{reason}.")
    return next((each for each in ways if understood(each, depth)), None)


def tell(sentence: str, language: str) -> str:
    """The sentence in ``de``, else in English; as the engine said it where it is unknown."""
    found = understood(sentence)
    if found is None:
        return sentence
    values = {name: _filled(name, value, language) for name, value in found.values.items()}
    return FIELD.sub(lambda field: values[field[1]], found.message.text(language))


def _filled(name: str, value: str, language: str) -> str:
    if name == NESTED:
        return _nested(value, language)
    if term := TERMS.get(name, {}).get(value):
        return term.de if language == "de" else term.en
    if language == "de" and _NUMBER.fullmatch(value):
        return value.translate(str.maketrans(",.", ".,"))
    return value


def _nested(reason: str, language: str) -> str:
    """A sentence within another one, which goes on in the words after it."""
    known = _known(reason, DEPTH - 1)
    return reason if known is None else tell(known, language).rstrip(".")
