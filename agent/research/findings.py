"""Findings of a task: claims that a model read and proved, or the quotes that come closest."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

from agent.ask.quotes import quote_rare_words
from agent.context import Context
from agent.models import (
    PreservedQuote,
    ReferenceRecord,
    TaskFinding,
    TaskReading,
    ToDoItem,
)
from agent.passages import evidence_of
from agent.ranking import closest_excerpts, rank_passages
from agent.reading.reader import Reading
from agent.reading.saying import citation, left_out, read_spans, replacements
from agent.reading.sections import Section
from agent.reading.values import Cut, Quote
from agent.research.look import TaskSearches
from agent.research.tiers import TIER_WEIGHT, classify
from services.domain import Citation, Evidence, Hit, Passage, PassageSpan, Standing
from services.domain.notices import Notice
from services.evidence.ranking import certainty

RARE: Final = 10
"""A word that no more passages have is rare."""
NOT_THERE: Final = Notice.of("no such section in the corpus")


class Said(NamedTuple):
    """A finding in words: a claim that is proven, or a quote that claims nothing."""

    text: str
    standing: Standing


def of_reading(
    reading: Reading, task: ToDoItem, searches: TaskSearches, context: Context
) -> tuple[list[TaskFinding], list[Evidence]]:
    """The proven claims of a reading with their places, and the passages that they rest on.

    The quotes of a claim that is not proven take its place.
    """
    findings: list[TaskFinding] = []
    evidence: dict[str, Evidence] = {}
    for finding, quotes in _said(reading):
        rests_on: dict[str, Evidence] = {}
        citations = [citation(each, reading.sections, context) for each in quotes]
        for quote, cited in zip(quotes, citations, strict=True):
            cut = reading.sections[quote.section]
            for passage in _passages(cited, context):
                rests_on[passage.chunk_id] = _evidence(passage, cut, task, searches)
        evidence |= {each: entry for each, entry in rests_on.items() if each not in evidence}
        findings.append(_finding(finding, citations, list(rests_on.values()), task, findings))
    return _measured(findings, evidence, task, context)


def _said(reading: Reading) -> Iterator[tuple[Said, Sequence[Quote]]]:
    """The claims that are proven, and in the place of others their quotes, each once."""
    shown = {quote for claim in reading.proof for quote in claim.quotes}
    for claim in reading.claims:
        if not claim.fault:
            yield Said(claim.text, "follows"), claim.quotes
            continue
        for quote in claim.quotes:
            if quote not in shown:
                shown.add(quote)
                yield Said(quote.text, "quote"), [quote]


def of_quotes(
    task: ToDoItem, searches: TaskSearches, least: float, context: Context
) -> tuple[list[TaskFinding], list[Evidence]]:
    """The quotes that come closest to a task, where no model reads; they claim nothing.

    Args:
        task: of the plan.
        searches: that were made for it.
        least: relevance that a passage has at least.
        context: of the run.
    """
    hits = [hit for hit in searches.found if hit.relevance >= least]
    language = searches.understanding.language
    found = rank_passages(task.task, ((h.relevance, h) for h in hits), language, context)
    quotes = []
    if certainty([score for score, _ in found[:1]]) != "refused":
        quotes = closest_excerpts(found, context)
    rare = quote_rare_words(task.task, quotes, searches.understanding, RARE, context)
    by_id = {hit.chunk_id: hit for hit in hits}
    findings: list[TaskFinding] = []
    evidence: dict[str, Evidence] = {}
    for quote in [*quotes, *rare[:1]]:
        for passage in context.passages.get([quote.chunk_id]).values():
            entry = _by_relevance(passage, by_id.get(quote.chunk_id), task)
            if entry.score < least:
                continue
            evidence.setdefault(entry.chunk_id, entry)
            said = Said(quote.quote, "quote")
            findings.append(_finding(said, [quote.bare()], [entry], task, findings))
    return findings, list(evidence.values())


def of_older(quotes: Iterable[PreservedQuote]) -> list[TaskFinding]:
    """The quotes of a thread that an older version extracted; they claim nothing."""
    findings: list[TaskFinding] = []
    for each in quotes:
        place = each.model_dump(include=set(Citation.model_fields)) | {"case": each.case}
        before = [other for other in findings if other.task_id == each.task_id]
        findings.append(
            TaskFinding(
                id=f"{each.task_id}.{len(before) + 1}",
                task_id=each.task_id,
                text=each.quote,
                standing="quote",
                citations=(Citation(**place, verified=True),),
                chunk_ids=(each.chunk_id,),
                tier=2,
                weight=TIER_WEIGHT[2],
                score=each.score,
            )
        )
    return findings


def _finding(
    said: Said,
    citations: Sequence[Citation],
    evidence: Sequence[Evidence],
    task: ToDoItem,
    before: Sequence[TaskFinding],
) -> TaskFinding:
    tier = min((each.tier for each in evidence), default=3)
    return TaskFinding(
        id=f"{task.id}.{len(before) + 1}",
        task_id=task.id,
        text=said.text,
        standing=said.standing,
        citations=tuple(citations),
        chunk_ids=tuple(each.chunk_id for each in evidence),
        tier=tier,
        weight=TIER_WEIGHT[tier],
        score=max((each.score for each in evidence), default=0.0),
    )


def _passages(cited: Citation, context: Context) -> list[Passage]:
    """The passages that a cited place lies in."""
    return context.catalog.chunks.of_document(
        cited.document_id, scope=context.scope, start=cited.start, end=cited.end
    )


def _evidence(passage: Passage, cut: Cut, task: ToDoItem, searches: TaskSearches) -> Evidence:
    """A passage that a claim rests on; its relevance is measured when all are known."""
    tier, source, depth, path = searches.how(passage, cut)
    return evidence_of(
        passage,
        tier=tier,
        score=0.0,
        rank=1,
        source_type=source,
        depth=depth,
        way=path,
        query=task.task,
        task_id=task.id,
    )


def _measured(
    findings: Sequence[TaskFinding], evidence: dict[str, Evidence], task: ToDoItem, context: Context
) -> tuple[list[TaskFinding], list[Evidence]]:
    """Both with the relevance of each passage to the task."""
    near = context.retriever.relevances(task.task, list(evidence), scope=context.scope)
    best = sorted(evidence, key=lambda name: -near[name])
    scored = [
        evidence[name].model_copy(update={"score": round(near[name], 4), "rank": rank})
        for rank, name in enumerate(best, start=1)
    ]
    return [
        each.model_copy(
            update={"score": round(max((near[n] for n in each.chunk_ids), default=0.0), 4)}
        )
        for each in findings
    ], scored


def _by_relevance(passage: Passage, hit: Hit | None, task: ToDoItem) -> Evidence:
    """A passage in the tier that its relevance puts it in; in the last one if it is far."""
    relevance = hit.relevance if hit is not None else 0.0
    tier = classify(relevance=relevance, depth=0, source_type="vector_search", entity_match=False)
    return evidence_of(
        passage, tier=tier or 3, score=relevance, rank=1, query=task.task, task_id=task.id
    )


def reading_of(reading: Reading, task: ToDoItem, searches: TaskSearches) -> TaskReading:
    """What the state keeps of a reading: the sections that its findings rest on, as spans."""
    return TaskReading(
        task_id=task.id,
        answered=reading.answered if reading.proof else "no",
        missing=reading.missing,
        rounds=reading.rounds,
        read=read_spans(reading.sections),
        sections=tuple(reading.sections[n].cut for n in _cited(reading)),
        replaced=replacements(reading.sections),
        searches=tuple(
            each.model_copy(update={"imagined": each.query not in (task.task, *reading.searches)})
            for each in searches.made
        ),
        left_out=tuple(left_out(claim) for claim in reading.claims if claim.fault),
    )


def _cited(reading: Reading) -> list[int]:
    return sorted({section for claim in reading.claims for section in claim.sections})


def references_of(reading: Reading, task: ToDoItem) -> list[ReferenceRecord]:
    """The references of what findings rest on: those that were read, and those to nowhere."""
    read = {section.key for section in reading.sections}
    cited = {reading.sections[n].key for n in _cited(reading)}
    records = [
        ReferenceRecord(
            task_id=task.id,
            source=_place(each.source),
            text=each.reference.text,
            type=each.reference.type,
            target=each.reference.target,
            found=each.key is not None,
            resolved_to=each.name if each.key is not None else None,
            reason=None if each.key is not None else each.reason or NOT_THERE,
            depth=each.depth,
        )
        for each in reading.followed
        if each.source.key in cited and (each.key is None or each.key in read)
    ]
    return list(dict.fromkeys(records))


def _place(section: Section) -> str:
    return section.place.split("\n")[0]


def quotes_in(findings: Iterable[TaskFinding]) -> list[PreservedQuote]:
    """The verbatim quotes that findings rest on, numbered within their task."""
    quotes: list[PreservedQuote] = []
    for finding in findings:
        for cited in finding.citations:
            span = {name: getattr(cited, name, "") for name in PassageSpan.model_fields}
            span["chunk_id"] = finding.chunk_ids[0] if finding.chunk_ids else ""
            before = [each for each in quotes if each.task_id == finding.task_id]
            quotes.append(
                PreservedQuote(
                    **span,
                    quote=cited.quote,
                    relevance_reason=finding.text,
                    task_id=finding.task_id,
                    rank=len(before) + 1,
                    score=finding.score,
                    case=cited.case,
                )
            )
    return quotes
