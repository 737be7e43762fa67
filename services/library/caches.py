"""Caches of search results, and of answers to questions that were asked before.

Two questions are the same if they have the same words in the same order, apart from openings (``Was
ist``, ``Tell me about``), articles, politeness, case and punctuation. Nothing that was tried tells
paraphrases from questions that differ in one decisive word well enough
(docs/decisions/0019-same-question.md).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pydantic import JsonValue

from services.caches import TimedCache
from services.domain import Hit, Language, Reranking, Scope, SearchMode, SearchOptions
from services.language.text.normal import normalise
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
    """Everything but the question that an answer depends on; different keys share no answers.

    ``versions`` are the content versions of the scope's collections, ``graph`` is that of their
    knowledge graph, empty if there is none. ``parameters`` is everything else, as hashable values.
    """

    scope: Scope
    versions: tuple[int, ...]
    language: Language
    profile: str | None
    model: str
    parameters: tuple[object, ...] = ()
    graph: str = ""


Answer = Mapping[str, JsonValue]
CacheKey = tuple[AnswerKey, tuple[str, ...]]


class AnswerCache(TimedCache[CacheKey, Answer]):
    """The last answers, used only if the parameter ``answerCache`` is on."""

    capacity = 200
    lifetime_s = 24 * 3600.0

    def find(self, key: AnswerKey, question: str) -> Answer | None:
        """Return the answer to the same rewritten question, None if there is none; count it."""
        return self.get((key, content_words(question, key.language)))

    def keep(self, key: AnswerKey, question: str, answer: Answer) -> None:
        """Store an answer to a question."""
        if words := content_words(question, key.language):
            self.put((key, words), answer)


def content_words(question: str, language: Language) -> tuple[str, ...]:
    """Return the content words of a question in order, with symbols and numbers.

    Case counts inside a word: ``US`` differs from ``us``, ``orderNumber`` from ``ordernumber``.
    """
    text = normalise(question)
    opening = _OPENINGS.get(language)
    match = opening.match(text) if opening is not None else None
    words = [
        word if word[1:] != word[1:].lower() else word.lower()
        for word in _WORD.findall(text[match.end() :] if match is not None else text)
        if word not in _PUNCTUATION
    ]
    fillers = _FILLERS.get(language, frozenset())
    content = [word for word in words if word not in fillers]
    return (*([_OPENING] if match is not None and content else []), *content)


END_MARKS = "?.!,;:"


@dataclass(frozen=True)
class SearchKey:
    """Everything that a result depends on.

    ``query`` is normalised by `normalise_query`. ``versions`` are the content versions of the
    scope's collections. ``reranking`` is that of each collection, empty if none is reranked.
    """

    query: str
    k: int
    mode: SearchMode
    options: SearchOptions
    scope: Scope
    versions: tuple[int, ...]
    reranking: tuple[Reranking, ...] = ()


def normalise_query(query: str) -> str:
    """Return the query in lower case with single blanks, without punctuation at its end."""
    folded = " ".join(query.lower().split())
    return folded.rstrip(f"{END_MARKS} ") or folded


class SearchCache(TimedCache[SearchKey, tuple[Hit, ...]]):
    """The results that were used last, each for five minutes."""

    capacity = 50
    lifetime_s = 300.0
