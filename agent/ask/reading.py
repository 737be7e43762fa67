"""Reading in quick answers: a model reads whole sections, and its claims are the answer."""

import asyncio
from collections.abc import Sequence
from typing import Final

from agent.ask.answer import quotes_of_all, refused
from agent.ask.models import ReadSpan, Reply
from agent.ask.parts import of_passages
from agent.ask.retrieve import dated, entries_of, searched
from agent.ask.state import AskState
from agent.ask.step import timed
from agent.context import Context
from agent.drafting import verbatim
from agent.prompts import say
from agent.reading.gather import Section
from agent.reading.prove import Claim, Quote
from agent.reading.reader import DEPTHS, Reading, read
from agent.step import Step, Update
from services.domain import Citation, CitedSentence, Hit
from services.domain.notices import Notice
from services.domain.passages import page_at

READ_HITS: Final = 20
"""Passages of each search."""


@timed("answer")
async def read_answer(state: AskState, step: Step) -> Update:
    """Answers by what a model reads in the sections that searches lead to.

    Where it fails, by the quotes of what was found.
    """
    understanding, options = state["understanding"], state["options"]
    only = dated(understanding, step)
    hits: dict[str, Hit] = {}

    async def search(query: str) -> Sequence[Hit]:
        result = await searched(query, READ_HITS, options.profile, only, step)
        found = result.hits or result.below
        hits.update((each.chunk_id, each) for each in found)
        return found

    depth = DEPTHS[state["route"].depth]
    reading = await read(understanding.question, understanding.language, depth, search, step)
    if reading.failed and not reading.sections:
        found = await asyncio.to_thread(of_passages, state, step.context)
        return {"reply": await quotes_of_all(found, state, step)}
    shown = [hit for hit in hits.values() if any(each.holds(hit) for each in reading.sections)]
    reply = await asyncio.to_thread(_reply, reading, state, step)
    return {"reply": reply, "evidence": entries_of(shown)}


def _reply(reading: Reading, state: AskState, step: Step) -> Reply:
    """The reading as an answer: its claims, and quotes in the place of those not proven."""
    sentences: list[CitedSentence] = []
    for claim in reading.claims:
        citations = [_citation(each, reading.sections, step.context) for each in claim.quotes]
        if claim.fault:
            sentences += map(verbatim, citations)
        else:
            sentences.append(_following(claim, citations))
    language = state["understanding"].language
    fields = {
        "reads": True,
        "rounds": reading.rounds,
        "read": tuple(map(_span, reading.sections)),
        "missing": reading.missing,
        "degraded": tuple(_left_out(claim) for claim in reading.claims if claim.fault),
    }
    if reading.answered == "no" or not sentences:
        return refused(state, step).model_copy(update=fields)
    closing = say(language, "not_found", reading.missing) if reading.missing else ""
    return Reply(sentences=_distinct(sentences), closing=closing, **fields)


def _span(section: Section) -> ReadSpan:
    return ReadSpan(
        document=section.document,
        section=section.label,
        start=section.pieces[0][0],
        end=section.pieces[-1][1],
        tokens=section.tokens,
    )


def _following(claim: Claim, citations: Sequence[Citation]) -> CitedSentence:
    return CitedSentence(
        text=claim.text, supported=True, standing="follows", citations=tuple(citations)
    )


def _left_out(claim: Claim) -> Notice:
    """What became of a claim that is not proven."""
    match claim.fault:
        case "quote":
            return Notice.of(
                "left out, its quote stands in none of the passages: {sentence}",
                sentence=claim.text,
            )
        case "unread":
            return Notice.of(
                "replaced by quotes, nobody could verify it: {sentence}", sentence=claim.text
            )
    return Notice.of(
        "replaced by quotes, its passages do not say {words}: {sentence}",
        sentence=claim.text,
        words=claim.words,
    )


def _citation(quote: Quote, sections: Sequence[Section], context: Context) -> Citation:
    section = sections[quote.section]
    pages = context.catalog.documents.page_starts(section.text_id)
    return Citation(
        document=section.document,
        document_id=section.document_id,
        page=page_at(pages, quote.start),
        section=section.label,
        start=quote.start,
        end=quote.end,
        quote=quote.text,
        verified=True,
        heading=section.heading_path[-1] if section.heading_path else "",
    )


def _distinct(sentences: Sequence[CitedSentence]) -> tuple[CitedSentence, ...]:
    """Without the quotes that another sentence rests on."""
    cited = {each.key for one in sentences if one.standing != "quote" for each in one.citations}
    fresh = (
        one for one in sentences if one.standing != "quote" or one.citations[0].key not in cited
    )
    return tuple(dict.fromkeys(fresh))
