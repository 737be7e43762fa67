"""The answer where no model reads: the quotes that come closest, each with its place.

Every route ends here. A question is refused only if nothing is near and its rare words stand
nowhere (`agent.ask.rare_words`).
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from agent.ask.budgets import BUDGETS
from agent.ask.models import Line, Reply
from agent.ask.overview import with_areas
from agent.ask.parts import Findings, Part, of_assessment, of_passages, quotes_of
from agent.ask.rare_words import quotes_with_rare_words, with_rare_words
from agent.ask.state import AskState
from agent.ask.step import timed
from agent.context import Context
from agent.drafting import verbatim
from agent.prompts import say
from agent.prompts.structured import quoted_items
from agent.ranking import distinct, overlapping
from agent.step import Step, Update
from services.domain import CitedSentence, EvidenceSentence, QuoteKey
from services.structured.findings import contradictions
from services.structured.values import Contradiction

COMPARED: Final = 6
"""Sentences of a part that are held against each other for contradictions."""
MOST_CONTRADICTIONS: Final = 2

_Pair = tuple[Contradiction, tuple[EvidenceSentence, EvidenceSentence]]


@timed("answer")
async def write_answer(state: AskState, step: Step) -> Update:
    """Quote what comes closest among the passages that were searched for."""
    found = await asyncio.to_thread(of_passages, state, step.context)
    return {"reply": await _quotes_with_areas(found, state, step)}


@timed("synthesis")
async def synthesize(state: AskState, step: Step) -> Update:
    """Quote what comes closest to each piece of the plan, and what contradicts itself."""
    context = step.context
    found = await asyncio.to_thread(of_assessment, state, context)
    against = await asyncio.to_thread(_contradictions, found)
    reply = await _quotes_with_areas(found, state, step)
    heading = say(found.language, "contradicting")
    reply = reply.followed_by([(heading, verbatim(s)) for _, pair in against for s in pair])
    return {"reply": reply, "contradictions": [contradiction for contradiction, _ in against]}


@timed("answer")
async def refuse(state: AskState, step: Step) -> Update:
    """Quote the passages with the question's rare words, or say that nothing was found."""
    return {"reply": await quotes_of_all(nothing_near(state), state, step)}


def nothing_near(state: AskState) -> Findings:
    """Return the findings of a question to which no passage is near."""
    understanding = state["understanding"]
    missing = (understanding.question,)
    return Findings(understanding.language, BUDGETS[state["route"].depth], [], missing)


async def _quotes_with_areas(found: Findings, state: AskState, step: Step) -> Reply:
    reply = await quotes_of_all(found, state, step)
    if found.answered:
        return reply
    return await asyncio.to_thread(with_areas, reply, state, step.context)


async def quotes_of_all(found: Findings, state: AskState, step: Step) -> Reply:
    """Quote what comes closest to each part; refuse where that is nothing."""
    found = await asyncio.to_thread(with_rare_words, found, state, step.context)
    if not found.parts:
        return refused(state, step)
    lines = await asyncio.to_thread(_quoted_lines, found, state, step.context)
    missing = quoted_items(found.language, found.missing)
    return Reply(
        sentences=tuple(sentence for _, sentence in lines),
        headings=tuple(heading for heading, _ in lines),
        opening=say(found.language, "perhaps_opening"),
        closing=say(found.language, "not_found", missing) if missing else "",
        certainty="perhaps",
    )


def addressed_parts(parts: Sequence[Part], sentences: Iterable[CitedSentence]) -> set[str]:
    """Return the parts that sentences speak to: those that the cited places answer best."""
    scores = {part.text: {s.key: score for score, s in reversed(part.ranked)} for part in parts}
    addressed: set[str] = set()
    for place in {citation.key for sentence in sentences for citation in sentence.citations}:
        of_place = {text: own[place] for text, own in scores.items() if place in own}
        addressed |= {text for text, score in of_place.items() if score == max(of_place.values())}
    return addressed


def _quoted_lines(found: Findings, state: AskState, context: Context) -> list[Line]:
    """Return the quotes of each part, under the part where there are several.

    Parts that the same quotes answer stand under one heading. The first quote of a part always
    stands under it; further ones only if they were not quoted before, and no other part begins
    with them or is answered by them better.
    """
    parts = found.parts
    chosen = {part.text: _chosen(part, found, state, context) for part in parts}
    firsts = [quotes[0] for quotes in chosen.values()]
    groups: dict[tuple[QuoteKey, ...], tuple[list[str], list[EvidenceSentence]]] = {}
    for part in parts:
        first, *more = chosen[part.text]
        if len(parts) > 1:
            more = [one for one in more if not overlapping(one, firsts)]
            more = [one for one in more if part.text in addressed_parts(parts, [verbatim(one)])]
        quotes = [first, *more]
        groups.setdefault(tuple(one.key for one in quotes), ([], quotes))[0].append(part.text)
    quoted: list[EvidenceSentence] = []
    lines: list[Line] = []
    for titles, quotes in groups.values():
        heading = "" if found.count == 1 else "; ".join(dict.fromkeys(titles))
        fresh = [one for n, one in enumerate(quotes) if not n or not overlapping(one, quoted)]
        quoted += fresh
        lines += [(heading, verbatim(one)) for one in fresh]
    return lines


def _chosen(
    part: Part, found: Findings, state: AskState, context: Context
) -> list[EvidenceSentence]:
    """Return the quotes of a part; one with its rare words is always among them."""
    quotes = quotes_of(part, found, context)
    understanding, most = state["understanding"], state["options"].k
    rare = quotes_with_rare_words(part.text, quotes, understanding, most, context)
    return [*quotes, *rare[:1]]


def _contradictions(found: Findings) -> list[_Pair]:
    """Return of each part the pairs of sentences that cannot both hold, each pair once."""
    pairs: dict[frozenset[QuoteKey], _Pair] = {}
    for part in found.answered:
        surest = part.ranked[: 2 * COMPARED]
        compared = [sentence for _, sentence in distinct(surest)][:COMPARED]
        for i, j, why in contradictions(compared, found.language):
            one, other = compared[i], compared[j]
            value = Contradiction(item=part.text, first=one.quote, second=other.quote, why=why)
            pairs.setdefault(frozenset({one.key, other.key}), (value, (one, other)))
    return list(pairs.values())[:MOST_CONTRADICTIONS]


def refused(state: AskState, step: Step) -> Reply:
    """Say that the documents do not answer, what was searched, and what comes nearest."""
    understanding, found = state["understanding"], state["found"]
    searches = tuple(found.searches) if found else (understanding.question,)
    queries = quoted_items(understanding.language, searches)
    names = ", ".join(step.context.searched)
    closing = say(understanding.language, "searched_for", queries, names)
    if found and found.nearest:
        closing += f" {say(understanding.language, 'nearest', '; '.join(found.nearest))}"
    return Reply(
        opening=say(understanding.language, "refusal"), closing=closing, certainty="refused"
    )
