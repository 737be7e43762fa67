"""Whether the passages speak of the thing that a question asks for."""

from collections.abc import Sequence

from agent.ask.context import AskContext
from agent.ask.models import AskedThing
from agent.ask.sentences import Best
from services.citations import EvidenceSentence
from services.query.asked_for import asked_for
from services.query.values import Understanding
from services.text import compound_match, stems

SHORTEST_PART = 4
"""Letters of a part of a compound."""

MOST_COMPARED = 32
"""Best sentences that the thing is compared with, once no passage has its word."""


def asked_thing(known: Understanding, best: Best, context: AskContext) -> AskedThing | None:
    """The thing that is asked for, and what the documents have of it; None if no rule tells it.

    Its meaning is compared only where no passage has the word, inflected or as part of another.
    """
    word, language = asked_for(known.question, known.language), known.language
    if word is None or not best.ranked:
        return None
    sentences = [sentence for _, sentence in best.ranked]
    if any(has_word(word, passage, language) for passage in _passages(sentences)):
        return AskedThing(word=word, in_passages=True, in_documents=True, relevance=1.0)
    return AskedThing(
        word=word,
        in_passages=False,
        in_documents=_occurs(word, language, context),
        relevance=round(_nearness(word, sentences[:MOST_COMPARED], context), 4),
    )


def has_word(word: str, text: str, language: str) -> bool:
    """Whether a text has a word, inflected or as part of a compound."""
    return all(has_stem(stem, text, language) for stem in stems(word, language))


def has_stem(stem: str, text: str, language: str) -> bool:
    """Whether a text has a word of this stem, or a compound with it."""
    return any(stem in other and compound_match(stem, other) for other in stems(text, language))


def _passages(sentences: Sequence[EvidenceSentence]) -> list[str]:
    return list(dict.fromkeys(sentence.context for sentence in sentences))


def _occurs(word: str, language: str, context: AskContext) -> bool:
    """Whether the documents have the word; of a compound it is enough that they have its parts.

    Where no stemmer of the index knows the language, the plural is tried too.
    """
    forms = [word, f"{word}s", word.removesuffix("s")]
    unknown = set(context.retriever.unknown(forms, language, scope=context.scope))
    if any(form not in unknown for form in forms):
        return True
    return language == "de" and any(
        not context.retriever.unknown([*pair], language, scope=context.scope)
        for cut in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
        for pair in [(word[:cut], word[cut:])]
    )


def _nearness(word: str, sentences: Sequence[EvidenceSentence], context: AskContext) -> float:
    """Relevance (0-1) of the sentence that comes nearest to the word in meaning."""
    cosines = context.similarity.cosines([word], [sentence.text for sentence in sentences])
    return context.similarity.calibration.relevance(float(cosines.max()))
