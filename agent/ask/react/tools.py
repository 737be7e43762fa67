"""The nine tools by name: which of them there are, what they do, how one is called safely."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Sequence
from itertools import pairwise
from typing import Final

from agent.ask.graph_passages import usable_graph
from agent.ask.react.memory import clipped, gathered_text
from agent.ask.react.protocol import TOOLS, UNKNOWN
from agent.ask.react.search import (
    LONGEST_QUERY,
    PASSAGES_KEPT,
    TEXTS_GATHERED,
    Kit,
    Look,
    gathered,
    retrieve_vector,
    search,
    snippet,
)
from agent.ask.react.values import ToolCall, ToolResult
from agent.context import Context
from agent.graph_paths import as_text
from agent.passages import evidence_of
from agent.prompts import say
from agent.prompts import scan as scan_words
from agent.prompts.react import NotesInput, SynthesizeNotes
from agent.ranking import cards, ranked_within
from agent.reading.reader import DEPTHS
from agent.reading.verify import Question, verified_alone
from agent.sources import origin
from services.domain.errors import NotFound, RabbitholeError
from services.graph.values import EntityCard
from services.retrieval.context import blocks
from services.retrieval.scan.facts import corpus_facts

NEIGHBOURS_SHOWN: Final = 8
ENTITIES_COMPARED: Final = 4
DEFINITION: Final = 300
_BETWEEN: Final = re.compile(
    r"\s*[;,|/]\s*|\s+(?:und|and|vs\.?|versus|oder|or|et|y)\s+", re.IGNORECASE
)

SHOWN_QUOTE = 240
RETRIEVAL_WITHIN_S: Final = 30.0
logger = logging.getLogger(__name__)
Tool = Callable[[str, Kit], Awaitable[ToolResult]]
"""Given its main argument."""


async def retrieve_graph(query: str, kit: Kit) -> ToolResult:
    """Passages that the graph leads to, each with the path that led there."""
    result = await asyncio.to_thread(kit.graph.search, query, kit.context.scope, k=PASSAGES_KEPT)
    ids = [passage.chunk_id for passage in result.passages]
    chunks = await asyncio.to_thread(kit.context.passages.get, ids)
    found = [(one, chunks[one.chunk_id]) for one in result.passages if one.chunk_id in chunks]
    if not found:
        return kit.nothing("no_relations", query)
    near = found[:TEXTS_GATHERED]
    scored = [(passage.score, chunk) for passage, chunk in near]
    given = [query], scored, kit.language, kit.context, None
    ranked = await asyncio.to_thread(ranked_within, *given)
    return ToolResult(
        observation=blocks(
            (f"{kit.place(chunk)} ({as_text(passage.path)})", snippet(ranked, chunk, kit))
            for passage, chunk in near
        ),
        entries=tuple(
            evidence_of(
                chunk,
                score=passage.score,
                rank=ids.index(chunk.chunk_id) + 1,
                source_type="reference",
                depth=len(passage.path),
            )
            for passage, chunk in found
        ),
        texts=gathered([chunk for _, chunk in near], kit),
    )


async def lookup_entity(name: str, kit: Kit) -> ToolResult:
    """What one thing is and what it is tied to, with passages that speak of it."""
    card = await asyncio.to_thread(kit.graph.card, name, kit.context.scope)
    if card is None:
        return kit.nothing("no_entity", name)
    text, found = card_text(card), await retrieve_vector(card.node.name, kit)
    return ToolResult(observation=text, entries=found.entries, texts=(text,))


async def compare_entities(entities: str, kit: Kit) -> ToolResult:
    """Two to four things side by side: what each is, what it is tied to, what ties them."""
    names = list(dict.fromkeys(filter(None, _BETWEEN.split(entities))))[:ENTITIES_COMPARED]
    if len(names) < 2:
        return kit.nothing("too_few")
    lines, named = await asyncio.to_thread(_side_by_side, names, kit)
    searches = [await retrieve_vector(name, kit) for name in names]
    return ToolResult(
        observation="\n".join(lines),
        found=bool(named),
        entries=tuple(entry for search in searches for entry in search.entries),
        texts=("\n".join(lines),) if named else (),
    )


def _side_by_side(names: Sequence[str], kit: Kit) -> tuple[list[str], list[str]]:
    """A line for each name and one for each path, and the names that the graph knows."""
    graph, scope = kit.graph, kit.context.scope
    cards = {name: graph.card(name, scope) for name in names}
    lines = [
        card_text(card) if card else say(kit.language, "no_entity", name)
        for name, card in cards.items()
    ]
    named = [card.node.name for card in cards.values() if card]
    for first, second in pairwise(named):
        try:
            lines += [as_text(path) for path in graph.paths(first, second, scope, limit=1)]
        except NotFound:  # merged away between the two looks
            continue
    return lines, named


def card_text(card: EntityCard) -> str:
    """What is known of a thing, in one line."""
    parts = [f"{card.node.name} ({card.node.kind})"]
    if card.aliases:
        parts.append(f"= {', '.join(card.aliases)}")
    if card.definition:
        parts.append(clipped(card.definition, DEFINITION))
    parts += [as_text((step,)) for step in card.neighbours[:NEIGHBOURS_SHOWN]]
    return "; ".join(parts)


async def synthesize(focus: str, kit: Kit) -> ToolResult:
    """One text of what was gathered; a note for later steps, never evidence."""
    run = kit.state["agent"]
    if run is None or not run.gathered:
        return kit.nothing("nothing_gathered")
    if not kit.budget.take():
        return kit.nothing("no_calls_left")
    inp = NotesInput(
        question=kit.question,
        focus=focus,
        language=kit.language,
        gathered=gathered_text(run.gathered, reads=kit.reads),
    )
    note = await kit.step.run(SynthesizeNotes(kit.context.agent_temperature), inp)
    if not note:
        return kit.nothing("no_note")
    return ToolResult(observation=note, texts=(say(kit.language, "note", note),))


async def verify_claim(claim: str, kit: Kit) -> ToolResult:
    """Which words of a statement the documents do not say, and the quotes that come closest.

    A model that reads verifies the statement like the claims of an answer. Without one nothing but
    the quotes is said of it.
    """
    look = await search(claim[:LONGEST_QUERY], kit)
    shown = await asyncio.to_thread(_closest, look, kit)
    if not (look.result.hits if kit.reads else look.near and shown):
        return kit.nothing("no_passages", claim)
    verdict = [await _verdict(claim, look, kit)] if kit.reads else []
    return ToolResult(
        observation="\n".join(filter(None, (*verdict, *shown))), entries=tuple(look.evidence)
    )


async def _verdict(claim: str, look: Look, kit: Kit) -> str:
    """Whether the sections of what was found say a statement, "" where nobody could verify it."""
    if not kit.budget.take():
        return say(kit.language, "no_calls_left")
    question = Question(kit.question, kit.language)
    most = DEPTHS["fast"].room
    found = await verified_alone(claim, look.result.hits, most, question, kit.step)
    if found.fault == "unread":
        return ""
    return say(kit.language, "unsaid", found.words) if found.fault else say(kit.language, "holds")


def _closest(look: Look, kit: Kit) -> list[str]:
    """The quotes that come closest to what was searched for, each with its place."""
    return [
        say(
            kit.language,
            "closest_quote",
            f"{origin(each, kit.context)}: {clipped(each.whole, SHOWN_QUOTE)}",
        )
        for each in cards(look.ranked, kit.context)
    ]


async def database_stats(_: str, kit: Kit) -> ToolResult:
    """How many documents there are, which, how long: what the catalog knows exactly."""
    catalog, scope = kit.context.catalog, kit.context.scope
    text = scan_words.facts(
        kit.language, await asyncio.to_thread(corpus_facts, catalog, scope, kit.question)
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
"""Those that are carried out; ``ask_clarification`` and ``final_answer`` end or halt the loop."""


def offered(context: Context) -> tuple[str, ...]:
    """Names of the tools that a model is told of: those of the graph only where there is one."""
    graph, _ = usable_graph(context)
    return tuple(name for name, form in TOOLS.items() if graph or not form.of_graph)


async def call_tool(call: ToolCall, kit: Kit) -> ToolResult:
    """Carries out one call; whatever goes wrong is an observation, and the loop goes on."""
    tool, form = _TOOLS.get(call.tool), TOOLS.get(call.tool, UNKNOWN)
    if tool is None:
        names = ", ".join(await asyncio.to_thread(offered, kit.context))
        return ToolResult(observation=say(kit.language, "unknown_tool", call.tool, names))
    if form.of_graph and kit.context.graph is None:
        return kit.nothing("no_graph")
    argument = call.arguments.get(form.argument, "")
    if form.needed and not argument:
        return kit.nothing("missing", form.argument)
    # A model call has a deadline of its own.
    limit = None if tool in (synthesize, verify_claim) else RETRIEVAL_WITHIN_S
    try:
        return await asyncio.wait_for(tool(argument, kit), limit)
    except TimeoutError:
        return kit.nothing("too_slow", call.tool, RETRIEVAL_WITHIN_S)
    except RabbitholeError as problem:
        return kit.nothing("failed", call.tool, str(problem))
    except Exception as problem:
        logger.exception("tool %s failed", call.tool)
        return kit.nothing("failed", call.tool, type(problem).__name__)


def is_dead_end(call: ToolCall, result: ToolResult) -> bool:
    """Whether another way is to be tried: a search that failed or found nothing."""
    return TOOLS.get(call.tool, UNKNOWN).search and not result.found
