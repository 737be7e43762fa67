"""Passages that the knowledge graph leads to, beside those that the search found.

The search goes first, since its best passages are where the graph's walk begins too; the walk takes
some milliseconds. Where no walk is asked for, one step of references is followed either way: who
asks for one thing often needs a second section all the same, which says what the first means by
it, and whose words the question lacks. Without a graph nothing here runs.
"""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from agent.ask.models import GraphPath, GraphUse
from agent.context import Context
from agent.graph_paths import as_text
from services.domain import Hit, Passage
from services.domain.notices import Notice
from services.domain.value import Value
from services.graph.search import KnowledgeGraph
from services.graph.values import GraphResult, Step
from services.language.query.values import Understanding
from services.retrieval.graph_share import (
    RetrieverWeights,
    adjusted,
    followed,
    graph_weights,
    joined,
    joins,
    most_of_graph,
    most_of_ties,
)

FROM: Final = 3
"""Best passages whose references are followed."""
LOOKED_AT: Final = 20
"""Nearest passages that are read, to tell their sections apart."""

SEEDS: Final = 5
"""Best passages of the search that the walk begins at."""

DEPTH: Final = 2
"""Passages that the graph is asked for, for each that is wanted."""

GRAPH_LOADING: Final = Notice.of(
    "The knowledge graph is large and is being loaded; this answer was found without "
    "it. Ask again in a minute."
)


def followed_ties(
    known: Understanding, hits: Sequence[Hit], context: Context, graph: KnowledgeGraph
) -> tuple[list[Hit], list[GraphPath]]:
    """The passages found, the last of them replaced by tied ones, and the ways to these."""
    if (most := most_of_ties(len(hits))) == 0:
        return list(hits), []
    found = {hit.chunk_id: hit for hit in hits}
    way_to = {
        name: tied.step
        for tied in graph.reference_neighbours([hit.chunk_id for hit in hits[:FROM]], context.scope)
        for name in tied.chunk_ids
        if found.keys().isdisjoint(tied.chunk_ids)
    }
    near = context.retriever.relevances(known.question, list(way_to), scope=context.scope)
    nearest = sorted(near, key=lambda name: (-near[name], name))[:LOOKED_AT]
    chunks = context.passages.get(nearest)
    sections = _sections([*hits, *chunks.values()])
    order = followed(list(found), {each: near[each] for each in chunks}, sections, most=most)
    new = [_hit(chunks[name], near[name], near[name]) for name in order if name not in found]
    ways = [_way(hit, (way_to[hit.chunk_id],)) for hit in new]
    return [*(found[name] for name in order if name in found), *new], ways


class WithGraph(Value):
    """What was found with the graph: the passages, which of them it brought, and what it did."""

    hits: tuple[Hit, ...]
    led_to: frozenset[str] = frozenset()
    use: GraphUse | None = None


async def with_graph(known: Understanding, hits: Sequence[Hit], context: Context) -> WithGraph:
    """The passages found, some of them replaced by what the graph leads to, in a new order."""
    if context.graph is None or not hits:
        return WithGraph(hits=tuple(hits))
    return await asyncio.to_thread(_with_graph, known, hits, context, context.graph)


def _with_graph(
    known: Understanding, hits: Sequence[Hit], context: Context, graph: KnowledgeGraph
) -> WithGraph:
    classified, parts = known.classification, len(known.subquestions)
    if not graph.ready(context.scope):
        use = GraphUse(weight=0.0, asked=False, loading=True)
        return WithGraph(hits=tuple(hits), use=use)
    if not joins(classified.type, parts):
        followed, ways = followed_ties(known, hits, context, graph)
        return WithGraph(
            hits=tuple(followed),
            led_to=frozenset(way.chunk_id for way in ways),
            use=GraphUse(weight=0.0, asked=False, ways=tuple(ways)),
        )
    result = graph.search(
        known.question,
        context.scope,
        k=DEPTH * len(hits),
        hints=classified.entities,
        seeds=[(hit.chunk_id, hit.relevance) for hit in hits[:SEEDS]],
    )
    before = graph_weights(classified.type, has_entities=bool(result.entities), parts=parts)
    weights = adjusted(
        before,
        vector_confidence=max(hit.relevance for hit in hits),
        graph_confidence=result.confidence,
    )
    return _joined(known, hits, result, weights, context)


def _joined(
    known: Understanding,
    hits: Sequence[Hit],
    result: GraphResult,
    weights: RetrieverWeights,
    context: Context,
) -> WithGraph:
    found = {hit.chunk_id: hit for hit in hits}
    beyond = [each.chunk_id for each in result.passages if each.chunk_id not in found]
    chunks = context.passages.get(beyond)
    order = joined(
        list(found),
        [each.chunk_id for each in result.passages if each.chunk_id in {**found, **chunks}],
        _sections([*hits, *chunks.values()]),
        most=most_of_graph(weights, len(hits)),
        weights=weights,
    )
    new = [each for each in order if each not in found]
    near = context.retriever.relevances(known.question, new, scope=context.scope)
    ways = {each.chunk_id: each for each in result.passages}
    brought = {each: _hit(chunks[each], ways[each].score, near[each]) for each in new}
    return WithGraph(
        hits=tuple((found | brought)[each] for each in order),
        led_to=frozenset(brought),
        use=GraphUse(
            weight=weights.graph,
            asked=True,
            confidence=result.confidence,
            entities=tuple(each.node.name for each in result.entities),
            ways=tuple(_way(hit, ways[name].path) for name, hit in brought.items()),
        ),
    )


def _sections(chunks: Iterable[Passage]) -> dict[str, str]:
    """The section of each chunk by its id."""
    return {each.chunk_id: f"{each.document_id} {each.section or each.chunk_id}" for each in chunks}


def _hit(chunk: Passage, score: float, relevance: float) -> Hit:
    """A passage of the graph as the search would have found it."""
    return Hit(**dict(chunk), score=score, relevance=relevance, explain={})


def _way(hit: Hit, path: tuple[Step, ...]) -> GraphPath:
    return GraphPath(
        chunk_id=hit.chunk_id,
        document=hit.document,
        section=hit.section,
        path=as_text(path),
        steps=path,
    )
