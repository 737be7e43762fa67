"""What every tool of the agent is given, and ``retrieve_vector``, the search that people use."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from agent.ask.react.memory import clipped
from agent.ask.react.values import Searched, ToolResult
from agent.ask.retrieve import entries_of, searched
from agent.ask.state import AskState
from agent.context import Context
from agent.prompts import say
from agent.ranking import RankedSentence, ranked_within
from agent.sources import header
from agent.step import Step
from services.domain import Evidence, Language, Passage, SearchFilter, SearchResult
from services.evidence.ranking import certainty
from services.graph.search import KnowledgeGraph
from services.retrieval.context import blocks
from services.retrieval.named import dated_filter

MOST_CALLS: Final = 20
"""Model calls of a turn, the rewriting of its question and repairs included."""

CALLS_OF_A_TASK: Final = 2
"""A task that is repaired calls twice."""

TEXTS_GATHERED: Final = 3
PASSAGES_KEPT: Final = 5
"""Passages of a search that count as evidence."""

GATHERED: Final = 1_000
SNIPPET: Final = 320
LONGEST_QUERY: Final = 300


class CallBudget:
    """Model calls that may still be made besides those of the last reading and its verification."""

    def __init__(self, state: AskState) -> None:
        made = sum(usage.model_calls for usage in state.get("usage", []))
        self._left = MOST_CALLS - 2 * CALLS_OF_A_TASK - made

    def take(self) -> bool:
        """Sets the calls of one task aside; whether there are as many."""
        if self._left < CALLS_OF_A_TASK:
            return False
        self._left -= CALLS_OF_A_TASK
        return True


@dataclass(frozen=True)
class Kit:
    """What tools work with in one step."""

    state: AskState
    step: Step
    budget: CallBudget
    only: SearchFilter

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
        return reads(self.state)

    def place(self, passage: Passage) -> str:
        """Above a passage, where it is shown to a model."""
        return header(passage, self.language, self.context)

    def nothing(self, why: str, *values: object) -> ToolResult:
        """That a tool failed or found nothing."""
        return ToolResult(observation=say(self.language, why, *values), found=False)


def reads(state: AskState) -> bool:
    """Whether the model in use reads."""
    return state.get("reads", False)


async def make_kit(state: AskState, step: Step) -> Kit:
    """The kit of a step; dates of the question bound all its searches."""
    context, dates = step.context, state["understanding"].dates
    narrowed = await asyncio.to_thread(
        dated_filter, dates, scope=context.scope, catalog=context.catalog
    )
    return Kit(state=state, step=step, budget=CallBudget(state), only=narrowed.only)


@dataclass(frozen=True)
class Look:
    """A search with the sentences of its best passages, by how surely they answer the query."""

    query: str
    result: SearchResult
    ranked: list[RankedSentence]

    @property
    def evidence(self) -> list[Evidence]:
        """What counts of it: its best passages."""
        return entries_of(self.result.hits[:PASSAGES_KEPT])

    @property
    def near(self) -> bool:
        """Whether anything found may answer the query, or the query names its section."""
        named = any("label" in hit.explain for hit in self.result.hits)
        return certainty([score for score, _ in self.ranked], named=named) != "refused"


async def retrieve_vector(query: str, kit: Kit) -> ToolResult:
    """The three best passages to read, five to cite.

    To a model that does not read nothing is shown where none may answer the query.
    """
    query = query[:LONGEST_QUERY]
    look = await search(query, kit)
    if not (look.result.hits if kit.reads else look.near):
        return kit.nothing("no_passages", query)
    hits = look.result.hits[:TEXTS_GATHERED]
    return ToolResult(
        observation=blocks((kit.place(hit), snippet(look.ranked, hit, kit)) for hit in hits),
        entries=tuple(look.evidence),
        texts=gathered(hits, kit),
        searched=(Searched(query=query),),
    )


def gathered(passages: Iterable[Passage], kit: Kit) -> tuple[str, ...]:
    """Passages as later prompts show them."""
    return tuple(blocks([(kit.place(each), clipped(each.text, GATHERED))]) for each in passages)


async def first_look(state: AskState, step: Step) -> tuple[Look, ...]:
    """A search for the question, then one for each of its parts where it has several."""
    kit = await make_kit(state, step)
    queries = dict.fromkeys([kit.question, *state["understanding"].subquestions])
    return tuple([await search(query, kit) for query in queries])


def snippet(ranked: Sequence[RankedSentence], passage: Passage, kit: Kit) -> str:
    """A passage from its best sentence on; whole for a model that reads."""
    if kit.reads:
        return clipped(passage.text, GATHERED)
    inside = (
        s.start - passage.start
        for _, s in ranked
        if s.document_id == passage.document_id and passage.start <= s.start < passage.end
    )
    return clipped(passage.text[next(inside, 0) :], SNIPPET)


async def search(query: str, kit: Kit) -> Look:
    """Searches as the other routes do; the same within half an hour is not searched again."""
    context, options = kit.context, kit.state["options"]
    _, _, said = await asyncio.to_thread(context.before, options.profile)
    scope = context.scope, context.versions()
    asked = (options.k, said.model_dump_json(), kit.only, kit.reads)
    key = (query.casefold(), kit.language, scope, *asked)
    kept: Look | None = context.tool_cache.get(key)
    if kept is not None:
        return kept
    result = await searched(query, options.k, options.profile, kit.only, kit.step, far=kit.reads)
    best = [(hit.relevance, hit) for hit in result.hits[:PASSAGES_KEPT]]
    found = await asyncio.to_thread(ranked_within, [query], best, kit.language, context, None)
    look = Look(query, result, found)
    if not result.warnings:
        context.tool_cache.put(key, look)
    return look
