"""``retrieve_vector``: passages for a query, by the search that people use."""

import asyncio
from collections.abc import Hashable
from typing import Final

from agent.ask.graph_passages import WithGraph
from agent.ask.models import Found
from agent.ask.react.leads import leads_of
from agent.ask.react.memory import clipped
from agent.ask.react.snippets import snippet
from agent.ask.react.tooling import Kit
from agent.ask.react.values import Searched, ToolResult
from agent.ask.retrieve import evidence, summary
from agent.passages import origin
from agent.prompts import react_words as words
from services.types import Hit, SearchRequest, SearchResult

TEXTS_GATHERED: Final = 3
PASSAGES_KEPT: Final = 5
"""Passages of a search that count as evidence."""

GATHERED: Final = 1_000
LONGEST_QUERY: Final = 300


async def retrieve_vector(arguments: dict[str, str], kit: Kit) -> ToolResult:
    """The three best passages to read, five to cite; nothing where none is near the query."""
    query = arguments.get("query", "")[:LONGEST_QUERY]
    if not query:
        return ToolResult(observation=words.missing(kit.language, "query"), ok=False)
    result, known = await search(query, kit)
    if not known.results:
        return ToolResult(observation=words.no_passages(kit.language, query), found=False)
    hits = result.hits[:TEXTS_GATHERED]
    wanted = kit.question if known.named else query
    lines = [f"{origin_of(hit, kit)}: {snippet(hit.text, wanted, kit.language)}" for hit in hits]
    return ToolResult(
        observation="\n".join(lines),
        entries=tuple(evidence(hit, n) for n, hit in enumerate(result.hits[:PASSAGES_KEPT], 1)),
        texts=tuple(f"{origin_of(hit, kit)}: {clipped(hit.text, GATHERED)}" for hit in hits),
        searched=(searched(query, known),),
        leads=await asyncio.to_thread(leads_of, hits, wanted, kit),
    )


async def search(query: str, kit: Kit) -> tuple[SearchResult, Found]:
    """Searches as the other routes do; the same within half an hour is not searched again."""
    context, options = kit.context, kit.state["options"]
    key: tuple[Hashable, ...] = (
        "retrieve_vector",
        query.casefold(),
        context.scope,
        context.versions(),
        options.k,
        options.profile,
        kit.only,
    )
    kept: tuple[SearchResult, Found] | None = context.tool_cache.get(key)
    if kept is not None:
        return kept
    result = await context.find(
        SearchRequest(
            query=query,
            collections=context.collections,
            k=options.k,
            profile=options.profile,
            only=kit.only,
        )
    )
    for warning in result.warnings:
        kit.step.warn(warning)
    found = _summary(query, result, kit)
    if not result.warnings:
        context.tool_cache.put(key, (result, found))
    return result, found


def _summary(query: str, result: SearchResult, kit: Kit) -> Found:
    entries = [evidence(hit, n) for n, hit in enumerate(result.hits, 1)]
    return summary((query,), WithGraph(hits=result.hits), entries, [result], kit.context)


def searched(query: str, found: Found) -> Searched:
    fields = {"results", "relevance", "coverage", "named"}
    return Searched(query=query, **found.model_dump(include=fields))


def origin_of(hit: Hit, kit: Kit) -> str:
    """``StrlSchG § 78``, the name under which a passage is cited."""
    return origin(evidence(hit, 1), kit.context)
