"""The answer of the structured route: prose that code checked, or the items' own sentences."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from agent.ask.answer import LEAST_SHARE, verbatim
from agent.ask.models import Reply
from agent.ask.state import AskState
from agent.ask.step import AskStep, asked, timed
from agent.ask.structured.prompt import fitted_items
from agent.ask.structured.sentences import ItemBest, Sentences, sentences_of
from agent.drafting import checked_prose
from agent.prompts.structured import SynthesisInput, SynthesizeStructured
from agent.prompts.structured_words import (
    contradicting,
    not_found,
    partly_found,
    quoted_items,
)
from agent.step import Update
from services.citations import EvidenceSentence
from services.structured.contradiction import Statement, contradictions
from services.structured.temporal import by_date
from services.structured.values import Contradiction
from services.types import Sentence

OF_ONE_ITEM: Final = 4
OF_A_LIST: Final = 6
OF_EACH: Final = {1: OF_ONE_ITEM, 2: 3}
OF_MANY: Final = 2
COMPARED: Final = 6
"""Sentences of an item that are held against each other for contradictions."""

MOST_CONTRADICTIONS: Final = 2

_NOTHING: Final[tuple[str, ...]] = ()

Line = tuple[str, Sentence]
"""A sentence of the answer under the heading it stands under; "" for none."""

_Pair = tuple[Contradiction, tuple[EvidenceSentence, EvidenceSentence]]


@timed("synthesis")
async def synthesize(state: AskState, step: AskStep) -> Update:
    """Says what was found for each item, what contradicts itself, and what is missing."""
    found = await asyncio.to_thread(sentences_of, state, step.context)
    against = _contradictions(found, state["understanding"].language)
    if step.context.tasks.model is None:
        lines, degraded = quoted_lines(found.best, state), _NOTHING
    else:
        lines, degraded = await _written(state, found, step)
    lines = [*lines, *_shown_contradictions(against, found, state)]
    return {
        "reply": as_reply(lines, degraded, state),
        "contradictions": [each for each, _ in against],
    }


async def _written(
    state: AskState, found: Sentences, step: AskStep
) -> tuple[list[Line], tuple[str, ...]]:
    """The model's sentences that hold; quotes of every item that they leave out."""
    known, options = state["understanding"], state["options"]
    wanted = SynthesisInput(
        question=known.question,
        language=known.language,
        question_type=state["plan"].question_type,
        items=(),
        gaps=state["assessment"].gaps,
        most=max(3, 2 * len(found.best)),
        instructions=options.synthesis_prompt,
    )
    items = await asyncio.to_thread(
        fitted_items, wanted, found.best, step.context, options.max_tokens
    )
    wanted = wanted.model_copy(update={"items": items})
    text = await asked(step, SynthesizeStructured(), wanted, part="answer")
    prose, left_out = await asyncio.to_thread(checked_prose, text, found.pool, known.language)
    fallback = step.usage[-1].fallback
    degraded = [f"answer: {fallback}"] if fallback else []
    degraded += [f"left out for lack of support: {sentence}" for sentence in left_out]
    if not any(sentence.supported for sentence in prose):
        return quoted_lines(found.best, state), tuple(degraded)
    said = said_items(found.best, prose)
    unsaid = [each for each in found.best if each.item not in said]
    quotes = [(each.item, verbatim(each.ranked[0][1])) for each in unsaid]
    return [*(("", sentence) for sentence in prose), *quotes], tuple(degraded)


def said_items(best: Sequence[ItemBest], prose: Iterable[Sentence]) -> set[str]:
    """The items of which the prose cites something; each must be said with its place.

    A cited sentence speaks to the items among whose sentences it ranks highest, and to every item
    whose best sentence it is.
    """
    ranks = {
        each.item: {(s.document_id, s.start): rank for rank, (_, s) in enumerate(each.ranked)}
        for each in best
    }
    said: set[str] = set()
    for citation in (each for sentence in prose for each in sentence.citations):
        place = citation.document_id, citation.start
        known = {item: own[place] for item, own in ranks.items() if place in own}
        said |= {item for item, rank in known.items() if rank == min(known.values())}
    return said


def quoted_lines(best: Sequence[ItemBest], state: AskState) -> list[Line]:
    """Of each item the best sentences verbatim, under the item where there are several.

    The best sentence of an item always stands under it; further ones only if not said before.
    """
    kind, language = state["plan"].question_type, state["understanding"].language
    most = OF_EACH.get(len(best), OF_MANY)
    if kind == "enumeration" and len(best) == 1:
        most = OF_A_LIST
    said: set[tuple[str, int]] = set()
    lines: list[Line] = []
    alone = len(state["plan"].required_info) == 1
    for each in best:
        chosen = _chosen(each, most, said)
        said |= {(sentence.document_id, sentence.start) for sentence in chosen}
        if kind == "temporal":
            chosen = by_date([(sentence.text, sentence) for sentence in chosen], language)
        lines += [("" if alone else each.item, verbatim(sentence)) for sentence in chosen]
    return lines


def _chosen(best: ItemBest, most: int, said: set[tuple[str, int]]) -> list[EvidenceSentence]:
    (highest, first), *others = best.ranked
    more = [
        sentence
        for score, sentence in others
        if score >= LEAST_SHARE * highest and (sentence.document_id, sentence.start) not in said
    ]
    return [first, *more][:most]


def _contradictions(found: Sentences, language: str) -> list[_Pair]:
    """Of each item the pairs of sentences that cannot both hold, each pair once."""
    pairs: dict[frozenset[tuple[str, int]], _Pair] = {}
    for each in found.best:
        compared = [sentence for _, sentence in each.ranked[:COMPARED]]
        statements = [
            Statement(text=s.text, place=f"{s.document_id} {s.section}") for s in compared
        ]
        for i, j, why in contradictions(statements, language):
            one, other = compared[i], compared[j]
            told = Contradiction(item=each.item, first=one.text, second=other.text, why=why)
            key = frozenset({(one.document_id, one.start), (other.document_id, other.start)})
            pairs.setdefault(key, (told, (one, other)))
    return list(pairs.values())[:MOST_CONTRADICTIONS]


def _shown_contradictions(
    against: Sequence[_Pair],
    found: Sentences,
    state: AskState,
) -> list[Line]:
    heading = contradicting(state["understanding"].language)
    return [(heading, verbatim(sentence)) for _, pair in against for sentence in pair]


def as_reply(lines: Sequence[Line], degraded: tuple[str, ...], state: AskState) -> Reply:
    """The lines under their headings, and what was found only in part or not at all."""
    known, assessment = state["understanding"], state["assessment"]
    partly = tuple(each.item for each in assessment.required if each.status == "partial")
    closing = []
    if partly:
        closing.append(partly_found(known.language, quoted_items(known.language, partly)))
    if assessment.gaps:
        closing.append(not_found(known.language, quoted_items(known.language, assessment.gaps)))
    return Reply(
        sentences=tuple(sentence for _, sentence in lines),
        headings=tuple(heading for heading, _ in lines),
        closing=" ".join(closing),
        degraded=degraded,
    )
