"""Passages that hold the rare words of a question are shown, however far away they seem.

A cosine says little of a name or a number. Nobody is told that the documents say nothing while a
rare word of the question stands in them.
"""

from collections.abc import Sequence
from dataclasses import replace

from agent.ask.parts import Findings, Part
from agent.ask.state import AskState
from agent.context import Context
from agent.passages import plain_sentences
from agent.ranking import cards, ranked
from services.domain import EvidenceSentence, Language
from services.language.query.values import Understanding
from services.language.text import has_stem, stem, tokens
from services.language.vocabulary import FUNCTION_WORDS
from services.retrieval.named import dated_filter


def with_rare_words(found: Findings, state: AskState, context: Context) -> Findings:
    """Return the findings; a part whose rare words stand somewhere is no longer missing."""
    understanding, most = state["understanding"], state["options"].k
    quotes = {
        text: quotes_with_rare_words(text, (), understanding, most, context)
        for text in found.missing
    }
    held = [
        Part(text, "partial", tuple((0.0, quote) for quote in own))
        for text, own in quotes.items()
        if own
    ]
    missing = tuple(text for text, own in quotes.items() if not own)
    return replace(found, parts=[*found.parts, *held], missing=missing)


def quotes_with_rare_words(
    text: str,
    quotes: Sequence[EvidenceSentence],
    understanding: Understanding,
    most: int,
    context: Context,
) -> list[EvidenceSentence]:
    """Return the best places with rare words of a text, unless the quotes have these.

    A word is rare if no more than ``most`` passages have it.
    """
    scope, language = context.scope, understanding.language
    rare = _rare_words(text, understanding, most, context)
    words = list(dict.fromkeys(word for group in rare for word in group))
    if not words or _holds(" ".join(each.premise for each in quotes), rare, language):
        return []
    only = dated_filter(understanding.dates, scope=scope, catalog=context.catalog).only
    query = " ".join(words)
    hits = context.retriever.search(query, scope=scope, k=most, mode="keyword", only=only)
    near = context.retriever.relevances(text, [hit.chunk_id for hit in hits], scope=scope)
    pairs = [
        (near[hit.chunk_id], sentence)
        for hit in hits
        if _holds(" ".join([*hit.heading_path, hit.text]), rare, language)
        for sentence in plain_sentences(hit, context.catalog.documents)
    ]
    best = ranked([text], pairs, language, context)
    best.sort(key=lambda pair: not _has_any(words, pair[1].premise, language))
    return [each for each in cards(best, context) if _has_any(words, each.premise, language)]


def _rare_words(
    text: str, understanding: Understanding, most: int, context: Context
) -> list[list[str]]:
    """Return the rare words of a text and of each name in it, as far as they have any.

    A word is rare if a search returns all passages that have it. One that no passage has is, too.
    """
    names = [name for name in understanding.classification.entities if name in text]
    groups = [
        [word for word in dict.fromkeys(tokens(each)) if word.casefold() not in FUNCTION_WORDS]
        for each in (text, *names)
    ]
    counts = context.retriever.frequencies(groups[0], scope=context.scope)
    rare = [[w for w in group if counts.get(w, 0) <= most] for group in groups]
    return [group for group in rare if group]


def _holds(text: str, rare: Sequence[Sequence[str]], language: Language) -> bool:
    """Say whether a text has at least half of the rare words of the question or of a name."""
    return any(
        2 * sum(_has_any([word], text, language) for word in group) >= len(group) for group in rare
    )


def _has_any(words: Sequence[str], text: str, language: Language) -> bool:
    return any(has_stem(stem(word, language), text, language) for word in words)
