"""Reading in quick answers: a model reads whole sections, and its claims are the answer."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, Literal, cast

from agent.ask.graph_passages import with_graph
from agent.ask.models import GraphUse, Reply
from agent.ask.quotes import refuse
from agent.ask.react.loop import add_loop_results, run_of
from agent.ask.retrieve import emit_results, emit_start, entries_of, record_results, search
from agent.ask.state import AskState
from agent.ask.structured import count_strategies, describe_structure
from agent.prompts import say
from agent.reading.gather import fuse_rankings
from agent.reading.prove import Claim
from agent.reading.reader import DEPTHS, OnClaims, Reader, Reading
from agent.reading.sentences import (
    answer_sentences,
    draft_line,
    read_spans,
    replaced_claim,
    replacements,
    write_together,
)
from agent.reading.verify import Question
from agent.step import Step, Update, timed
from services.domain import Hit, Language, SearchFilter, SearchResult
from services.domain.events import FoundPassage
from services.retrieval.named import dated_filter, named_documents
from services.retrieval.retriever import EVERYWHERE
from services.structured.values import (
    JudgedPassage,
    Plan,
    RequiredInfo,
    Status,
    SubQuery,
    SubQuerySearch,
)

HITS_PER_SEARCH: Final = 20

PASSAGE_FIELDS: Final = set(FoundPassage.model_fields)


class _TurnSearch:
    """The searches of a turn, within the documents that its question names.

    A title may be there by chance, so all documents are searched besides; so are documents of the
    days that the question names, since most such days are those of a case.
    """

    def __init__(self, state: AskState, step: Step) -> None:
        self._state, self._step = state, step
        self._results: dict[str, SearchResult] = {}
        self._hits: dict[str, Hit] = {}
        self._graph_use: GraphUse | None = None
        understanding, context = state["understanding"], step.context
        scope, catalog = context.scope, context.catalog
        named = named_documents(understanding.question, scope=scope, catalog=catalog)
        self.documents = named.documents
        only = SearchFilter(documents=named.documents)
        self._filters = [only, EVERYWHERE] if named.by_title else [only]
        self._dated = dated_filter(understanding.dates, scope=scope, catalog=catalog).only

    async def __call__(self, query: str) -> Sequence[Hit]:
        step, profile = self._step, self._state["options"].profile
        understanding = self._state["understanding"]
        is_question = query == understanding.question
        filters = [*self._filters]
        if is_question and not self._dated.neutral:
            filters.insert(0, self._dated)
        results = [
            await search(query, HITS_PER_SEARCH, profile, only, step, far=True) for only in filters
        ]
        hits: Sequence[Hit] = fuse_rankings([result.hits for result in results])
        if is_question:
            expanded = await with_graph(understanding, hits, filters[-1], step.context)
            hits, self._graph_use = expanded
            emit_results(entries_of(hits), step)
        self._results[query] = results[-1]
        self._hits |= {hit.chunk_id: hit for hit in hits}
        return hits

    def describe(self, query: SubQuery) -> SubQuerySearch:
        """Return a sub-query that was searched, with the number of passages found."""
        counts = count_strategies(self._results[query.query].hits)
        return SubQuerySearch(**dict(query), found=counts)

    def quoted_passages(self, reading: Reading) -> tuple[JudgedPassage, ...]:
        """Return the passages that the proven claims of a reading quote."""
        self._add_read(reading)
        quotes = [quote for claim in reading.proof for quote in claim.quotes]
        return tuple(
            JudgedPassage(**hit.model_dump(include=PASSAGE_FIELDS), score=hit.relevance)
            for hit in self._hits.values()
            if any(quote.overlaps(hit) for quote in quotes)
        )

    def _add_read(self, reading: Reading) -> None:
        """Add the passages that were read though no search found them, as those of references."""
        context, question = self._step.context, self._state["understanding"].question
        passages = {
            passage.chunk_id: passage
            for section in reading.sections
            for passage in context.passages.between(section.document_id, section.start, section.end)
            if passage.chunk_id not in self._hits and section.shows_passage(passage)
        }
        near = context.retriever.relevances(question, list(passages), scope=context.scope)
        self._hits |= {
            name: Hit(**dict(passage), score=near[name], relevance=near[name], explain={})
            for name, passage in passages.items()
        }

    def record(self, reading: Reading) -> Update:
        """Record the passages that were read, and the searches that were not imagined."""
        self._add_read(reading)
        hits = [
            hit
            for hit in self._hits.values()
            if any(section.shows_passage(hit) for section in reading.sections)
        ]
        results = list(self._results.values())
        named = (self._state["understanding"].question, *reading.searches)
        queries = [query for query in self._results if query in named]
        return record_results(queries, hits, results, self._step, self._graph_use)


@timed("answer")
async def read_answer(state: AskState, step: Step) -> Update:
    """Answer by what a model reads in the sections that searches lead to."""
    emit_start(state, step)
    turn_search = await asyncio.to_thread(_TurnSearch, state, step)
    question, depth = _question(state, turn_search), state["route"].depth
    by_itself = (state["options"].depth, depth) == ("auto", "fast")
    reader = Reader(question, turn_search, step, _draft_writer(question.language, step))
    cited = await asyncio.to_thread(step.context.passages.get, _cited_before(state))
    reading = await reader.read(DEPTHS["auto" if by_itself else depth], [list(cited.values())])
    return await _answer(reading, turn_search, state, step)


@timed("synthesis")
async def read_pieces(state: AskState, step: Step) -> Update:
    """Answer by a reading for each piece of the question, and one answer over all claims."""
    emit_start(state, step)
    turn_search = await asyncio.to_thread(_TurnSearch, state, step)
    question, plan = _question(state, turn_search), state["plan"]
    pieces = {
        piece: replace(question, text=piece, context=question.text, original=question.text)
        for piece in plan.required_info
    }
    if len(pieces) == 1:
        pieces = dict.fromkeys(pieces, question)
    readings = await asyncio.gather(
        *(_read_piece(piece, text, plan, turn_search, step) for piece, text in pieces.items())
    )
    required = [
        RequiredInfo(
            item=piece,
            status=_status(reading),
            evidence=await asyncio.to_thread(turn_search.quoted_passages, reading),
        )
        for piece, reading in zip(pieces, readings, strict=True)
    ]
    joined = _join(required, readings)
    joined.searches += [*pieces, *(query.query for query in plan.sub_queries)]
    if len(pieces) > 1 and joined.proof:
        unproven = [claim for claim in joined.claims if claim.fault]
        joined.claims = [*await write_together(question, joined, step), *unproven]
    searches = tuple(map(turn_search.describe, plan.sub_queries))
    structure = describe_structure(plan, state["understanding"], required, searches=searches)
    update = await _answer(joined, turn_search, state, step)
    return update if update["unread"] else {**update, "structure": structure}


async def _read_piece(
    piece: str, question: Question, plan: Plan, turn_search: _TurnSearch, step: Step
) -> Reading:
    queries = [query.query for query in plan.sub_queries if query.target_info == piece]
    others = [query for query in queries if query != question.text]
    rankings = await asyncio.gather(*map(turn_search, others))
    return await Reader(question, turn_search, step).read(DEPTHS["structured"], rankings)


def _join(pieces: Sequence[RequiredInfo], readings: Sequence[Reading]) -> Reading:
    """Return the readings of all pieces as one; a piece without an answer is missing."""
    joined = Reading()
    for reading in readings:
        joined.add_claims(reading.claims, reading.sections)
        joined.searches += reading.searches
        joined.rounds += reading.rounds
    answers = {reading.answered for reading in readings}
    joined.answered = answers.pop() if len(answers) == 1 else "partly"
    missing = (
        reading.missing or (piece.item if piece.status == "missing" else "")
        for piece, reading in zip(pieces, readings, strict=True)
    )
    joined.missing = "; ".join(dict.fromkeys(filter(None, missing)))
    joined.failed = all(reading.failed for reading in readings)
    return joined


def _status(reading: Reading) -> Status:
    """Return how far a reading covers its question; quotes of unproven claims do in part."""
    if reading.answered == "no" or not any(claim.quotes for claim in reading.claims):
        return "missing"
    return "covered" if reading.answered == "yes" and reading.is_proven else "partial"


@timed("answer")
async def read_gathered(state: AskState, step: Step) -> Update:
    """Answer by a reading of what the agent gathered, and of a search for the question."""
    run, context = run_of(state), step.context
    turn_search = await asyncio.to_thread(_TurnSearch, state, step)
    question = _question(state, turn_search)
    ids = [entry.chunk_id for entry in run.evidence]
    gathered = list((await asyncio.to_thread(context.passages.get, ids)).values())
    hits = await turn_search(question.text)
    reader = Reader(question, turn_search, step, _draft_writer(question.language, step))
    reading = await reader.read_passages(fuse_rankings([gathered, hits]), DEPTHS["agent"])
    update = await _answer(reading, turn_search, state, step)
    if not update["unread"]:
        update["reply"] = add_loop_results(update["reply"], run)
    return update


def _question(state: AskState, turn_search: _TurnSearch) -> Question:
    understanding = state["understanding"]
    return Question(
        text=understanding.question,
        language=understanding.language,
        documents=turn_search.documents,
        instructions=state["options"].synthesis_prompt,
    )


def _cited_before(state: AskState) -> Sequence[str]:
    past = state.get("conversation", [])
    return past[-1].passages if past and state["rewriting"].by is not None else ()


def _draft_writer(language: Language, step: Step) -> OnClaims:
    """Return a function that shows the claims so far as a draft of the answer."""
    write = step.text_writer("answer", every_s=0.0)

    def tell(claims: Sequence[Claim]) -> None:
        write("\n\n".join(draft_line(claim, language) for claim in claims))

    return tell


async def _answer(
    reading: Reading, turn_search: _TurnSearch, state: AskState, step: Step
) -> Update:
    """Return the reply of a reading and its evidence; nothing where the model failed."""
    if reading.failed and not reading.claims:
        return {"unread": True}
    evidence = await asyncio.to_thread(turn_search.record, reading)
    with_evidence = cast(AskState, {**state, **evidence})
    reply = await asyncio.to_thread(_reply, reading, with_evidence, step)
    return {**evidence, "reply": reply, "unread": False}


def after_reading(
    state: AskState,
) -> Literal["finish_turn", "retrieve", "quote_pieces", "conclude"]:
    """Go to the end; where the model failed, to the quotes of its depth."""
    if not state["unread"]:
        return "finish_turn"
    if state["agent"] is not None:
        return "conclude"
    return "quote_pieces" if state["route"].depth == "structured" else "retrieve"


def _reply(reading: Reading, state: AskState, step: Step) -> Reply:
    language = state["understanding"].language
    sentences = answer_sentences(reading.claims, reading.sections, step.context)
    fields = {
        "reads": True,
        "rounds": reading.rounds,
        "read": read_spans(reading.sections),
        "replaced": replacements(reading.sections),
        "missing": reading.missing,
        "degraded": tuple(replaced_claim(claim) for claim in reading.claims if claim.fault),
    }
    if reading.answered == "no" or not sentences:
        return refuse(state, step).model_copy(update=fields)
    missing = reading.missing.rstrip(" .?")
    closing = say(language, "not_read", missing) if missing else ""
    return Reply(
        sentences=tuple(sentences),
        opening="" if reading.is_proven else say(language, "perhaps_opening", len(sentences)),
        closing=closing,
        certainty="answered" if reading.is_proven else "perhaps",
        **fields,
    )
