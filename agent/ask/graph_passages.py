"""Passages that the knowledge graph adds to those that the search found.

The walk through the graph begins at the best passages of the search. Where it is not walked, one
step of references is followed: a question about one thing often needs a second section, which says
what the first means by it, and whose words the question lacks.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from agent.ask.models import GraphPath, GraphUse
from agent.context import Context
from agent.graph_paths import as_text
from services.domain import Hit, Passage, SearchFilter
from services.domain.notices import Notice
from services.graph.search import KnowledgeGraph
from services.graph.values import Step
from services.language.query.values import Understanding
from services.retrieval import graph_share

REFERENCE_SOURCES: Final = 3
"""Best passages whose references are followed."""
MAX_READ: Final = 20
"""Nearest passages that are read, to tell their sections apart."""
WALK_SEEDS: Final = 5
"""Best passages of the search that the walk begins at."""
PER_HIT: Final = 2
"""Passages that the graph is asked for, for each hit of the search."""

Expanded = tuple[Sequence[Hit], GraphUse | None]
"""The passages of a search with the graph, and what it did; None without one."""

GRAPH_LOADING: Final = Notice.of(
    "The knowledge graph is large and still loading, so this answer was found without it. Ask "
    "again in a minute."
)


async def with_graph(
    understanding: Understanding, hits: Sequence[Hit], only: SearchFilter, context: Context
) -> Expanded:
    """Return the hits in a new order, some replaced by passages of the graph that pass ``only``."""
    graph = context.graph
    if graph is None or not hits:
        return hits, None
    if not await asyncio.to_thread(graph.ready, context.scope):
        return hits, GraphUse(weight=0.0, asked=False, loading=True)
    before = graph_share.graph_weight(understanding.classification)
    nearest = max(hit.relevance for hit in hits)
    after = graph_share.adjust_weight(before, vector_confidence=nearest)
    is_walked = (
        graph_share.has_room(understanding, len(hits))
        and max(before, after) >= graph_share.SKIP_BELOW
    )
    use = GraphUse(
        weight=after,
        asked=is_walked,
        weight_before=before,
        vector_confidence=nearest,
        after_all=is_walked and before < graph_share.SKIP_BELOW,
    )
    expansion = _Expansion(understanding.question, hits, only, context, graph)
    if is_walked:
        hints = understanding.classification.entities
        return await asyncio.to_thread(expansion.walk, use, hints)
    return await asyncio.to_thread(expansion.follow_references, use)


@dataclass(frozen=True)
class _Expansion:
    """The passages that a search found, and how the graph adds to them."""

    question: str
    hits: Sequence[Hit]
    only: SearchFilter
    context: Context
    graph: KnowledgeGraph

    def follow_references(self, use: GraphUse) -> Expanded:
        """Replace the last hits by the nearest passages that the best ones refer to."""
        if (limit := graph_share.max_referenced_passages(len(self.hits))) == 0:
            return self.hits, use
        ids = [hit.chunk_id for hit in self.hits]
        paths = {
            name: (neighbour.step,)
            for neighbour in self.graph.reference_neighbours(
                ids[:REFERENCE_SOURCES], self.context.scope
            )
            for name in neighbour.chunk_ids
            if set(ids).isdisjoint(neighbour.chunk_ids)
        }
        near = self._relevances(keep_allowed(paths, self.only, self.context))
        nearest = sorted(near, key=lambda name: (-near[name], name))[:MAX_READ]
        chunks = self.context.passages.get(nearest)
        order = graph_share.append_referenced(
            ids, {n: near[n] for n in chunks}, self._sections(chunks), limit=limit
        )
        return self._arrange(order, chunks, near, near, paths, use)

    def walk(self, use: GraphUse, hints: Sequence[str]) -> Expanded:
        """Add what a walk from question and best hits leads to, by the weights of both."""
        result = self.graph.search(
            self.question,
            self.context.scope,
            k=PER_HIT * len(self.hits),
            hints=hints,
            seeds=[(hit.chunk_id, hit.relevance) for hit in self.hits[:WALK_SEEDS]],
        )
        weight = graph_share.adjust_weight(
            use.weight_before,
            vector_confidence=use.vector_confidence,
            graph_confidence=result.confidence,
        )
        ids = [hit.chunk_id for hit in self.hits]
        scores = {passage.chunk_id: passage.score for passage in result.passages}
        others = (name for name in scores if name not in ids)
        chunks = self.context.passages.get(keep_allowed(others, self.only, self.context))
        order = graph_share.merge_graph(
            ids,
            [name for name in scores if name in ids or name in chunks],
            self._sections(chunks),
            limit=graph_share.max_graph_passages(weight, len(self.hits)),
            weight=weight,
        )
        near = self._relevances([name for name in order if name not in ids])
        names = tuple(linked.node.name for linked in result.entities)
        changes = {"weight": weight, "confidence": result.confidence, "entities": names}
        paths = {passage.chunk_id: passage.path for passage in result.passages}
        return self._arrange(order, chunks, scores, near, paths, use.model_copy(update=changes))

    def _arrange(
        self,
        order: Sequence[str],
        chunks: Mapping[str, Passage],
        scores: Mapping[str, float],
        near: Mapping[str, float],
        paths: Mapping[str, tuple[Step, ...]],
        use: GraphUse,
    ) -> Expanded:
        """Return old and new passages in their order, with the paths to the new ones."""
        hits = {hit.chunk_id: hit for hit in self.hits}
        new = [name for name in order if name not in hits]
        hits |= {
            name: Hit(**dict(chunks[name]), score=scores[name], relevance=near[name], explain={})
            for name in new
        }
        paths_to_new = tuple(
            GraphPath(
                chunk_id=name,
                path=as_text(paths[name]),
                steps=paths[name],
                document=chunks[name].document,
                section=chunks[name].section,
            )
            for name in new
        )
        return [hits[name] for name in order], use.model_copy(update={"ways": paths_to_new})

    def _relevances(self, ids: Sequence[str]) -> dict[str, float]:
        return self.context.retriever.relevances(self.question, ids, scope=self.context.scope)

    def _sections(self, chunks: Mapping[str, Passage]) -> dict[str, str]:
        passages = (*self.hits, *chunks.values())
        return {p.chunk_id: f"{p.document_id} {p.section or p.chunk_id}" for p in passages}


def keep_allowed(chunk_ids: Iterable[str], only: SearchFilter, context: Context) -> list[str]:
    """Return the passages that pass the filter of a search."""
    ids = list(chunk_ids)
    if only.neutral:
        return ids
    allowed = context.catalog.filters.among(ids, only, scope=context.scope)
    return [name for name in ids if name in allowed]
