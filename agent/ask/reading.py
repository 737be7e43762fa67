"""Reading in quick answers: a model reads whole sections, and its claims are the answer."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal, cast

from agent.ask.answer import refused
from agent.ask.graph_passages import GRAPH_LOADING, with_graph
from agent.ask.models import GraphUse, Reply
from agent.ask.react.conclude import after_the_loop
from agent.ask.react.loop import run_of
from agent.ask.retrieve import entries_of, searched, tell_found, tell_start, told
from agent.ask.state import AskState
from agent.ask.step import timed
from agent.prompts import say
from agent.reading.gather import fused
from agent.reading.prove import Claim
from agent.reading.reader import DEPTHS, Reader, Reading, Tell
from agent.reading.saying import draft, left_out, read_spans, replacements, said
from agent.reading.together import said_together
from agent.reading.verify import Question
from agent.step import Step, Update
from services.domain import (
    Hit,
    Language,
    SearchFilter,
    SearchResult,
)
from services.domain.events import FoundPassage
from services.retrieval.named import dated_filter, named_documents
from services.structured.values import Assessment, JudgedPassage, RequiredInfo, Status

READ_HITS: Final = 20
"""Passages of each search."""

PASSAGE_FIELDS: Final = set(FoundPassage.model_fields)
STATUS_OF: Final[dict[str, Status]] = {"yes": "covered", "partly": "partial", "no": "missing"}


class _Looking:
    """The searches of a turn, within the documents that its question names.

    Days that it names are a hint and no wall, since most are those of a case: what documents of
    that time say is searched for besides. What a first search for the question finds is told at
    once.
    """

    def __init__(self, state: AskState, step: Step) -> None:
        self._state, self._step = state, step
        self._results: dict[str, SearchResult] = {}
        self._hits: dict[str, Hit] = {}
        self._use: GraphUse | None = None
        asked, context = state["understanding"], step.context
        scope, catalog = context.scope, context.catalog
        named = named_documents(asked.question, scope=scope, catalog=catalog)
        self.documents = named.documents or context.scope.documents or ()
        self._only = SearchFilter(documents=named.documents)
        self._then = dated_filter(asked.dates, scope=scope, catalog=catalog).only

    async def __call__(self, query: str) -> Sequence[Hit]:
        """The passages that a query leads to, best first."""
        step, profile = self._step, self._state["options"].profile
        understanding = self._state["understanding"]
        is_asked = query == understanding.question
        places = [self._only]
        if is_asked and not self._then.neutral:
            places.insert(0, self._then)
        results = [
            await searched(query, READ_HITS, profile, each, step, far=True) for each in places
        ]
        hits: Sequence[Hit] = fused([each.hits for each in results])
        if is_asked:
            hits, self._use = await with_graph(understanding, hits, self._only, step.context)
            if self._use is not None and self._use.loading:
                step.warn(GRAPH_LOADING)
            tell_found(entries_of(hits), step)
        self._results[query] = results[-1]
        self._hits |= {hit.chunk_id: hit for hit in hits}
        return hits

    def speaking(self, reading: Reading) -> tuple[JudgedPassage, ...]:
        """The passages that the proven claims of a reading quote."""
        quotes = [quote for claim in reading.proof for quote in claim.quotes]
        return tuple(
            JudgedPassage(**hit.model_dump(include=PASSAGE_FIELDS), score=hit.relevance)
            for hit in self._hits.values()
            if any(
                quote.document_id == hit.document_id
                and quote.start < hit.end
                and hit.start < quote.end
                for quote in quotes
            )
        )

    def found(self, reading: Reading) -> Update:
        """What was found, as far as it was read, as evidence and for a reader.

        Who reads of the searches is not told the passages that the model imagined.
        """
        sections = reading.sections
        shown = [
            hit
            for hit in self._hits.values()
            if any(
                each.text_id == hit.text_id and each.shows(hit.start, hit.end) for each in sections
            )
        ]
        led_to = [way.chunk_id for way in self._use.ways] if self._use else ()
        results = list(self._results.values())
        named = (self._state["understanding"].question, *reading.searches)
        queries = [query for query in self._results if query in named]
        return told(queries, shown, entries_of(shown, led_to), results, self._step, self._use)


@timed("answer")
async def read_answer(state: AskState, step: Step) -> Update:
    """Answers by what a model reads in the sections that searches lead to."""
    tell_start(state, step)
    looking = await asyncio.to_thread(_Looking, state, step)
    question, depth = _question(state, looking), DEPTHS[state["route"].depth]
    reader = Reader(question, looking, step, _teller(question.language, step))
    before = await asyncio.to_thread(step.context.passages.get, _leant_on(state))
    reading = await reader.read(depth, [list(before.values())])
    return await _answered(reading, looking, state, step)


@timed("synthesis")
async def read_pieces(state: AskState, step: Step) -> Update:
    """Answers by a reading for each piece of the question, and one answer over all claims."""
    tell_start(state, step)
    looking = await asyncio.to_thread(_Looking, state, step)
    question, plan = _question(state, looking), state["plan"]
    pieces = dict.fromkeys(plan.required_info) or {question.text: None}
    alone = len(pieces) == 1
    readers = [
        Reader(
            question if alone else replace(question, text=text, context=question.text),
            looking,
            step,
        )
        for text in pieces
    ]
    readings = await asyncio.gather(*(each.read(DEPTHS["structured"]) for each in readers))
    whole = Reading()
    for each in readings:
        whole.add(each)
    whole.missing = "; ".join(dict.fromkeys(each.missing for each in readings if each.missing))
    whole.failed = all(each.failed for each in readings)
    if not alone and whole.proof:
        faulty = [claim for claim in whole.claims if claim.fault]
        whole.claims = [*await said_together(question, whole, step), *faulty]
    required = (
        RequiredInfo(item=text, status=STATUS_OF[each.answered], evidence=looking.speaking(each))
        for text, each in zip(pieces, readings, strict=True)
    )
    update = await _answered(whole, looking, state, step)
    return {**update, "assessment": Assessment(required=tuple(required))}


@timed("answer")
async def read_gathered(state: AskState, step: Step) -> Update:
    """The agent's last step: a reading of what it gathered, beside a search for the question."""
    run, context = run_of(state), step.context
    looking = await asyncio.to_thread(_Looking, state, step)
    question = _question(state, looking)
    ids = [each.chunk_id for each in run.evidence]
    gathered = list((await asyncio.to_thread(context.passages.get, ids)).values())
    plain = await looking(question.text)
    reader = Reader(question, looking, step, _teller(question.language, step))
    reading = await reader.read_found(fused([gathered, plain]), DEPTHS["agent"])
    update = await _answered(reading, looking, state, step)
    if not update["unread"]:
        update["reply"] = after_the_loop(update["reply"], run)
    return update


def _question(state: AskState, looking: _Looking) -> Question:
    understanding = state["understanding"]
    return Question(
        text=understanding.question,
        language=understanding.language,
        documents=looking.documents,
        instructions=state["options"].synthesis_prompt,
    )


def _leant_on(state: AskState) -> Sequence[str]:
    """The passages of the turn before, where the question leans on it."""
    past = state.get("conversation", [])
    return past[-1].passages if past and state["rewriting"].by is not None else ()


def _teller(language: Language, step: Step) -> Tell:
    """Tells the claims so far, as a draft of the answer."""
    write = step.text_writer("answer", every_s=0.0)

    def tell(claims: Sequence[Claim]) -> None:
        write("\n\n".join(draft(claim, language) for claim in claims))

    return tell


async def _answered(reading: Reading, looking: _Looking, state: AskState, step: Step) -> Update:
    """What a reading came to; nothing where the model failed."""
    if reading.failed and not reading.claims:
        return {"unread": True}
    found = await asyncio.to_thread(looking.found, reading)
    with_found = cast(AskState, {**state, **found})
    reply = await asyncio.to_thread(_reply, reading, with_found, step)
    return {**found, "reply": reply, "unread": False}


def after_reading(state: AskState) -> Literal["finish_turn", "retrieve", "gather", "conclude"]:
    """To the end; where the model failed, to the quotes of its depth."""
    if not state["unread"]:
        return "finish_turn"
    if state["agent"] is not None:
        return "conclude"
    return "gather" if state["route"].depth == "structured" else "retrieve"


def _reply(reading: Reading, state: AskState, step: Step) -> Reply:
    """The reading as an answer: its claims, and quotes in the place of those not proven."""
    language = state["understanding"].language
    sentences = said(reading.claims, reading.sections, step.context)
    fields = {
        "reads": True,
        "rounds": reading.rounds,
        "read": read_spans(reading.sections),
        "replaced": replacements(reading.sections),
        "missing": reading.missing,
        "degraded": tuple(left_out(claim) for claim in reading.claims if claim.fault),
    }
    if reading.answered == "no" or not sentences:
        return refused(state, step).model_copy(update=fields)
    missing = reading.missing.rstrip(" .")
    closing = say(language, "not_read", missing) if missing else ""
    return Reply(
        sentences=tuple(sentences),
        opening="" if reading.is_proven else say(language, "perhaps_opening"),
        closing=closing,
        certainty="answered" if reading.is_proven else "perhaps",
        **fields,
    )
