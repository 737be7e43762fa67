"""The answer of the structured route: prose that code checked, or the items' own sentences."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from agent.ask.answer import verbatim
from agent.ask.context import AskContext
from agent.ask.models import Reply
from agent.ask.state import AskState
from agent.ask.step import AskStep, timed
from agent.ask.structured.parts import checked_parts
from agent.ask.structured.passages import Place, place_of
from agent.ask.structured.quoting import complete
from agent.ask.structured.selection import selected
from agent.ask.structured.sentences import ItemBest, Sentences, sentences_of
from agent.ask.structured.writing import written
from agent.passages import overlap
from agent.prompts.ask import numbers
from agent.prompts.structured import SynthesizeStructured
from agent.prompts.structured_words import (
    contradicting,
    not_found,
    partly_found,
    quoted_items,
)
from agent.step import Update
from services.citations import EvidenceSentence
from services.evidence import refers_back
from services.extractive.questions import topic
from services.llm.base import takes_one_call
from services.structured.contradiction import Statement, contradictions
from services.structured.coverage import own_words, share_of_words
from services.structured.temporal import by_date
from services.structured.values import Contradiction
from services.types import Sentence

OF_GAP: Final = 0.5
"""Share of the words which only a missing piece has, with which a sentence is about it."""

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
        lines, degraded = quoted_lines(found, state, step.context), _NOTHING
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
    language = state["understanding"].language
    shown = await asyncio.to_thread(_shown_first, found, state, step.context)
    text, degraded = await written(SynthesizeStructured(), state, shown, step)
    pool = {place_of(s): s for s in found.pool}
    pool |= {place_of(s): s for each in shown for _, s in each.ranked}
    items = state["plan"].required_info
    prose, left_out = await asyncio.to_thread(
        checked_parts, text, items, list(pool.values()), language
    )
    prose, of_gaps = without_gaps(prose, state)
    left_out += [f"{each} (of what is missing)" for each in of_gaps]
    degraded += tuple(f"left out for lack of support: {sentence}" for sentence in left_out)
    if not any(sentence.supported for sentence in prose):
        return quoted_lines(found, state, step.context), degraded
    if takes_one_call(step.context.tasks.model):
        quotes = uncited(quoted_lines(found, state, step.context), prose, language)
    else:
        said = said_items(shown, prose)
        unsaid = [each for each in found.best if each.item not in said]
        quotes = [(each.item, verbatim(each.ranked[0][1])) for each in unsaid]
    return [*(("", sentence) for sentence in prose), *quotes], degraded


def uncited(lines: Iterable[Line], prose: Sequence[Sentence], language: str) -> list[Line]:
    """The lines that the prose does not say: what stands beside a small model's words.

    A sentence says a line if it cites its place and has all its numbers: that a limit is higher
    does not say how high it is.
    """
    return [
        (item, line) for item, line in lines if not any(_says(s, line, language) for s in prose)
    ]


def _says(sentence: Sentence, line: Sentence, language: str) -> bool:
    cited = any(overlap(one, other) for one in sentence.citations for other in line.citations)
    return cited and numbers(line.text, language) <= numbers(sentence.text, language)


def without_gaps(prose: Sequence[Sentence], state: AskState) -> tuple[list[Sentence], list[str]]:
    """The sentences that say nothing of what is missing, and the texts of the others.

    What leans on such a sentence ("It is not …") goes with it.
    """
    language = state["understanding"].language
    items = [topic(item) for item in state["plan"].required_info]
    gaps = [own_words(topic(gap), items, language) for gap in state["assessment"].gaps]
    kept: list[Sentence] = []
    left_out: list[str] = []
    after = False
    for sentence in prose:
        after = any(
            words and share_of_words(words, sentence.text, language) >= OF_GAP for words in gaps
        ) or (after and refers_back(sentence.text))
        if after:
            left_out.append(sentence.text)
        else:
            kept.append(sentence)
    return kept, left_out


def _shown_first(found: Sentences, state: AskState, context: AskContext) -> list[ItemBest]:
    """What a model is shown of each item: what would be quoted, then the next best."""
    kind, language = state["plan"].question_type, state["understanding"].language
    shown = []
    for each, (item, sentences) in zip(
        found.best, selected(found.best, kind, language), strict=True
    ):
        whole = complete(sentences, found, language, context)
        places = {place_of(sentence) for sentence in [*sentences, *whole]}
        rest = [pair for pair in each.ranked if place_of(pair[1]) not in places]
        shown.append(ItemBest(item, (*((1.0, sentence) for sentence in whole), *rest)))
    return shown


def said_items(best: Sequence[ItemBest], prose: Iterable[Sentence]) -> set[str]:
    """The items of which the prose cites something; each must be said with its place.

    A cited sentence speaks to the items among whose sentences it ranks highest, and to every item
    whose best sentence it is.
    """
    ranks = {
        each.item: {place_of(s): rank for rank, (_, s) in enumerate(each.ranked)} for each in best
    }
    said: set[str] = set()
    for citation in (each for sentence in prose for each in sentence.citations):
        place = citation.document_id, citation.start, citation.end
        known = {item: own[place] for item, own in ranks.items() if place in own}
        said |= {item for item, rank in known.items() if rank == min(known.values())}
    return said


def quoted_lines(found: Sentences, state: AskState, context: AskContext) -> list[Line]:
    """Of each item the best sentences verbatim, under the item where there are several.

    Items that the same sentences answer stand under one heading. The best sentence of an item
    always stands under it; further ones only if not said before.
    """
    kind, language = state["plan"].question_type, state["understanding"].language
    alone = len(state["plan"].required_info) == 1
    said: set[Place] = set()
    lines: list[Line] = []
    for items, sentences in _together(selected(found.best, kind, language)):
        fresh = [each for n, each in enumerate(sentences) if n == 0 or place_of(each) not in said]
        said |= {place_of(each) for each in fresh}
        if kind == "temporal":
            fresh = _in_time(fresh, language, context)
        heading = "" if alone else "; ".join(items)
        whole = complete(fresh, found, language, context)
        lines += [(heading, verbatim(sentence)) for sentence in whole]
    return lines


def _together(
    chosen: Sequence[tuple[str, list[EvidenceSentence]]],
) -> list[tuple[list[str], list[EvidenceSentence]]]:
    """Items whose sentences are the same as those of the item before, with that item."""
    groups: list[tuple[list[str], list[EvidenceSentence]]] = []
    for item, sentences in chosen:
        if groups and {place_of(s) for s in groups[-1][1]} == {place_of(s) for s in sentences}:
            groups[-1][0].append(item)
        else:
            groups.append(([item], sentences))
    return groups


def _in_time(
    sentences: list[EvidenceSentence], language: str, context: AskContext
) -> list[EvidenceSentence]:
    """By the day that a sentence names, else by that of its document."""
    days = context.catalog.filters.dates(
        [each.document_id for each in sentences], scope=context.scope
    )
    dated = [(each.text, days.get(each.document_id), each) for each in sentences]
    return by_date(dated, language)


def _contradictions(found: Sentences, language: str) -> list[_Pair]:
    """Of each item the pairs of sentences that cannot both hold, each pair once."""
    pairs: dict[frozenset[Place], _Pair] = {}
    for each in found.best:
        compared = [sentence for _, sentence in each.ranked[:COMPARED]]
        statements = [
            Statement(text=s.whole, place=f"{s.document_id} {s.section}") for s in compared
        ]
        for i, j, why in contradictions(statements, language):
            one, other = compared[i], compared[j]
            if overlap(one, other):
                continue
            told = Contradiction(item=each.item, first=one.text, second=other.text, why=why)
            key = frozenset({place_of(one), place_of(other)})
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
