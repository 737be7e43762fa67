"""Which sentences of the passages answer the question."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from agent.ask.context import AskContext
from agent.ask.state import AskState
from agent.models import ContextEntry
from agent.passages import above, distinct, quotable
from agent.ranking import score_texts
from services.citations import EvidenceSentence
from services.extractive.actors import asks_who, tells_who
from services.extractive.definitions import defined_term, defines
from services.quantities import Quantity, quantities
from services.query.values import Understanding
from services.types import Chunk

MOST_COMPARED: Final = 96
"""Sentences whose meaning is compared: a second of embedding, none once they are known."""

VALUE_BONUS: Final = 0.15
"""What a sentence with a measured value is worth more, where a threshold is asked for."""

DEFINITION_BONUS: Final = 1.0
"""What a sentence that defines a term is worth more, where its meaning is asked for."""


ACTOR_BONUS: Final = 0.25
"""What a sentence that names who does something is worth more, where that is asked for."""


@dataclass(frozen=True)
class Best:
    """``pool`` is every sentence of the passages, ``ranked`` the compared ones, best first.

    ``for_parts`` has the best of each part of a question that has several, each once;
    ``defining`` are those of the pool that define the term whose meaning is asked for.
    """

    pool: list[EvidenceSentence]
    ranked: list[tuple[float, EvidenceSentence]]
    for_parts: list[EvidenceSentence]
    defining: list[EvidenceSentence] = field(default_factory=list)


def best_sentences(state: AskState, context: AskContext, asked_for: Sequence[str] = ()) -> Best:
    """Ranks the sentences of the evidence by what they say to the question and its parts.

    ``asked_for`` are its parts as somebody searched for them, where there are several.
    """
    entries, known = state["evidence"], state["understanding"]
    chunks = context.catalog.chunks.get([e.chunk_id for e in entries], scope=context.scope)
    pairs = [
        (entry, chunks[entry.chunk_id], sentence)
        for entry in entries
        if entry.chunk_id in chunks
        for sentence in quotable(chunks[entry.chunk_id], context)
    ]
    pool = [sentence for _, _, sentence in pairs]
    worth = [_defines(sentence.text, known) for sentence in pool]
    order = sorted(range(len(pairs)), key=lambda n: -worth[n])
    compared = [pairs[n] for n in order[:MOST_COMPARED]]
    split = asked_for if len(asked_for) > 1 else known.subquestions
    parts = split if len(split) > 1 else ()
    by_part = [_ranked(compared, part, state, context)[:1] for part in parts]
    firsts = [sentence for best in by_part for _, sentence in best]
    return Best(
        pool=pool,
        ranked=_ranked(compared, known.question, state, context),
        for_parts=distinct(firsts, lambda each: each),
        defining=[each for each, value in zip(pool, worth, strict=True) if value == 1.0],
    )


def _ranked(
    pairs: Sequence[tuple[ContextEntry, Chunk, EvidenceSentence]],
    task: str,
    state: AskState,
    context: AskContext,
) -> list[tuple[float, EvidenceSentence]]:
    known = state["understanding"]
    scores = score_texts(
        [sentence.text for _, _, sentence in pairs],
        headings=[above(chunk, sentence) for _, chunk, sentence in pairs],
        passages=[entry.score for entry, _, _ in pairs],
        task=task,
        question=known.question,
        language=known.language,
        context=context,
    )
    scores = [
        score + _bonus(sentence.text, known)
        for score, (_, _, sentence) in zip(scores, pairs, strict=True)
    ]
    ranked = [(score, sentence) for score, (_, _, sentence) in zip(scores, pairs, strict=True)]
    unique = {(s.document_id, s.start, s.end): (score, s) for score, s in reversed(ranked)}
    best = sorted(unique.values(), key=lambda pair: (-pair[0], pair[1].document_id, pair[1].start))
    return distinct(best, lambda pair: pair[1])


def _bonus(text: str, known: Understanding) -> float:
    """What a sentence is worth more for the kind of thing that is asked."""
    value = VALUE_BONUS * (known.about_threshold and bool(_values(text, known.language)))
    return value + ACTOR_BONUS * _acts(text, known) + DEFINITION_BONUS * _defines(text, known)


def _acts(text: str, known: Understanding) -> float:
    """How surely a sentence names who does what is asked for, 0-1."""
    asked = known.language == "de" and asks_who(known.question)
    return tells_who(text, known.question) if asked else 0.0


def _defines(text: str, known: Understanding) -> float:
    """How surely a sentence defines the term whose meaning is asked for, 0-1."""
    term = defined_term(known.question, known.language)
    return defines(text, term, known.language) if term else 0.0


def _values(text: str, language: str) -> list[Quantity]:
    return [each for each in quantities(text, language) if each.measured]
