"""Answers that are kept for when the same question comes in other words.

Two questions count as the same when they have the same words in the same order, apart from what
only opens a question (``Was ist``, ``Tell me about``), articles, politeness, German endings and
punctuation, and lie near each other as vectors. A vector alone knows neither ``mindestens`` from
``höchstens`` nor 20 from 30, nor who informs whom; so numbers, units, negations, section labels,
names and the order of words must be the same, because all words must.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from pydantic import JsonValue

from services.domain import Language, Scope, SearchFilter
from services.language.text import normalise
from services.language.vocabulary import word_set
from services.timed_cache import TimedCache

CAPACITY = 200
LIFETIME_S = 24 * 3600.0

MIN_COSINE = 0.9
"""Of the questions' vectors. By multilingual-e5-small the same questions lie at 0.91 to 0.95, and
questions that differ in one decisive word at 0.92 to 0.98 (``tests/benchmarks/same_question.py``):
a vector can confirm that two questions are the same, never decide it."""

_OPENING: Final = "\0what"
_OPENINGS: Final[Mapping[Language, re.Pattern[str]]] = {
    language: re.compile(pattern, re.IGNORECASE)
    for language, pattern in {
        "de": r"(?:bitte )?(?:was (?:ist|sind|heißt|bedeutet|bedeuten)"
        r"|(?:erkläre?|erläutere|beschreibe?)(?: (?:mir|uns))?(?: bitte)?(?: mal)?"
        r"|was versteht man unter)(?: (?:der|die|das|den|dem|ein|eine|einen|einer|einem))? ",
        "en": r"(?:please )?(?:(?:what is|what are|what's)"
        r"|(?:can you |could you )?(?:please )?(?:tell (?:me|us) about|explain(?: to (?:me|us))?"
        r"|describe))(?: (?:the|a|an))? ",
        "fr": r"(?:qu'est-ce que?(?: c'est que?)?|explique(?:z)?(?:[ -](?:moi|nous))?"
        r"|parle(?:z)?[ -](?:moi|nous) (?:de|du|des))(?: (?:le|la|les|un|une|des))? ",
        "es": r"¿?(?:qué (?:es|son)|explica(?:me|nos)?|explíca(?:me|nos)"
        r"|háblame (?:de|del))(?: (?:el|la|los|las|un|una))? ",
    }.items()
}
_FILLERS: Final[Mapping[Language, frozenset[str]]] = {
    "de": word_set("der die das den dem des bitte"),
    "en": word_set("the please"),
    "fr": word_set("le la les"),
    "es": word_set("el la los las"),
}
_WORD = re.compile(r"\d+(?:[.,:]\d+)*|\w+|[^\w\s]")
_PUNCTUATION: Final = frozenset("?!.,;:\"'()¿¡")
_GERMAN_ENDINGS: Final = ("", "e", "n", "en", "s", "es")
_SHORTEST_STEM: Final = 5


@dataclass(frozen=True)
class AnswerKey:
    """Everything but the question that an answer depends on; keys that differ share nothing.

    ``versions`` are the content versions of the scope's collections, ``graph`` is that of their
    knowledge graph, empty where nothing has been built. ``parameters`` is whatever
    else decides an answer, as hashable values: depth, thresholds, prompts, number of passages.
    """

    scope: Scope
    versions: tuple[int, ...]
    language: Language
    profile: str | None
    model: str
    parameters: tuple[object, ...] = ()
    only: SearchFilter = field(default_factory=SearchFilter)
    graph: str = ""


Answer = Mapping[str, JsonValue]
Place = tuple[AnswerKey, tuple[str, ...]]


class AnswerCache(TimedCache[Place, tuple[np.ndarray, Answer]]):
    """The last answers with the unit vectors of their questions.

    Used only where the parameter ``answerCache`` is on.
    """

    def __init__(
        self,
        capacity: int = CAPACITY,
        lifetime_s: float = LIFETIME_S,
        min_cosine: float = MIN_COSINE,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(capacity, lifetime_s, clock)
        self._min_cosine = min_cosine

    def find(
        self, key: AnswerKey, question: str, vector: Sequence[float] | np.ndarray
    ) -> Answer | None:
        """The answer to the same question, None where there is none; counted as hit or miss.

        The question is complete in itself, as rewritten; ``vector`` is its embedding as a query.
        """
        words, wanted = content_words(question, key.language), unit(vector)
        same = (
            self.get(place)
            for place in self.keys()
            if place[0] == key and same_words(words, place[1], key.language)
        )
        found = self.counted(next((each for each in same if self._near(each, wanted)), None))
        return None if found is None else found[1]

    def _near(self, kept: tuple[np.ndarray, Answer] | None, wanted: np.ndarray) -> bool:
        if kept is None or kept[0].shape != wanted.shape:
            return False
        return bool(kept[0] @ wanted >= self._min_cosine)

    def keep(
        self,
        key: AnswerKey,
        question: str,
        vector: Sequence[float] | np.ndarray,
        answer: Answer,
    ) -> None:
        """Keep an answer; the one that was not used for longest gives way."""
        if words := content_words(question, key.language):
            self.put((key, words), (unit(vector), answer))


def content_words(question: str, language: Language) -> tuple[str, ...]:
    """The words of a question that say something, in order, with symbols and numbers.

    Abbreviations keep their case: ``US`` is not ``us``.
    """
    text = normalise(question)
    opening = _OPENINGS.get(language)
    found = opening.match(text) if opening is not None else None
    rest = text[found.end() :] if found is not None else text
    words = [
        word if len(word) > 1 and word.isupper() else word.lower()
        for word in _WORD.findall(rest)
        if word not in _PUNCTUATION
    ]
    fillers = _FILLERS.get(language, frozenset())
    said = [word for word in words if word not in fillers]
    return (*([_OPENING] if found is not None and said else []), *said)


def same_words(one: Sequence[str], other: Sequence[str], language: Language) -> bool:
    """Whether two questions have the same content words in the same order."""
    return (
        bool(one)
        and len(one) == len(other)
        and all(_same(*pair, language) for pair in zip(one, other, strict=True))
    )


def unit(vector: Sequence[float] | np.ndarray) -> np.ndarray:
    """The vector with length 1; one of length 0 stays, and is near nothing."""
    array = np.asarray(vector, dtype=np.float32)
    length = float(np.linalg.norm(array))
    return array / length if length else array


def _same(one: str, other: str, language: Language) -> bool:
    if one == other:
        return True
    if language != "de" or not (one.isalpha() and other.isalpha()) or one.isupper():
        return False
    short, long = sorted((one, other), key=len)
    stems = (short.removesuffix(ending) for ending in _GERMAN_ENDINGS if short.endswith(ending))
    return any(
        len(stem) >= _SHORTEST_STEM
        and long.startswith(stem)
        and long.removeprefix(stem) in _GERMAN_ENDINGS
        for stem in stems
    )
