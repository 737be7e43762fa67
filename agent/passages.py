"""From chunks to the sentences that can be quoted, and to names that people recognise."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from agent.context import Context
from agent.models import ContextEntry, Passage, PreservedQuote, RunOptions, SourceType
from agent.research.tiers import TIER_WEIGHT
from services.domain import CaseSpan, Chunk, Citation
from services.evidence import CARDS, EvidenceSentence, Unit, quotable_units
from services.models.base import fit_passages

LONGEST_CARD: Final = 600
"""Characters of a place that is shown though it is not known whether it answers."""

Located = Chunk | ContextEntry | EvidenceSentence | PreservedQuote | Citation
Quote = EvidenceSentence | PreservedQuote | Citation
Ranked = TypeVar("Ranked")

Place = tuple[str, int, int]


def as_entry(
    chunk: Chunk,
    *,
    score: float,
    rank: int,
    tier: int = 1,
    source_type: SourceType = "vector_search",
    depth: int = 0,
    **found: Any,
) -> ContextEntry:
    """Evidence for a chunk: where it lies and how it was found, without its text."""
    where = {name: getattr(chunk, name) for name in Passage.model_fields}
    how = {"query": "", "task_id": None, "source_type": source_type, "depth": depth, **found}
    weight = TIER_WEIGHT[tier]
    return ContextEntry(**where, **how, tier=tier, weight=weight, score=round(score, 4), rank=rank)


def place_of(quote: "Quote") -> Place:
    """Document and span; a list begins where its first item does."""
    return quote.document_id, quote.start, quote.end


def quotable(chunk: Chunk, context: Context) -> list[EvidenceSentence]:
    """What of a chunk can be quoted: sentences, items, lists and rows, each with its case.

    A quote begins on its page and may end on a later one. Its case and the sentence that it
    refers to may stand before the chunk, in the same section.
    """
    documents = context.catalog.documents
    text = documents.text_of(chunk.text_id)
    first, last = documents.section_around(chunk.text_id, chunk.start)
    section = (min(first, chunk.start), max(last, chunk.end))
    starts = () if chunk.page is None else documents.page_starts(chunk.text_id)
    passage = "\n".join([*chunk.heading_path, chunk.text])
    return [
        EvidenceSentence(
            document_id=chunk.document_id,
            document=chunk.document,
            section=chunk.section,
            page=max(bisect_right(starts, unit.start), 1) if starts else None,
            start=unit.start,
            end=unit.end,
            text=text[unit.start : unit.end],
            context=passage,
            heading=chunk.heading_path[-1] if chunk.heading_path else "",
            case=_case(text, unit),
        )
        for unit in quotable_units(text, chunk.start, chunk.end, section)
    ]


def _case(text: str, unit: Unit) -> CaseSpan | None:
    if unit.case is None:
        return None
    start, end = unit.case
    return CaseSpan(text=text[start:end], start=start, end=end)


def distinct(ranked: Sequence[Ranked], place: Callable[[Ranked], Quote]) -> list[Ranked]:
    """Without what overlaps something better: of a list and its items, what ranks first."""
    kept: list[Ranked] = []
    for each in ranked:
        if not any(overlap(place(each), place(other)) for other in kept):
            kept.append(each)
    return kept


def cards(
    ranked: Sequence[tuple[float, EvidenceSentence]], context: Context
) -> list[EvidenceSentence]:
    """The places that come closest, best first: sentences with what stands around them.

    Where it is not known which sentence answers, the one beside the best often does.
    """
    found: list[EvidenceSentence] = []
    for _, best in ranked:
        if not any(overlap(best, card) for card in found):
            free = [s for _, s in ranked if not any(overlap(s, card) for card in found)]
            found.append(_widened(best, free, context))
        if len(found) == CARDS:
            break
    return found


def _widened(
    best: EvidenceSentence, others: Sequence[EvidenceSentence], context: Context
) -> EvidenceSentence:
    """A sentence with its nearest neighbours of one passage, as many as a card holds."""
    beside = [s for s in others if (s.document_id, s.context) == (best.document_id, best.context)]
    start, end, first = best.start, best.end, best
    for each in sorted(beside, key=lambda s: max(best.start - s.end, s.start - best.end)):
        if max(end, each.end) - min(start, each.start) <= LONGEST_CARD:
            start, end = min(start, each.start), max(end, each.end)
            first = min(first, each, key=lambda s: s.start)
    case = first.case or best.case
    inside = case is not None and case.start >= start and case.end <= end
    text = context.catalog.documents.text_slice(best.document_id, start, end)
    changes = {"start": start, "end": end, "text": text, "page": first.page}
    return best.model_copy(update={**changes, "case": None if inside else case})


def overlap(one: Quote, other: Quote) -> bool:
    """Whether two quotes share words of a document, or are the same words in two."""
    both = isinstance(one, EvidenceSentence) and isinstance(other, EvidenceSentence)
    if both and one.text == other.text:  # type: ignore[union-attr]
        return True
    same = one.document_id == other.document_id
    return same and one.start < other.end and other.start < one.end


def short_name(document_id: str, document: str, context: Context) -> str:
    """``StrlSchG`` where the registry knows an abbreviation, else the file's stem."""
    return context.registry.name_of(document_id) or document.rsplit(".", 1)[0]


def origin(entry: Located, context: Context) -> str:
    """``StrlSchG § 78``: the name under which a section is cited."""
    name = short_name(entry.document_id, entry.document, context)
    return name if entry.section in ("", name) else f"{name} {entry.section}"


def section_names(entries: list[ContextEntry], context: Context) -> list[str]:
    """``StrlSchG § 78: Grenzwerte …`` for the sections of the entries, each once, in order."""
    chunks = context.catalog.chunks.get([e.chunk_id for e in entries], scope=context.scope)
    names: dict[str, None] = {}
    for entry in entries:
        chunk = chunks.get(entry.chunk_id)
        heading = chunk.heading_path[-1] if chunk and chunk.heading_path else ""
        heading = heading.removeprefix(entry.section).strip()
        name = origin(entry, context)
        names[f"{name}: {heading}" if heading else name] = None
    return list(names)


def readable(texts: Sequence[str], context: Context, options: RunOptions) -> list[str]:
    """The passages, from the first on, that a model may be given in one prompt; none is cut.

    Without a model or a bound these are all.
    """
    model = context.tasks.model
    if model is None or options.max_tokens is None:
        return list(texts)
    return fit_passages(model, texts, options.max_tokens)
