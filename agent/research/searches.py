"""What the searches of a task find, and how each passage came to be read."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from agent.ask.graph_passages import with_graph
from agent.context import Context
from agent.models import SearchMade, ToDoItem
from agent.reading.gather import fuse_rankings
from agent.reading.values import Provenance, SectionExcerpt
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
        clarified: ids of the passages that clarification found.
        context: of the run.
    """

    def __init__(
        self, task: ToDoItem, language: Language, clarified: Sequence[str], context: Context
    ) -> None:
        self._task, self._clarified, self._context = task, frozenset(clarified), context
        self.understanding = understand(task.task, language=language)
        named = named_documents(task.task, scope=context.scope, catalog=context.catalog)
        self.documents = named.documents or context.scope.documents or ()
        self._filter = SearchFilter(documents=named.documents)
        self._results: dict[str, Sequence[Hit]] = {}
        self._rounds: dict[str, int] = {}
        self._round = 1
        self._graph_paths: dict[str, str] = {}

    async def __call__(self, query: str) -> Sequence[Hit]:
        """Return the hits of a query, best first; for the task itself also those of the graph."""
        context = self._context
        self._results[query] = ()  # in the order in which they began, whichever ends first
        self._rounds.setdefault(query, self._round)
        filters = [EVERYWHERE] if self._filter.neutral else [self._filter, EVERYWHERE]
        rankings = await asyncio.gather(*(self._search(query, only) for only in filters))
        hits: Sequence[Hit] = fuse_rankings(rankings)
        if query == self._task.task:
            hits, use = await with_graph(self.understanding, hits, EVERYWHERE, context)
            self._graph_paths = {path.chunk_id: path.path for path in use.ways} if use else {}
        self._results[query] = hits
        return hits

    async def _search(self, query: str, only: SearchFilter) -> list[Hit]:
        search, scope = self._context.retriever.search, self._context.scope
        return await asyncio.to_thread(search, query, scope=scope, k=READ_HITS, only=only)

    def begin_round(self) -> None:
        """Count the searches from now on to the next round of reading."""
        self._round += 1

    def made(self, used: Collection[str]) -> list[SearchMade]:
        """Return the searches in their order; of their new hits, only ``used`` ones are named."""
        return [
            search.model_copy(
                update={
                    "round": self._rounds[search.query],
                    "chunk_ids": tuple(name for name in search.chunk_ids if name in used),
                }
            )
            for search in searches_made(self._results)
        ]

    @property
    def hits(self) -> dict[str, Hit]:
        """Return all hits by chunk id, in the order of the searches; the first of each chunk."""
        hits: dict[str, Hit] = {}
        for hit in (hit for result in self._results.values() for hit in result):
            hits.setdefault(hit.chunk_id, hit)
        return hits

    def how(self, passage: Passage, excerpt: SectionExcerpt) -> tuple[int, SourceType, int, str]:
        """Return tier, source type and depth of a passage, and the path that led to it.

        Args:
            passage: that something rests on.
            excerpt: the section that it was read in.
        """
        provenance: Provenance = excerpt.way
        is_hit = passage.chunk_id in self.hits
        source: SourceType = "vector_search"
        depth, path = provenance.depth, provenance.source if provenance.depth else ""
        if passage.chunk_id in self._graph_paths:
            source, depth, path = "graph", 1, self._graph_paths[passage.chunk_id]
        elif not is_hit:
            if provenance.how in ("reference", "named by", "change"):
                source, depth = "reference", max(1, provenance.depth)
            elif passage.chunk_id in self._clarified:
                source = "hitl"
        is_neighbour = provenance.how == "beside" and not is_hit
        return tier_of(source, depth, is_neighbour=is_neighbour), source, depth, path


def searches_made(
    results: Mapping[str, Sequence[Hit]], earlier: Collection[str] = ()
) -> list[SearchMade]:
    """Return searches in their order, each with the passages that none before it had found.

    Args:
        results: hits by query.
        earlier: ids of passages that were found before.
    """
    made: list[SearchMade] = []
    before = set(earlier)
    for query, hits in results.items():
        new = tuple(dict.fromkeys(hit.chunk_id for hit in hits if hit.chunk_id not in before))
        before.update(new)
        made.append(SearchMade(query=query, hits=len(hits), new=len(new), chunk_ids=new))
    return made
