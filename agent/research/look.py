"""What the searches of a task find, and how each passage came to be read."""

import asyncio
from collections.abc import Sequence
from typing import Final

from agent.ask.graph_passages import with_graph
from agent.context import Context
from agent.models import SearchMade, ToDoItem
from agent.reading.gather import fused
from agent.reading.values import Cut, Way
from agent.research.tiers import tier_of
from services.domain import Hit, Language, Passage, SearchFilter, SourceType
from services.language.query.understand import understand
from services.retrieval.named import named_documents
from services.retrieval.retriever import EVERYWHERE

READ_HITS: Final = 20
"""Passages of each search."""


class TaskSearches:
    """The searches of one task: everywhere, and once more in the documents that it names.

    Args:
        task: of the plan.
        language: of the question.
        looked: ids of passages that the clarification has found.
        context: of the run.
    """

    def __init__(
        self, task: ToDoItem, language: Language, looked: Sequence[str], context: Context
    ) -> None:
        self._task, self._looked, self._context = task, frozenset(looked), context
        self.understanding = understand(task.task, language=language)
        named = named_documents(task.task, scope=context.scope, catalog=context.catalog)
        self.documents = named.documents or context.scope.documents or ()
        self._meant = SearchFilter(documents=named.documents)
        self._made: dict[str, Sequence[Hit]] = {}
        self._ways: dict[str, str] = {}

    async def __call__(self, query: str) -> Sequence[Hit]:
        """The passages that a query leads to, best first; for the task itself by the graph too."""
        context = self._context
        self._made[query] = ()  # in the order in which they began, whichever ends first
        places = [EVERYWHERE] if self._meant.neutral else [self._meant, EVERYWHERE]
        rankings = await asyncio.gather(*(self._searched(query, each) for each in places))
        hits: Sequence[Hit] = fused(rankings)
        if query == self._task.task:
            hits, use = await with_graph(self.understanding, hits, EVERYWHERE, context)
            self._ways = {way.chunk_id: way.path for way in use.ways} if use else {}
        self._made[query] = hits
        return hits

    @property
    def made(self) -> list[SearchMade]:
        """The searches in their order, each with how much it found that none before did."""
        made: list[SearchMade] = []
        seen: set[str] = set()
        for query, hits in self._made.items():
            new = {hit.chunk_id for hit in hits} - seen
            seen |= new
            made.append(SearchMade(query=query, hits=len(hits), new=len(new)))
        return made

    @property
    def _hits(self) -> dict[str, Hit]:
        """What was found, by the id of the passage; of several hits the first."""
        hits: dict[str, Hit] = {}
        for hit in (hit for found in self._made.values() for hit in found):
            hits.setdefault(hit.chunk_id, hit)
        return hits

    async def _searched(self, query: str, only: SearchFilter) -> list[Hit]:
        search, scope = self._context.retriever.search, self._context.scope
        return await asyncio.to_thread(search, query, scope=scope, k=READ_HITS, only=only)

    @property
    def found(self) -> list[Hit]:
        """All passages that were found, in the order of the searches."""
        return list(self._hits.values())

    def how(self, passage: Passage, cut: Cut | None) -> tuple[int, SourceType, int, str]:
        """Tier, kind and depth of the way to a passage, and what lies on it.

        Args:
            passage: that something rests on.
            cut: the section that it was read in; None where no section was.
        """
        way = cut.way if cut is not None else Way()
        source: SourceType = "vector_search"
        depth, path = way.depth, way.source if way.depth else ""
        if passage.chunk_id in self._ways:
            source, depth, path = "graph", 1, self._ways[passage.chunk_id]
        elif passage.chunk_id not in self._hits:
            if way.how in ("reference", "named by", "change"):
                source, depth = "reference", max(1, way.depth)
            elif passage.chunk_id in self._looked:
                source = "hitl"
        beside = way.how == "beside" and passage.chunk_id not in self._hits
        return tier_of(source, depth, beside=beside), source, depth, path
