"""The nine tools: what they work with, what they do, which there are, how one is called safely."""

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from agent.ask.react.protocol import TOOLS, UNKNOWN, gathered_text, shorten
from agent.ask.react.values import Searched, ToolCall, ToolResult
from agent.ask.retrieve import entries_of, search
from agent.ask.scan import facts
from agent.ask.state import AskState
from agent.context import Context
from agent.graph_paths import as_text
from agent.passages import evidence_of
from agent.prompts import say
from agent.prompts.ask import NotesInput, SynthesizeNotes
from agent.reading.gather import fuse_rankings
from agent.reading.reader import DEPTHS
from agent.reading.verify import Question, verify_sentence
from agent.sentences import RankedSentence, closest_excerpts, rank_passages
from agent.sources import header, origin
from agent.step import Step
from services.domain import Evidence, Language, Passage, SearchFilter, SearchResult
from services.domain.errors import NotFound, RabbitholeError
from services.evidence.ranking import certainty
from services.graph.search import KnowledgeGraph
from services.graph.values import EntityCard
from services.retrieval.context import blocks
from services.retrieval.named import question_filter
from services.retrieval.retriever import EVERYWHERE
from services.retrieval.scan.facts import corpus_facts

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
MAX_QUOTE: Final = 240
MAX_NEIGHBOURS: Final = 8
MAX_COMPARED: Final = 4
MAX_DEFINITION: Final = 300
RETRIEVAL_TIMEOUT_S: Final = 30.0
_BETWEEN: Final = re.compile(
    r"\s*[;,|/]\s*|\s+(?:und|and|vs\.?|versus|oder|or|et|y)\s+", re.IGNORECASE
)
logger = logging.getLogger(__name__)


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
    """Return the three best passages to read, and five to cite."""
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
    return SearchRanking(result, ranked)


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
    """Return the closest quotes and, if a model reads, the words that no document says."""
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


Tool = Callable[[str, Toolkit], Awaitable[ToolResult]]
"""Given its main argument."""
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
    graph, scope = context.graph, context.scope
    has_graph = graph is not None and graph.has_graph(scope) and graph.ready(scope)
    return tuple(name for name, form in TOOLS.items() if has_graph or not form.of_graph)


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
