"""What every tool of the agent works with, and ``retrieve_vector``, the search that people use."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agent.ask.react.protocol import shorten
from agent.ask.react.values import Searched, ToolResult
from agent.ask.retrieve import entries_of, search
from agent.ask.state import AskState
from agent.context import Context
from agent.prompts import say
from agent.reading.gather import fuse_rankings
from agent.sentences import RankedSentence, rank_passages
from agent.sources import header
from agent.step import Step
from services.domain import Evidence, Language, Passage, SearchFilter, SearchResult
from services.evidence.ranking import certainty
from services.graph.search import KnowledgeGraph
from services.retrieval.context import blocks
from services.retrieval.named import question_filter
from services.retrieval.retriever import EVERYWHERE

MAX_CALLS: Final = 20
"""Model calls of a turn, the rewriting of its question and repairs included."""

CALLS_PER_TASK: Final = 2
"""A task that is repaired calls twice."""

TEXTS_GATHERED: Final = 3
PASSAGES_KEPT: Final = 5
"""Passages of a search that count as evidence."""

MAX_GATHERED: Final = 1_000
MAX_SNIPPET: Final = 320
MAX_QUERY: Final = 300


class CallBudget:
    """Model calls that may still be made besides those of the last reading and its verification."""

    def __init__(self, state: AskState) -> None:
        made = sum(usage.model_calls for usage in state.get("usage", []))
        self._left = MAX_CALLS - 2 * CALLS_PER_TASK - made

    def take(self) -> bool:
        """Reserve the calls of one task; say whether there are as many."""
        if self._left < CALLS_PER_TASK:
            return False
        self._left -= CALLS_PER_TASK
        return True


@dataclass(frozen=True)
class Toolkit:
    """What tools work with in one step."""

    state: AskState
    step: Step
    budget: CallBudget
    filters: Sequence[SearchFilter]

    @property
    def context(self) -> Context:
        return self.step.context

    @property
    def graph(self) -> KnowledgeGraph:
        if self.context.graph is None:
            raise ValueError("tools of the graph are offered only where there is one")
        return self.context.graph

    @property
    def language(self) -> Language:
        return self.state["understanding"].language

    @property
    def question(self) -> str:
        return self.state["understanding"].question

    @property
    def reads(self) -> bool:
        """Whether the model in use reads."""
        return self.state.get("reads", False)

    def header(self, passage: Passage) -> str:
        """Return what stands above a passage where a model is shown it."""
        return header(passage, self.language, self.context)

    def failure(self, why: str, *values: object) -> ToolResult:
        """Return the result of a tool that failed or found nothing."""
        return ToolResult(observation=say(self.language, why, *values), found=False)


async def make_toolkit(state: AskState, step: Step) -> Toolkit:
    """Return the toolkit of a step; what the question surely names restricts all its searches."""
    context, understanding = step.context, state["understanding"]
    filtered = await asyncio.to_thread(
        question_filter, understanding, scope=context.scope, catalog=context.catalog
    )
    filters = [filtered.only] if filtered.sure else [filtered.only, EVERYWHERE]
    return Toolkit(state=state, step=step, budget=CallBudget(state), filters=filters)


@dataclass(frozen=True)
class SearchRanking:
    """A search with the sentences of its best passages, by how surely they answer the query."""

    query: str
    result: SearchResult
    ranked: list[RankedSentence]

    @property
    def evidence(self) -> list[Evidence]:
        """Its best passages, which count as evidence."""
        return entries_of(self.result.hits[:PASSAGES_KEPT])

    @property
    def near(self) -> bool:
        """Whether anything found may answer the query, or the query names its section."""
        named = any("label" in hit.explain for hit in self.result.hits)
        return certainty([score for score, _ in self.ranked], named=named) != "refused"


async def retrieve_vector(query: str, toolkit: Toolkit) -> ToolResult:
    """Return the three best passages to read, five to cite.

    A model that does not read is shown nothing where no passage may answer the query.
    """
    query = query[:MAX_QUERY]
    ranking = await search_and_rank(query, toolkit)
    if not (ranking.result.hits if toolkit.reads else ranking.near):
        return toolkit.failure("no_passages", query)
    hits = ranking.result.hits[:TEXTS_GATHERED]
    return ToolResult(
        observation=blocks(
            (toolkit.header(hit), snippet(ranking.ranked, hit, toolkit)) for hit in hits
        ),
        entries=tuple(ranking.evidence),
        texts=gathered_texts(hits, toolkit),
        searched=(Searched(query=query),),
    )


def gathered_texts(passages: Iterable[Passage], toolkit: Toolkit) -> tuple[str, ...]:
    """Return passages as later prompts show them."""
    return tuple(
        blocks([(toolkit.header(passage), shorten(passage.text, MAX_GATHERED))])
        for passage in passages
    )


async def search_subquestions(state: AskState, step: Step) -> tuple[SearchRanking, ...]:
    """Search for the question, then for each of its parts where it has several."""
    toolkit = await make_toolkit(state, step)
    queries = dict.fromkeys([toolkit.question, *state["understanding"].subquestions])
    return tuple([await search_and_rank(query, toolkit) for query in queries])


def snippet(ranked: Sequence[RankedSentence], passage: Passage, toolkit: Toolkit) -> str:
    """Return a passage from its best sentence on; whole for a model that reads."""
    if toolkit.reads:
        return shorten(passage.text, MAX_GATHERED)
    inside = (
        s.start - passage.start
        for _, s in ranked
        if s.document_id == passage.document_id and passage.start <= s.start < passage.end
    )
    return shorten(passage.text[next(inside, 0) :], MAX_SNIPPET)


async def search_and_rank(query: str, toolkit: Toolkit) -> SearchRanking:
    """Search as the other routes do, and rank the sentences of the best passages."""
    k, profile = toolkit.state["options"].k, toolkit.state["options"].profile
    results = [
        await search(query, k, profile, only, toolkit.step, far=toolkit.reads)
        for only in toolkit.filters
    ]
    hits = fuse_rankings([result.hits for result in results])[:k]
    result = results[-1].model_copy(update={"hits": tuple(hits)})
    best = [(hit.relevance, hit) for hit in result.hits[:PASSAGES_KEPT]]
    ranked = await asyncio.to_thread(
        rank_passages, query, best, toolkit.language, toolkit.context, None
    )
    return SearchRanking(query, result, ranked)
