"""Synthesis: what was found for each item, what contradicts itself, and what is missing."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from agent.ask.answer import drafted, not_said
from agent.ask.models import Reply
from agent.ask.state import AskState
from agent.ask.step import AskContext, AskStep, timed
from agent.ask.structured.selection import (
    PROMPT_TOKENS,
    RankedItem,
    Sentences,
    fitted_items,
    selected,
    sentences_of,
)
from agent.drafting import checked_prose, verbatim
from agent.prompts import say
from agent.prompts.structured import SynthesisInput, SynthesizeStructured, quoted_items
from agent.ranking import distinct, overlapping
from agent.step import Update
from services.domain import CitedSentence, EvidenceSentence, QuoteKey
from services.domain.notices import Notice
from services.structured.findings import contradictions
from services.structured.values import Contradiction, QuestionType

FEWEST_SENTENCES: Final = 3
OF_ITEM: Final = 2
"""Sentences for each item, where there are several."""

COMPARED: Final = 6
"""Sentences of an item that are held against each other for contradictions."""

MOST_CONTRADICTIONS: Final = 2
Line = tuple[str, CitedSentence]
"""A sentence of the answer under the heading it stands under; "" for none."""

_Pair = tuple[Contradiction, tuple[EvidenceSentence, EvidenceSentence]]


def _wanted(best: Sequence[RankedItem], state: AskState, history: str) -> SynthesisInput:
    """What a model is asked, without the sentences.

    Nothing is asked of what is not answered: a small model would make it up, and code names it.
    """
    known, found = state["understanding"], [each.item for each in best]
    return SynthesisInput(
        question="; ".join(found) if state["assessment"].open else known.question,
        language=known.language,
        question_type=_type_of(state["plan"].question_type, found),
        items=(),
        most=max(FEWEST_SENTENCES, OF_ITEM * len(found)),
        instructions=state["options"].synthesis_prompt,
        history=history,
    )


def _type_of(kind: QuestionType, found: Sequence[str]) -> QuestionType:
    """One side alone is compared with nothing."""
    return "factual" if kind == "comparison" and len(found) == 1 else kind


@timed("synthesis")
async def synthesize(state: AskState, step: AskStep) -> Update:
    """The answer in the form of its question type, with what contradicts itself beside it."""
    context, language = step.context, state["understanding"].language
    found = await asyncio.to_thread(sentences_of, state["assessment"], context)
    against = await asyncio.to_thread(_contradictions, found.answered, language, context)
    reply = await reply_to(SynthesizeStructured(), state, found, step)
    both = [(say(language, "contradicting"), verbatim(s)) for _, pair in against for s in pair]
    reply = reply.model_copy(
        update={
            "sentences": (*reply.sentences, *(sentence for _, sentence in both)),
            "headings": (*reply.headings, *(heading for heading, _ in both)),
        }
    )
    return {"reply": reply, "contradictions": [told for told, _ in against]}


async def reply_to(
    task: SynthesizeStructured,
    state: AskState,
    found: Sentences,
    step: AskStep,
    *,
    text: str = "",
    most: int = PROMPT_TOKENS,
    history: str = "",
) -> Reply:
    """The answer to all items, of which at least one has sentences.

    ``task`` writes where there is a model and something that answers, and nothing was written
    already: ``text``, by an agent, whose ``history`` is what it did. ``most`` bounds the tokens of
    the sentences in the prompt.
    """
    context, degraded = step.context, tuple[Notice, ...]()
    if found.answered and context.tasks.model is not None and not text:
        shown = await asyncio.to_thread(_shown_first, found, state, context)
        wanted, tokens = _wanted(shown, state, history), state["options"].max_tokens
        most = min(tokens or most, most)
        items = await asyncio.to_thread(fitted_items, task, wanted, shown, context, most)
        text, degraded = await drafted(step, task, wanted.model_copy(update={"items": items}))
    if not found.answered or not text:
        lines = await asyncio.to_thread(quoted_lines, found.best, state, context)
        return as_reply(lines, degraded, state)
    lines, told = await asyncio.to_thread(_checked, text, found, state, context)
    return as_reply(lines, (*degraded, *told), state)


def _checked(
    text: str, found: Sentences, state: AskState, context: AskContext
) -> tuple[list[Line], list[Notice]]:
    """The sentences of a text that are proven; quotes of the items whose sentences are not.

    Also of the items that the text leaves out, and of all where nothing of it holds.
    """
    prose = checked_prose(text, found.pool, state["understanding"].language, context.judge)
    proven = prose.proven
    said = said_items(found.answered, proven) - said_items(found.answered, prose.loose)
    unsaid = [each for each in found.best if prose.left_out or each.item not in said]
    quotes = quoted_lines(unsaid, state, context)
    cited = [each for sentence in proven for each in sentence.citations]
    fresh = [line for line in quotes if not overlapping(line[1].citations[0], cited)]
    return [*(("", sentence) for sentence in proven), *fresh], not_said(prose)


def said_items(best: Sequence[RankedItem], prose: Iterable[CitedSentence]) -> set[str]:
    """The items that sentences speak to: those that the cited places answer most surely."""
    scores = {each.item: {s.key: score for score, s in reversed(each.ranked)} for each in best}
    said: set[str] = set()
    for place in {each.key for sentence in prose for each in sentence.citations}:
        known = {item: own[place] for item, own in scores.items() if place in own}
        said |= {item for item, score in known.items() if score == max(known.values())}
    return said


def _shown_first(found: Sentences, state: AskState, context: AskContext) -> list[RankedItem]:
    """What a model is shown of each item that is answered: the quotes, then the next best."""
    shown = []
    for each in found.answered:
        chosen = _selected(each, state, context)
        rest = [p for p in each.ranked if not overlapping(p[1], chosen)]
        ranked = (*((1.0, sentence) for sentence in chosen), *rest)
        shown.append(RankedItem(each.item, each.status, ranked))
    return shown


def _selected(best: RankedItem, state: AskState, context: AskContext) -> list[EvidenceSentence]:
    plan = state["plan"]
    count, language = len(plan.required_info), state["understanding"].language
    return selected(best, plan.question_type, count, language, context)


def quoted_lines(best: Sequence[RankedItem], state: AskState, context: AskContext) -> list[Line]:
    """Of each item its quotes, under the item where there are several.

    Items that the same quotes answer stand under one heading. The first quote of an item always
    stands under it; further ones only if they were not said before, and no other item begins with
    them or is answered by them more surely.
    """
    language = state["understanding"].language
    alone = len(state["plan"].required_info) == 1
    sure = _answered(state)
    groups: dict[tuple[QuoteKey, ...], tuple[list[str], list[EvidenceSentence]]] = {}
    chosen = {each.item: _selected(each, state, context) for each in best}
    firsts = [quotes[0] for quotes in chosen.values()]
    for each in best:
        first, *more = chosen[each.item]
        more = [s for s in more if not overlapping(s, firsts)]
        quotes = [first, *(s for s in more if each.item in said_items(best, [verbatim(s)]))]
        claims_nothing = sure and each.status == "partial"
        heading = say(language, "perhaps_about", each.item) if claims_nothing else each.item
        places = tuple(each.key for each in quotes)
        groups.setdefault(places, ([], quotes))[0].append(heading)
    said: list[EvidenceSentence] = []
    lines: list[Line] = []
    for headings, quotes in groups.values():
        heading = "" if alone else "; ".join(dict.fromkeys(headings))
        fresh = [q for n, q in enumerate(quotes) if not n or not overlapping(q, said)]
        said += fresh
        lines += [(heading, verbatim(quote)) for quote in fresh]
    return lines


def _answered(state: AskState) -> bool:
    return any(each.status == "covered" for each in state["assessment"].required)


def _contradictions(best: Sequence[RankedItem], language: str, context: AskContext) -> list[_Pair]:
    """Of each item the pairs of sentences that cannot both hold, each pair once."""
    pairs: dict[frozenset[QuoteKey], _Pair] = {}
    for each in best:
        surest = each.ranked[: 2 * COMPARED]
        compared = [s for _, s in distinct(surest)][:COMPARED]
        for i, j, why in contradictions(compared, language):
            one, other = compared[i], compared[j]
            told = Contradiction(item=each.item, first=one.quote, second=other.quote, why=why)
            key = frozenset({one.key, other.key})
            pairs.setdefault(key, (told, (one, other)))
    return list(pairs.values())[:MOST_CONTRADICTIONS]


def as_reply(lines: Sequence[Line], degraded: tuple[Notice, ...], state: AskState) -> Reply:
    """The lines under their headings, and what was found only in part or not at all.

    What is only perhaps an answer is said to be so by the opening where nothing answers surely.
    """
    language, assessment = state["understanding"].language, state["assessment"]
    sure = _answered(state)
    partly = tuple(each.item for each in assessment.required if each.status == "partial")
    closing = []
    if sure and partly:
        closing.append(say(language, "partly_found", quoted_items(language, partly)))
    if assessment.gaps:
        closing.append(say(language, "not_found", quoted_items(language, assessment.gaps)))
    return Reply(
        sentences=tuple(sentence for _, sentence in lines),
        headings=tuple(heading for heading, _ in lines),
        opening="" if sure else say(language, "perhaps_opening"),
        closing=" ".join(closing),
        certainty="answered" if sure else "perhaps",
        degraded=degraded,
    )
