"""Findings of a task: claims that a model read and proved, or the quotes that come closest."""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Final

from agent.ask.graph_passages import with_graph
from agent.ask.quotes import quote_rare_words
from agent.context import Context
from agent.models import (
    PreservedQuote,
    ReferenceRecord,
    SearchMade,
    TaskFinding,
    TaskReading,
    ToDoItem,
)
from agent.passages import evidence_of
from agent.reading.gather import fuse_rankings
from agent.reading.reader import Reading
from agent.reading.sentences import cite, read_spans, replaced_claim, replacements, whole_units
from agent.reading.values import Provenance, Quote, SectionExcerpt
from agent.research.tiers import TIER_WEIGHT, tier_by_relevance, tier_of
from agent.sentences import closest_excerpts, rank_passages
from services.domain import (
    Citation,
    Evidence,
    Hit,
    Language,
    Passage,
    PassageSpan,
    SearchFilter,
    SourceType,
    Standing,
)
from services.domain.notices import Notice
from services.evidence.ranking import certainty
from services.language.query.understand import understand
from services.retrieval.named import named_documents
from services.retrieval.retriever import EVERYWHERE

RARE: Final = 10
"""A word is rare if no more passages have it."""
NO_SUCH_SECTION: Final = Notice.of("no such section in your documents")
READ_HITS: Final = 20
"""Passages of each search."""


class TaskSearches:
    """The searches of one task: everywhere, and once more in the documents that it names;
    ``clarified`` are the passages that clarification found."""

    def __init__(
        self, task: ToDoItem, language: Language, clarified: Sequence[str], context: Context
    ) -> None:
        self._task, self._clarified, self._context = task, frozenset(clarified), context
        self.understanding = understand(task.task, language=language)
        named = named_documents(task.task, scope=context.scope, catalog=context.catalog)
        self.documents = named.documents
        self._filter = SearchFilter(documents=named.documents)
        self._results: dict[str, Sequence[Hit]] = {}
        self._rounds: dict[str, int] = {}
        self.round = 1
        self._graph_paths: dict[str, str] = {}

    async def __call__(self, query: str) -> Sequence[Hit]:
        """Return the hits of a query, best first; for the task itself also those of the graph."""
        context = self._context
        self._results[query] = ()  # in the order in which they began, whichever ends first
        self._rounds.setdefault(query, self.round)
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

    def evidence(self, passage: Passage, excerpt: SectionExcerpt) -> Evidence:
        """Return a passage that was read in a section as evidence, with the path that led to it."""
        provenance: Provenance = excerpt.way
        is_hit = passage.chunk_id in self.hits
        source: SourceType = "vector_search"
        hops, path = provenance.depth, provenance.source if provenance.depth else ""
        if passage.chunk_id in self._graph_paths:
            source, hops, path = "graph", 1, self._graph_paths[passage.chunk_id]
        elif not is_hit:
            if provenance.how in ("reference", "named by", "change"):
                source, hops = "reference", max(1, provenance.depth)
            elif passage.chunk_id in self._clarified:
                source = "hitl"
        is_neighbour = provenance.how == "beside" and not is_hit
        return evidence_of(
            passage,
            tier=tier_of(source, hops, is_neighbour=is_neighbour),
            score=0.0,
            rank=1,
            source_type=source,
            depth=hops,
            way=path,
            query=self._task.task,
            task_id=self._task.id,
        )


def searches_made(
    results: Mapping[str, Sequence[Hit]], earlier: Collection[str] = ()
) -> list[SearchMade]:
    """Return searches in order, each with the passages that none before it had found."""
    made: list[SearchMade] = []
    before = set(earlier)
    for query, hits in results.items():
        new = tuple(dict.fromkeys(hit.chunk_id for hit in hits if hit.chunk_id not in before))
        before.update(new)
        made.append(SearchMade(query=query, hits=len(hits), new=len(new), chunk_ids=new))
    return made


def findings_of_reading(
    reading: Reading, task: ToDoItem, searches: TaskSearches, context: Context
) -> tuple[list[TaskFinding], list[Evidence]]:
    """Return proven claims, and quotes of others, as findings, and the passages they rest on."""
    findings: list[TaskFinding] = []
    evidence: dict[str, Evidence] = {}
    for text, standing, quotes in _statements(reading, context):
        citations = [cite(quote, reading.sections, context) for quote in quotes]
        passages = {
            passage.chunk_id: searches.evidence(passage, reading.sections[quote.section])
            for quote in quotes
            for passage in context.passages.between(quote.document_id, quote.start, quote.end)
        }
        for chunk_id, entry in passages.items():
            evidence.setdefault(chunk_id, entry)
        entries = list(passages.values())
        findings.append(_finding(text, standing, citations, entries, task, len(findings)))
    return _with_scores(findings, evidence, task, context)


def _statements(
    reading: Reading, context: Context
) -> Iterator[tuple[str, Standing, Sequence[Quote]]]:
    """Yield the proven claims, and the sentences that the others quote, each once."""
    cited = {quote for claim in reading.proof for quote in claim.quotes}
    for claim in reading.claims:
        if not claim.fault:
            yield claim.text, "follows", claim.quotes
            continue
        for quote in claim.quotes:
            for unit in whole_units(quote, reading.sections, context):
                if quote not in cited and unit not in cited:
                    cited.add(unit)
                    yield unit.text, "quote", [unit]


def findings_of_quotes(
    task: ToDoItem, searches: TaskSearches, min_relevance: float, context: Context
) -> tuple[list[TaskFinding], list[Evidence]]:
    """Return the quotes that come closest to a task, and the passages; ``min_relevance`` is 0-1."""
    by_id = searches.hits
    hits = [hit for hit in by_id.values() if hit.relevance >= min_relevance]
    language = searches.understanding.language
    ranked = rank_passages(task.task, ((hit.relevance, hit) for hit in hits), language, context)
    quotes = []
    if certainty([score for score, _ in ranked[:1]]) != "refused":
        quotes = closest_excerpts(ranked, context)
    rare = quote_rare_words(task.task, quotes, searches.understanding, RARE, context)
    near = {hit.chunk_id: hit.relevance for hit in hits}
    findings: list[TaskFinding] = []
    evidence: dict[str, Evidence] = {}
    for quote in [*quotes, *rare[:1]]:
        for passage in context.passages.get([quote.chunk_id]).values():
            relevance = near.get(quote.chunk_id, 0.0)
            entry = evidence_of(
                passage,
                tier=tier_by_relevance(relevance),
                score=relevance,
                rank=1,
                query=task.task,
                task_id=task.id,
            )
            if entry.score < min_relevance:
                continue
            evidence.setdefault(entry.chunk_id, entry)
            findings.append(
                _finding(quote.quote, "quote", [quote.bare()], [entry], task, len(findings))
            )
    return findings, list(evidence.values())


def findings_of_older_thread(quotes: Iterable[PreservedQuote]) -> list[TaskFinding]:
    """Return the quotes that an older version extracted as findings; they claim nothing."""
    findings: list[TaskFinding] = []
    for quote in quotes:
        shared = set(Citation.model_fields) & set(PreservedQuote.model_fields)
        citation = Citation(**{name: getattr(quote, name) for name in shared}, verified=True)
        count = sum(finding.task_id == quote.task_id for finding in findings)
        findings.append(
            TaskFinding(
                id=f"{quote.task_id}.{count + 1}",
                task_id=quote.task_id,
                text=quote.quote,
                standing="quote",
                citations=(citation,),
                chunk_ids=(quote.chunk_id,),
                tier=2,
                weight=TIER_WEIGHT[2],
                score=quote.score,
            )
        )
    return findings


def _finding(
    text: str,
    standing: Standing,
    citations: Sequence[Citation],
    evidence: Sequence[Evidence],
    task: ToDoItem,
    earlier: int,
) -> TaskFinding:
    tier = min((entry.tier for entry in evidence), default=3)
    return TaskFinding(
        id=f"{task.id}.{earlier + 1}",
        task_id=task.id,
        text=text,
        standing=standing,
        citations=tuple(citations),
        chunk_ids=tuple(entry.chunk_id for entry in evidence),
        tier=tier,
        weight=TIER_WEIGHT[tier],
        score=max((entry.score for entry in evidence), default=0.0),
    )


def _with_scores(
    findings: Sequence[TaskFinding], evidence: dict[str, Evidence], task: ToDoItem, context: Context
) -> tuple[list[TaskFinding], list[Evidence]]:
    near = context.retriever.relevances(task.task, list(evidence), scope=context.scope)
    best = sorted(evidence, key=lambda chunk_id: -near[chunk_id])
    entries = [
        evidence[chunk_id].model_copy(update={"score": round(near[chunk_id], 4), "rank": rank})
        for rank, chunk_id in enumerate(best, start=1)
    ]
    scores = [max((near[n] for n in finding.chunk_ids), default=0.0) for finding in findings]
    return [
        finding.model_copy(update={"score": round(score, 4)})
        for finding, score in zip(findings, scores, strict=True)
    ], entries


def task_reading(
    reading: Reading, task: ToDoItem, searches: TaskSearches, evidence: Iterable[Evidence]
) -> TaskReading:
    """Return what the state keeps of a reading: the sections that findings rest on, as spans."""
    named = (task.task, *reading.searches)
    return TaskReading(
        task_id=task.id,
        answered=reading.answered if reading.proof else "no",
        missing=reading.missing,
        rounds=reading.rounds,
        read=read_spans(reading.sections),
        sections=tuple(reading.sections[n].excerpt for n in _cited(reading)),
        replaced=replacements(reading.sections),
        searches=tuple(
            search.model_copy(update={"imagined": search.query not in named})
            for search in searches.made({entry.chunk_id for entry in evidence})
        ),
        left_out=tuple(replaced_claim(claim) for claim in reading.claims if claim.fault),
    )


def _cited(reading: Reading) -> list[int]:
    return sorted({section for claim in reading.claims for section in claim.sections})


def references_of(reading: Reading, task: ToDoItem) -> list[ReferenceRecord]:
    """Return the references of cited sections, if their target was read or does not exist."""
    read = {section.key for section in reading.sections}
    cited = {reading.sections[n].key for n in _cited(reading)}
    records = [
        ReferenceRecord(
            task_id=task.id,
            source=followed.source.place.split("\n")[0],
            text=followed.reference.text,
            type=followed.reference.type,
            target=followed.reference.target,
            found=followed.key is not None,
            resolved_to=followed.name if followed.key is not None else None,
            reason=None if followed.key is not None else followed.reason or NO_SUCH_SECTION,
            depth=followed.hops,
        )
        for followed in reading.followed
        if followed.source.key in cited and (followed.key is None or followed.key in read)
    ]
    return list(dict.fromkeys(records))


def quotes_in(findings: Iterable[TaskFinding]) -> list[PreservedQuote]:
    """Return the verbatim quotes that findings rest on, numbered within their task."""
    quotes: list[PreservedQuote] = []
    for finding in findings:
        for citation in finding.citations:
            span = {name: getattr(citation, name, "") for name in PassageSpan.model_fields}
            span["chunk_id"] = finding.chunk_ids[0] if finding.chunk_ids else ""
            count = sum(quote.task_id == finding.task_id for quote in quotes)
            quotes.append(
                PreservedQuote(
                    **span,
                    quote=citation.quote,
                    relevance_reason=finding.text,
                    task_id=finding.task_id,
                    rank=count + 1,
                    score=finding.score,
                    case=citation.case,
                )
            )
    return quotes
