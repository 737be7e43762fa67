"""Writing the answer: by a model over the best sentences, or these sentences themselves.

Every route ends here. A model's sentences are checked, and where one is no proof the sentences of
the documents that answer the same stand instead.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final, cast

from agent.ask.models import Line, Reply
from agent.ask.overview import with_areas
from agent.ask.parts import (
    Findings,
    Part,
    items_shown,
    of_assessment,
    of_passages,
    passages_shown,
    quotes_of,
    room,
)
from agent.ask.retrieve import retrieve_again
from agent.ask.state import AskState
from agent.ask.step import asked, timed
from agent.context import Context
from agent.drafting import CheckedProse, places_of, verbatim
from agent.prompts import say
from agent.prompts.ask import AnswerInput, AnswerQuestion, declines
from agent.prompts.structured import SynthesisInput, SynthesizeStructured, quoted_items
from agent.ranking import distinct, overlapping
from agent.second_reading import checked
from agent.step import Step, Update
from services.domain import CitedSentence, EvidenceSentence, QuoteKey
from services.domain.notices import Notice
from services.structured.findings import contradictions
from services.structured.values import Contradiction

FEWEST_SENTENCES: Final = 3
SENTENCES_OF_PART: Final = 2
"""Of a model's answer, where there are several parts."""
COMPARED: Final = 6
"""Sentences of a part that are held against each other for contradictions."""
MOST_CONTRADICTIONS: Final = 2

NOT_BELIEVED: Final = Notice.of(
    "the model saw no answer in passages that say enough: they are quoted"
)

_Pair = tuple[Contradiction, tuple[EvidenceSentence, EvidenceSentence]]


@timed("answer")
async def write_answer(state: AskState, step: Step) -> Update:
    """Answers from the passages that were searched for.

    A model that writes badly is not asked. Where the judge is unsure only one that is known to
    write well is: first what documents might say, which is searched for too; and it may say that
    nothing answers, and is believed.
    """
    context = step.context
    found = await asyncio.to_thread(of_passages, state, context)
    again = {} if found.answered else await retrieve_again(state, step)
    if again:
        state = cast(AskState, {**state, **again})
        found = await asyncio.to_thread(of_passages, state, context)
    if not found.parts:
        return {**again, "reply": refused(state, step)}
    if context.tasks.model is None or not state["reads"]:
        reply = await quotes_of_all(found, state, step)
    elif not found.answered:
        reply = await _decided(found, state, step)
    else:
        text = await _short_answer(found, state, step)
        declined = declines(text, found.language)
        reply = await reply_to(found, "" if declined else text, state, step)
        if declined:
            reply = reply.model_copy(update={"degraded": (NOT_BELIEVED, *reply.degraded)})
    return {**again, "reply": await asyncio.to_thread(with_areas, reply, state, context)}


async def quotes_of_all(found: Findings, state: AskState, step: Step) -> Reply:
    """The quotes that answer, or come closest, under an opening that says so."""
    if not found.parts:
        return refused(state, step)
    reply = await reply_to(found, "", state, step)
    opening = reply.opening or say(found.language, "quotes_opening")
    return reply.model_copy(update={"opening": opening})


async def _decided(found: Findings, state: AskState, step: Step) -> Reply:
    """An answer from passages of which the judge is unsure, by a model that writes well.

    Where it sees none, or nothing of it holds, they stay what comes closest: search may have missed
    what answers.
    """
    text = await _short_answer(found, state, step, may_decline=True)
    if not declines(text, found.language):
        prose = await _checked(found, text, state, step)
        if prose.proven:
            return Reply(sentences=(*prose.proven,), closing=_not_found(found))
    return await reply_to(found, "", state, step)


async def _short_answer(
    found: Findings, state: AskState, step: Step, *, may_decline: bool = False
) -> str:
    """What the model writes over the best passages."""
    context, options, model = step.context, state["options"], step.context.tasks.model
    inp = AnswerInput(
        question=_question(found.parts, found, state),
        language=found.language,
        passages=(),
        most=found.budget.quotes_of(1),
        instructions=options.synthesis_prompt,
        may_decline=may_decline,
    )
    if model is not None:
        tokens = await asyncio.to_thread(
            room, AnswerQuestion(), inp, found.budget, model, options.max_tokens
        )
        shown = await asyncio.to_thread(passages_shown, found, tokens, model, context)
        inp = inp.model_copy(update={"passages": shown})
    return await asked(step, AnswerQuestion(), inp, part="answer")


@timed("synthesis")
async def synthesize(state: AskState, step: Step) -> Update:
    """The answer in the form of its question type, with what contradicts itself beside it."""
    context = step.context
    found = await asyncio.to_thread(of_assessment, state, context)
    against = await asyncio.to_thread(_contradictions, found)
    draft = await draft_of_parts(SynthesizeStructured(), found, state, step)
    reply = await reply_to(found, draft, state, step)
    reply = await asyncio.to_thread(with_areas, reply, state, context)
    heading = say(found.language, "contradicting")
    reply = reply.followed_by([(heading, verbatim(s)) for _, pair in against for s in pair])
    return {"reply": reply, "contradictions": [contradiction for contradiction, _ in against]}


async def draft_of_parts(
    task: SynthesizeStructured,
    found: Findings,
    state: AskState,
    step: Step,
    history: str = "",
) -> str:
    """What the model writes of the parts that are answered, "" for nothing.

    Nothing is asked of the others: a small model would make it up, and code names them; and nothing
    of a model that writes badly. ``history`` is what an agent did.
    """
    context, options, model = step.context, state["options"], step.context.tasks.model
    if model is None or not found.answered or not state["reads"]:
        return ""
    parts = await asyncio.to_thread(_quotes_first, found, context)
    alone = found.kind == "comparison" and len(parts) == 1
    inp = SynthesisInput(
        question=_question(parts, found, state),
        language=found.language,
        question_type="factual" if alone else found.kind,
        items=(),
        most=max(FEWEST_SENTENCES, SENTENCES_OF_PART * len(parts)),
        instructions=options.synthesis_prompt,
        history=history,
    )
    most = options.max_tokens
    tokens = await asyncio.to_thread(room, task, inp, found.budget, model, most)
    items = await asyncio.to_thread(items_shown, parts, tokens, model, found.language, context)
    return await asked(step, task, inp.model_copy(update={"items": items}), part="answer")


def _question(parts: Sequence[Part], found: Findings, state: AskState) -> str:
    """The question, or those of its parts that are asked of a model."""
    whole = len(parts) == found.count
    return state["understanding"].question if whole else "; ".join(part.text for part in parts)


def _quotes_first(found: Findings, context: Context) -> list[Part]:
    """The parts that are answered, each with its quotes before the next best sentences."""
    parts = []
    for part in found.answered:
        quotes = quotes_of(part, found, context)
        rest = [pair for pair in part.ranked if not overlapping(pair[1], quotes)]
        ranked = (*((1.0, quote) for quote in quotes), *rest)
        parts.append(Part(part.text, part.status, ranked))
    return parts


async def reply_to(found: Findings, text: str, state: AskState, step: Step) -> Reply:
    """The answer to all parts, of which at least one has sentences.

    A model's text is checked; that of one that writes badly counts for nothing.
    """
    counts = text and found.answered and state["reads"]
    prose = await _checked(found, text, state, step) if counts else None
    return await asyncio.to_thread(_reply, found, prose, step.context)


async def _checked(found: Findings, text: str, state: AskState, step: Step) -> CheckedProse:
    """What the sentences of a model's text are worth beside all that was found."""
    question, language = state["understanding"].question, found.language
    places = await asyncio.to_thread(places_of, found.pool, language, step.context)
    return await checked(text, found.pool, language, places, question, step)


def _reply(found: Findings, prose: CheckedProse | None, context: Context) -> Reply:
    if prose is None:
        return _as_reply(_quoted_lines(found.parts, found, context), found, ())
    said = said_parts(found.answered, prose.proven) - said_parts(found.answered, prose.loose)
    unsaid = [part for part in found.parts if prose.left_out or part.text not in said]
    cited = [citation for sentence in prose.proven for citation in sentence.citations]
    quotes = [
        line
        for line in _quoted_lines(unsaid, found, context)
        if not overlapping(line[1].citations[0], cited)
    ]
    return _as_reply(_in_place(prose, quotes, found), found, _not_said(prose))


def _in_place(prose: CheckedProse, quotes: Sequence[Line], found: Findings) -> list[Line]:
    """The proven sentences, and the quotes where the first one stood that they replace.

    What answers most surely leads. With several parts quotes stand under theirs, behind the prose.
    """
    lines = [("", sentence) for sentence in prose.proven]
    if found.count > 1:
        return [*lines, *quotes]
    first = next((n for n, each in enumerate(prose.kept) if not each.supported), len(lines))
    lines[first:first] = quotes
    scores = {sentence.key: score for part in found.parts for score, sentence in part.ranked}

    def sure(line: Line) -> float:
        return max((scores.get(each.key, 0.0) for each in line[1].citations), default=0.0)

    lead = max(lines, key=sure)
    return [lead, *(line for line in lines if line is not lead)]


def _not_said(prose: CheckedProse) -> tuple[Notice, ...]:
    """What became of the sentences that are no proof."""
    return (
        *(
            Notice.of("left out, other evidence says otherwise: {sentence}", sentence=text)
            for text in prose.left_out
        ),
        *(
            Notice.of(
                "replaced by quotes: {sentence} ({standing})",
                sentence=one.text,
                standing=one.reason,
            )
            for one in prose.loose
        ),
    )


def said_parts(parts: Sequence[Part], prose: Iterable[CitedSentence]) -> set[str]:
    """The parts that sentences speak to: those that the cited places answer most surely."""
    scores = {part.text: {s.key: score for score, s in reversed(part.ranked)} for part in parts}
    said: set[str] = set()
    for place in {citation.key for sentence in prose for citation in sentence.citations}:
        of_place = {text: own[place] for text, own in scores.items() if place in own}
        said |= {text for text, score in of_place.items() if score == max(of_place.values())}
    return said


def _quoted_lines(parts: Sequence[Part], found: Findings, context: Context) -> list[Line]:
    """Of each part its quotes, under the part where there are several.

    Parts that the same quotes answer stand under one heading. The first quote of a part always
    stands under it; further ones only if they were not said before, and no other part begins with
    them or is answered by them more surely.
    """
    chosen = {part.text: quotes_of(part, found, context) for part in parts}
    firsts = [quotes[0] for quotes in chosen.values()]
    groups: dict[tuple[QuoteKey, ...], tuple[list[Part], list[EvidenceSentence]]] = {}
    for part in parts:
        first, *more = chosen[part.text]
        if len(parts) > 1:
            more = [one for one in more if not overlapping(one, firsts)]
            more = [one for one in more if part.text in said_parts(parts, [verbatim(one)])]
        quotes = [first, *more]
        groups.setdefault(tuple(one.key for one in quotes), ([], quotes))[0].append(part)
    said: list[EvidenceSentence] = []
    lines: list[Line] = []
    for members, quotes in groups.values():
        closest = [bool(found.answered) and part.status == "partial" for part in members]
        titles = [
            say(found.language, "perhaps_about", part.text) if near else part.text
            for part, near in zip(members, closest, strict=True)
        ]
        heading = "" if found.count == 1 else "; ".join(dict.fromkeys(titles))
        fresh = [one for n, one in enumerate(quotes) if not n or not overlapping(one, said)]
        said += fresh
        lines += [(heading, verbatim(one, closest=all(closest))) for one in fresh]
    return lines


def _as_reply(lines: Sequence[Line], found: Findings, degraded: tuple[Notice, ...]) -> Reply:
    """The lines under their headings, and what was found only in part or not at all.

    What is only perhaps an answer is said to be so by the opening where nothing answers surely.
    """
    sure, language = bool(found.answered), found.language
    partly = tuple(part.text for part in found.partial)
    closing = [_not_found(found)]
    if sure and partly:
        closing.insert(0, say(language, "partly_found", quoted_items(language, partly)))
    return Reply(
        sentences=tuple(sentence for _, sentence in lines),
        headings=tuple(heading for heading, _ in lines),
        opening="" if sure else say(language, "perhaps_opening"),
        closing=" ".join(filter(None, closing)),
        certainty="answered" if sure else "perhaps",
        degraded=degraded,
    )


def _not_found(found: Findings) -> str:
    """The parts of the question that nothing answers, "" where there are none."""
    if not found.missing:
        return ""
    return say(found.language, "not_found", quoted_items(found.language, found.missing))


def _contradictions(found: Findings) -> list[_Pair]:
    """Of each part the pairs of sentences that cannot both hold, each pair once."""
    pairs: dict[frozenset[QuoteKey], _Pair] = {}
    for part in found.answered:
        surest = part.ranked[: 2 * COMPARED]
        compared = [sentence for _, sentence in distinct(surest)][:COMPARED]
        for i, j, why in contradictions(compared, found.language):
            one, other = compared[i], compared[j]
            value = Contradiction(item=part.text, first=one.quote, second=other.quote, why=why)
            pairs.setdefault(frozenset({one.key, other.key}), (value, (one, other)))
    return list(pairs.values())[:MOST_CONTRADICTIONS]


@timed("answer")
async def refuse(state: AskState, step: Step) -> Update:
    """Says that nothing was found."""
    return {"reply": refused(state, step)}


def refused(state: AskState, step: Step) -> Reply:
    """That the documents do not answer, what was searched, and what comes nearest."""
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
