"""Writing the answer: by the model over the best sentences, or these sentences themselves."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from agent.ask.models import Reply
from agent.ask.state import AskState
from agent.ask.step import AskContext, AskStep, asked, timed
from agent.ask.writing_skill import writes
from agent.context import Context
from agent.drafting import CheckedProse, checked_prose, verbatim
from agent.prompts import say
from agent.prompts.ask import (
    AnswerInput,
    AnswerQuestion,
    PassageText,
    declines,
)
from agent.ranking import (
    LEAST_SHARE,
    MOST_COMPARED,
    RankedSentence,
    cards,
    distinct,
    overlapping,
    ranked,
)
from agent.sources import origin
from agent.step import Update
from services.domain import Certainty, CitedSentence, EvidenceSentence
from services.domain.notices import Notice
from services.evidence.judge import Judge
from services.evidence.ranking import certainty
from services.models.base import ChatModel, count_prompt, passage_tokens
from services.models.tasks import ModelTask

In = TypeVar("In")
Out = TypeVar("Out")
PROMPT_TOKENS: Final = 1_100
ANSWER_WITHIN_S: Final = 36.0
"""Seconds of a whole answer; ``PROMPT_SHARE`` of them, 14, may pass before its first word."""

SENTENCES: Final = {"fast": 3, "enhanced": 5, "agent": 5}
"""Of those depths whose answer is written here."""

NOT_BELIEVED: Final = Notice.of(
    "the model saw no answer in passages that say enough: they are quoted"
)


@dataclass(frozen=True)
class RankedSentences:
    """``pool`` is every sentence of the passages, ``ranked`` the judged ones, best first.

    ``for_parts`` has the best of each part of a question that has several, each once.
    """

    pool: list[EvidenceSentence]
    ranked: list[RankedSentence]
    for_parts: list[EvidenceSentence]

    @property
    def score(self) -> float:
        """How surely the best one answers, 0-1."""
        return max((score for score, _ in self.ranked), default=0.0)


def best_sentences(state: AskState, context: AskContext) -> RankedSentences:
    """Ranks the sentences of the evidence by how surely they answer the question and its parts."""
    entries, known = state["evidence"], state["understanding"]
    pairs = [(entry.score, sentence) for entry, sentence in context.passages.sentences_of(entries)]
    compared = pairs[:MOST_COMPARED]
    parts = known.subquestions
    by_part = [ranked([part], compared, known.language, context)[:1] for part in parts]
    firsts = [sentence for best in by_part if len(parts) > 1 for _, sentence in best]
    return RankedSentences(
        pool=[sentence for _, sentence in pairs],
        ranked=ranked([known.question], compared, known.language, context),
        for_parts=[each for n, each in enumerate(firsts) if each not in firsts[:n]],
    )


def fitted(
    wanted: AnswerInput, best: RankedSentences, context: AskContext, most: int | None = None
) -> tuple[PassageText, ...]:
    """The best sentences that fit, those of one place together, places best first.

    At least the best sentence is shown, however slow the model was. ``most`` bounds the tokens of
    the passages besides.
    """
    model = context.tasks.model
    if model is None:
        return ()
    tokens = min(room(model, AnswerQuestion(), wanted, PROMPT_TOKENS), most or PROMPT_TOKENS)
    chosen: list[EvidenceSentence] = []
    named: set[str] = set()
    for sentence in _in_order(best):
        place = origin(sentence, context)
        if overlapping(sentence, chosen):
            continue
        text = sentence.whole if place in named else f"- {place}: {sentence.whole}\n"
        tokens -= model.count_tokens(text) + 1
        if tokens < 0 and chosen:
            break
        named.add(place)
        chosen.append(sentence)
    return grouped(chosen, context)


def _with_cases(sentences: Sequence[EvidenceSentence]) -> Iterator[str]:
    """The sentences, each behind its case, unless that was said just before."""
    said = ""
    for each in sentences:
        case = each.case.text if each.case else ""
        yield " ".join((each.quote if case in said else each.whole).split())
        said = f"{case}\n{each.quote}"


def room(model: ChatModel, task: ModelTask[In, Out], wanted: In, most: int) -> int:
    """Tokens that the passages of a prompt may have, by context, speed and ``most`` in all."""
    fixed = count_prompt(model, task.render(wanted))
    by_speed = passage_tokens(
        model, fixed_tokens=fixed, max_tokens=task.max_tokens, deadline_s=ANSWER_WITHIN_S
    )
    return min(by_speed, most - fixed)


def _in_order(best: RankedSentences) -> list[EvidenceSentence]:
    """What answers each part of the question first, then the best of all."""
    others = [sentence for _, sentence in best.ranked if sentence not in best.for_parts]
    return [*best.for_parts, *others]


def grouped(chosen: Sequence[EvidenceSentence], context: AskContext) -> tuple[PassageText, ...]:
    """Sentences by place, within a place in the order of the text."""
    places: dict[str, list[EvidenceSentence]] = {}
    for sentence in chosen:
        places.setdefault(origin(sentence, context), []).append(sentence)
    return tuple(
        PassageText(
            place=name,
            text=" ".join(_with_cases(sorted(found, key=lambda each: each.start))),
        )
        for name, found in places.items()
    )


@timed("answer")
async def write_answer(state: AskState, step: AskStep) -> Update:
    """Says what the passages say; every sentence is led to its place by code."""
    best = await asyncio.to_thread(best_sentences, state, step.context)
    found, share = state["found"], state["options"].writing
    sure = certainty([best.score], named=found is not None and found.named)
    model = step.context.tasks.model
    if sure == "refused":
        reply = refused(state, step)
    elif model is None or (sure == "perhaps" and (share is None or not writes(share))):
        reply = await asyncio.to_thread(by_quotes, best, state, sure, step.context)
    elif sure == "perhaps":
        reply = await _decided(state, best, step)
    elif state["route"].depth == "fast" and not writes(share):
        reply = by_quotes(best, state, sure, step.context).model_copy(update={"writing": share})
    else:
        reply = await _written(state, best, step)
    if model is not None and share is None and sure != "refused" and step.context.skill is not None:
        step.context.skill.learn(model.name)
    return {"reply": reply}


def by_quotes(best: RankedSentences, state: AskState, sure: Certainty, context: Context) -> Reply:
    """Quotes alone: as the answer, or as what comes closest and claims nothing."""
    if sure == "perhaps":
        closest = tuple(map(verbatim, cards(best.ranked, context)))
        opening = say(state["understanding"].language, "perhaps_opening")
        return Reply(sentences=closest, opening=opening, certainty=sure)
    opening = say(state["understanding"].language, "quotes_opening")
    return Reply(sentences=quotes(best, state), opening=opening)


async def _written(state: AskState, best: RankedSentences, step: AskStep) -> Reply:
    """The model's sentences that hold, or quotes where none does."""
    text, degraded = await _asked(state, best, step)
    if declines(text, state["understanding"].language):
        return Reply(sentences=quotes(best, state), degraded=(*degraded, NOT_BELIEVED))
    return await asyncio.to_thread(checked_reply, text, best, state, step.context.judge, degraded)


async def _decided(state: AskState, best: RankedSentences, step: AskStep) -> Reply:
    """An answer from passages of which the judge is unsure, by a model that writes well.

    Where it sees none, or nothing of it holds, they stay what comes closest: search may have missed
    what answers.
    """
    text, degraded = await _asked(state, best, step, may_decline=True)
    language, judge = state["understanding"].language, step.context.judge
    if not declines(text, language):
        found = await asyncio.to_thread(checked_prose, text, best.pool, language, judge)
        if proven := tuple(found.proven):
            return Reply(sentences=proven, degraded=degraded)
    reply = await asyncio.to_thread(by_quotes, best, state, "perhaps", step.context)
    return reply.model_copy(update={"degraded": degraded})


async def _asked(
    state: AskState, best: RankedSentences, step: AskStep, *, may_decline: bool = False
) -> tuple[str, tuple[Notice, ...]]:
    """What the model writes, and what went wrong."""
    options = state["options"]
    wanted = AnswerInput(
        question=state["understanding"].question,
        language=state["understanding"].language,
        passages=(),
        most=SENTENCES[state["route"].depth],
        instructions=options.synthesis_prompt,
        may_decline=may_decline,
    )
    passages = await asyncio.to_thread(fitted, wanted, best, step.context, options.max_tokens)
    wanted = wanted.model_copy(update={"passages": passages})
    return await drafted(step, AnswerQuestion(), wanted)


async def drafted(
    step: AskStep, task: ModelTask[In, str], wanted: In
) -> tuple[str, tuple[Notice, ...]]:
    """What the model writes as the answer, shown while it does; and why it is nothing."""
    text = await asked(step, task, wanted, part="answer")
    reason = step.usage[-1].fallback
    said = [Notice.of("{step}: {fallback}", step="answer", fallback=reason)] if reason else []
    return text, tuple(said)


def not_said(found: CheckedProse) -> list[Notice]:
    """What became of the sentences that are no proof."""
    return [
        *(
            Notice.of("left out, other evidence says otherwise: {sentence}", sentence=each)
            for each in found.left_out
        ),
        *(
            Notice.of(
                "replaced by quotes: {sentence} ({standing})",
                sentence=each.text,
                standing=each.reason,
            )
            for each in found.loose
        ),
    ]


def checked_reply(
    text: str, best: RankedSentences, state: AskState, judge: Judge, degraded: Sequence[Notice] = ()
) -> Reply:
    """A model's sentences that are proven; where one is not, the quotes that answer stand in."""
    found = checked_prose(text, best.pool, state["understanding"].language, judge)
    proven, told = found.proven, not_said(found)
    if told or not proven:
        cited = {(each.document_id, each.start) for s in proven for each in s.citations}
        firsts = [(each, each.citations[0]) for each in quotes(best, state)]
        proven += [each for each, c in firsts if (c.document_id, c.start) not in cited]
    return Reply(sentences=tuple(proven or found.loose), degraded=(*degraded, *told))


def quotes(best: RankedSentences, state: AskState) -> tuple[CitedSentence, ...]:
    """The sentences that answer, verbatim, each with its place; of each part of the question one.

    Beside the best one only what answers nearly as surely; of two items of a list the whole list.
    """
    most = SENTENCES[state["route"].depth]
    chosen = list(best.for_parts[:most])
    for score, sentence in distinct(best.ranked):
        if len(chosen) >= most or score < LEAST_SHARE * best.score:
            break
        if overlapping(sentence, chosen):
            continue
        item = next((n for n, other in enumerate(chosen) if _one_list(sentence, other)), None)
        if item is None:
            chosen.append(sentence)
        else:
            chosen[item] = _whole_list(chosen[item], sentence, best)
    return tuple(verbatim(sentence) for sentence in chosen)


def _one_list(one: EvidenceSentence, other: EvidenceSentence) -> bool:
    """Whether two quotes stand under the same words."""
    return one.case is not None and (one.document_id, one.case) == (other.document_id, other.case)


def _whole_list(
    first: EvidenceSentence, other: EvidenceSentence, best: RankedSentences
) -> EvidenceSentence:
    """The shortest of what was found that holds both items, or the first as it is."""
    start, end = min(first.start, other.start), max(first.end, other.end)
    around = [
        each
        for _, each in best.ranked
        if each.document_id == first.document_id and each.start <= start and end <= each.end
    ]
    return min(around, key=lambda each: each.end - each.start, default=first)


@timed("answer")
async def refuse(state: AskState, step: AskStep) -> Update:
    """Says that nothing was found."""
    return {"reply": refused(state, step)}


def refused(state: AskState, step: AskStep) -> Reply:
    """That the documents do not answer, what was searched, and what comes nearest."""
    known, found = state["understanding"], state["found"]
    queries = "; ".join(f"»{query}«" for query in (found.searches if found else [known.question]))
    names = ", ".join(step.context.collections)
    closing = say(known.language, "searched_for", queries, names)
    if found and found.nearest:
        closing += f" {say(known.language, 'nearest', '; '.join(found.nearest))}"
    return Reply(opening=say(known.language, "refusal"), closing=closing, certainty="refused")
