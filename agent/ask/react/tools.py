"""The nine tools by name: which of them there are, what they do, how one is called safely."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from typing import Final

from agent.ask.graph_passages import usable_graph
from agent.ask.react.protocol import TOOLS, UNKNOWN, gathered_text, shorten
from agent.ask.react.search import (
    MAX_QUERY,
    PASSAGES_KEPT,
    TEXTS_GATHERED,
    SearchRanking,
    Toolkit,
    gathered_texts,
    retrieve_vector,
    search_and_rank,
    snippet,
)
from agent.ask.react.values import ToolCall, ToolResult
from agent.ask.scan import facts
from agent.context import Context
from agent.graph_paths import as_text
from agent.passages import evidence_of
from agent.prompts import say
from agent.prompts.ask import NotesInput, SynthesizeNotes
from agent.reading.reader import DEPTHS
from agent.reading.verify import Question, verify_sentence
from agent.sentences import closest_excerpts, rank_passages
from agent.sources import origin
from services.domain.errors import NotFound, RabbitholeError
from services.graph.values import EntityCard
from services.retrieval.context import blocks
from services.retrieval.scan.facts import corpus_facts

MAX_NEIGHBOURS: Final = 8
MAX_COMPARED: Final = 4
MAX_DEFINITION: Final = 300
_BETWEEN: Final = re.compile(
    r"\s*[;,|/]\s*|\s+(?:und|and|vs\.?|versus|oder|or|et|y)\s+", re.IGNORECASE
)

MAX_QUOTE = 240
RETRIEVAL_TIMEOUT_S: Final = 30.0
logger = logging.getLogger(__name__)
Tool = Callable[[str, Toolkit], Awaitable[ToolResult]]
"""Given its main argument."""


async def retrieve_graph(query: str, toolkit: Toolkit) -> ToolResult:
    """Return passages that the graph leads to, each with the path to it."""
    result = await asyncio.to_thread(
        toolkit.graph.search, query, toolkit.context.scope, k=PASSAGES_KEPT
    )
    ids = [passage.chunk_id for passage in result.passages]
    chunks = await asyncio.to_thread(toolkit.context.passages.get, ids)
    pairs = [(hit, chunks[hit.chunk_id]) for hit in result.passages if hit.chunk_id in chunks]
    if not pairs:
        return toolkit.failure("no_relations", query)
    near = pairs[:TEXTS_GATHERED]
    scored = [(hit.score, chunk) for hit, chunk in near]
    ranked = await asyncio.to_thread(
        rank_passages, query, scored, toolkit.language, toolkit.context, None
    )
    return ToolResult(
        observation=blocks(
            (f"{toolkit.header(chunk)} ({as_text(hit.path)})", snippet(ranked, chunk, toolkit))
            for hit, chunk in near
        ),
        entries=tuple(
            evidence_of(
                chunk,
                score=hit.score,
                rank=ids.index(chunk.chunk_id) + 1,
                source_type="reference",
                depth=len(hit.path),
            )
            for hit, chunk in pairs
        ),
        texts=gathered_texts([chunk for _, chunk in near], toolkit),
    )


async def lookup_entity(name: str, toolkit: Toolkit) -> ToolResult:
    """Return what an entity is and what it is connected to, with passages about it."""
    card = await asyncio.to_thread(toolkit.graph.card, name, toolkit.context.scope)
    if card is None:
        return toolkit.failure("no_entity", name)
    text, result = card_text(card), await retrieve_vector(card.node.name, toolkit)
    return ToolResult(observation=text, entries=result.entries, texts=(text,))


async def compare_entities(entities: str, toolkit: Toolkit) -> ToolResult:
    """Compare two to four entities: what they are and how they are connected."""
    names = list(dict.fromkeys(filter(None, _BETWEEN.split(entities))))[:MAX_COMPARED]
    if len(names) < 2:
        return toolkit.failure("too_few")
    lines, named = await asyncio.to_thread(_side_by_side, names, toolkit)
    searches = [await retrieve_vector(name, toolkit) for name in names]
    return ToolResult(
        observation="\n".join(lines),
        found=bool(named),
        entries=tuple(entry for search in searches for entry in search.entries),
        texts=("\n".join(lines),) if named else (),
    )


def _side_by_side(names: Sequence[str], toolkit: Toolkit) -> tuple[list[str], list[str]]:
    """Return a line for each name and one for each path, and the names that the graph knows."""
    graph, scope = toolkit.graph, toolkit.context.scope
    cards = {name: graph.card(name, scope) for name in names}
    lines = [
        card_text(card) if card else say(toolkit.language, "no_entity", name)
        for name, card in cards.items()
    ]
    named = [card.node.name for card in cards.values() if card]
    for first, second in pairwise(named):
        try:
            lines += [as_text(path) for path in graph.paths(first, second, scope, limit=1)]
        except NotFound:  # merged away between the two calls
            continue
    return lines, named


def card_text(card: EntityCard) -> str:
    """Return what is known of an entity, in one line."""
    facts = [f"{card.node.name} ({card.node.kind})"]
    if card.aliases:
        facts.append(f"= {', '.join(card.aliases)}")
    if card.definition:
        facts.append(shorten(card.definition, MAX_DEFINITION))
    facts += [as_text((step,)) for step in card.neighbours[:MAX_NEIGHBOURS]]
    return "; ".join(facts)


async def synthesize(focus: str, toolkit: Toolkit) -> ToolResult:
    """Sum up what was gathered in one text: a note for later steps, never evidence."""
    run = toolkit.state["agent"]
    if run is None or not run.gathered:
        return toolkit.failure("nothing_gathered")
    if not toolkit.budget.take():
        return toolkit.failure("no_calls_left")
    inp = NotesInput(
        question=toolkit.question,
        focus=focus,
        language=toolkit.language,
        gathered=gathered_text(run.gathered, reads=toolkit.reads),
    )
    note = await toolkit.step.run(SynthesizeNotes(toolkit.context.agent_temperature), inp)
    if not note:
        return toolkit.failure("no_note")
    return ToolResult(observation=note, texts=(say(toolkit.language, "note", note),))


async def verify_claim(claim: str, toolkit: Toolkit) -> ToolResult:
    """Return which words of a statement the documents do not say, and the closest quotes.

    A model that reads verifies the statement like the claims of an answer. Without one the quotes
    are all.
    """
    ranking = await search_and_rank(claim[:MAX_QUERY], toolkit)
    quotes = await asyncio.to_thread(_closest_quotes, ranking, toolkit)
    if not (ranking.result.hits if toolkit.reads else ranking.near and quotes):
        return toolkit.failure("no_passages", claim)
    verdict = [await _verdict(claim, ranking, toolkit)] if toolkit.reads else []
    return ToolResult(
        observation="\n".join(filter(None, (*verdict, *quotes))), entries=tuple(ranking.evidence)
    )


async def _verdict(claim: str, ranking: SearchRanking, toolkit: Toolkit) -> str:
    """Say whether the sections that were found support a statement, "" if that cannot be told."""
    if not toolkit.budget.take():
        return say(toolkit.language, "no_calls_left")
    question = Question(toolkit.question, toolkit.language)
    room = DEPTHS["fast"].room
    checked = await verify_sentence(claim, ranking.result.hits, room, question, toolkit.step)
    if checked.fault == "unread":
        return ""
    if checked.fault:
        return say(toolkit.language, "unsaid", checked.words)
    return say(toolkit.language, "holds")


def _closest_quotes(ranking: SearchRanking, toolkit: Toolkit) -> list[str]:
    """Return the quotes that come closest to a query, each with its source."""
    return [
        say(
            toolkit.language,
            "closest_quote",
            f"{origin(excerpt, toolkit.context)}: {shorten(excerpt.full_quote, MAX_QUOTE)}",
        )
        for excerpt in closest_excerpts(ranking.ranked, toolkit.context)
    ]


async def database_stats(_: str, toolkit: Toolkit) -> ToolResult:
    """Return what the catalog knows: how many documents there are, which, how long."""
    catalog, scope = toolkit.context.catalog, toolkit.context.scope
    text = facts(
        toolkit.language, await asyncio.to_thread(corpus_facts, catalog, scope, toolkit.question)
    )
    return ToolResult(observation=text, texts=(text,), facts=text)


_TOOLS: Final[dict[str, Tool]] = {
    "retrieve_vector": retrieve_vector,
    "retrieve_graph": retrieve_graph,
    "lookup_entity": lookup_entity,
    "compare_entities": compare_entities,
    "synthesize": synthesize,
    "verify_claim": verify_claim,
    "database_stats": database_stats,
}
"""The tools that are carried out; ``ask_clarification`` and ``final_answer`` halt the loop."""


def offered_tools(context: Context) -> tuple[str, ...]:
    """Return the names of the tools for a model, those of the graph only where there is one."""
    graph, _ = usable_graph(context)
    return tuple(name for name, form in TOOLS.items() if graph or not form.of_graph)


async def call_tool(call: ToolCall, toolkit: Toolkit) -> ToolResult:
    """Carry out one call; whatever goes wrong is an observation, and the loop goes on."""
    tool, form = _TOOLS.get(call.tool), TOOLS.get(call.tool, UNKNOWN)
    if tool is None:
        names = ", ".join(await asyncio.to_thread(offered_tools, toolkit.context))
        return ToolResult(observation=say(toolkit.language, "unknown_tool", call.tool, names))
    if form.of_graph and toolkit.context.graph is None:
        return toolkit.failure("no_graph")
    argument = call.arguments.get(form.argument, "")
    if form.needed and not argument:
        return toolkit.failure("missing", form.argument)
    # A model call has a deadline of its own.
    limit = None if tool in (synthesize, verify_claim) else RETRIEVAL_TIMEOUT_S
    try:
        return await asyncio.wait_for(tool(argument, toolkit), limit)
    except TimeoutError:
        return toolkit.failure("too_slow", call.tool, RETRIEVAL_TIMEOUT_S)
    except RabbitholeError as problem:
        return toolkit.failure("failed", call.tool, str(problem))
    except Exception as problem:
        logger.exception("tool %s failed", call.tool)
        return toolkit.failure("failed", call.tool, type(problem).__name__)


def is_dead_end(call: ToolCall, result: ToolResult) -> bool:
    """Say whether a search failed or found nothing, so that another is to be tried."""
    return TOOLS.get(call.tool, UNKNOWN).search and not result.found
