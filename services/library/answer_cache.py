"""Answers that are kept for when the same question comes again.

Two questions count as the same when they have the same words in the same order, apart from what
only opens a question (``Was ist``, ``Tell me about``), articles, politeness, case and punctuation.
Nothing that was tried tells paraphrases from questions that differ in one decisive word well enough
(docs/decisions/0019-same-question.md).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from services.caches import TimedCache
from services.domain import Language, Scope
from services.language.text import normalise
from services.language.vocabulary import word_set

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


@dataclass(frozen=True)
class AnswerKey:
    """Everything but the question that an answer depends on; keys that differ share nothing.

    ``versions`` are the content versions of the scope's collections, ``graph`` is that of their
    knowledge graph, empty where nothing has been built. ``parameters`` is whatever
    else decides an answer, as hashable values: depth, number of passages, prompts, and what the
    parameters of retrieval and synthesis say.
    """

    scope: Scope
    versions: tuple[int, ...]
    language: Language
    profile: str | None
    model: str
    parameters: tuple[object, ...] = ()
    graph: str = ""


Answer = Mapping[str, JsonValue]
Place = tuple[AnswerKey, tuple[str, ...]]


class AnswerCache(TimedCache[Place, Answer]):
    """The last answers. Used only where the parameter ``answerCache`` is on."""

    capacity = 200
    lifetime_s = 24 * 3600.0

    def find(self, key: AnswerKey, question: str) -> Answer | None:
        """The answer to the same question, None where there is none; counted as hit or miss.

        The question is complete in itself, as rewritten.
        """
        return self.get((key, content_words(question, key.language)))

    def keep(self, key: AnswerKey, question: str, answer: Answer) -> None:
        """Keep an answer; the one that was not used for longest gives way."""
        if words := content_words(question, key.language):
            self.put((key, words), answer)


def content_words(question: str, language: Language) -> tuple[str, ...]:
    """The words of a question that say something, in order, with symbols and numbers.

    Case counts inside a word: ``US`` is not ``us``, ``orderNumber`` not ``ordernumber``.
    """
    text = normalise(question)
    opening = _OPENINGS.get(language)
    found = opening.match(text) if opening is not None else None
    rest = text[found.end() :] if found is not None else text
    words = [
        word if word[1:] != word[1:].lower() else word.lower()
        for word in _WORD.findall(rest)
        if word not in _PUNCTUATION
    ]
    fillers = _FILLERS.get(language, frozenset())
    said = [word for word in words if word not in fillers]
    return (*([_OPENING] if found is not None and said else []), *said)
