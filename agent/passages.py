"""The passages of a turn: read once, cut into the sentences that can be quoted, and as evidence."""

from collections.abc import Iterable, Sequence
from typing import Any

from agent.research.tiers import TIER_WEIGHT
from services.catalog import Catalog
from services.catalog.texts import Texts
from services.domain import (
    CaseSpan,
    Evidence,
    EvidenceSentence,
    Passage,
    PassageSpan,
    Scope,
    SourceType,
)
from services.domain.passages import page_at
from services.evidence.units import Unit, quotable_units
from services.language.text import sentences_between


class PassageMemory:
    """Passages by id and their sentences, each read from the catalog and cut once a turn."""

    def __init__(self, catalog: Catalog, scope: Scope) -> None:
        self._catalog, self._scope = catalog, scope
        self._passages: dict[str, Passage] = {}
        self._sentences: dict[str, list[EvidenceSentence]] = {}
        self._days: dict[str, str] = {}

    def add(self, found: Iterable[Passage]) -> None:
        """Remembers passages that a search of the same scope has read."""
        for each in found:
            fields = {name: getattr(each, name) for name in Passage.model_fields}
            self._passages.setdefault(each.chunk_id, Passage.model_construct(**fields))

    def get(self, chunk_ids: Iterable[str]) -> dict[str, Passage]:
        """The passages with these ids that may be read, in the order asked for."""
        ids = list(dict.fromkeys(chunk_ids))
        if missing := [each for each in ids if each not in self._passages]:
            self._passages |= self._catalog.chunks.get(missing, scope=self._scope)
        return {each: self._passages[each] for each in ids if each in self._passages}

    def day(self, document_id: str) -> str:
        """The day of a document, ISO 8601, "" where it has none."""
        if document_id not in self._days:
            days = self._catalog.filters.dates([document_id], scope=self._scope)
            self._days[document_id] = days.get(document_id, "")
        return self._days[document_id]

    def sentences(self, passage: Passage) -> list[EvidenceSentence]:
        """What of a passage can be quoted (`quotable_sentences`)."""
        if passage.chunk_id not in self._sentences:
            found = quotable_sentences(passage, self._catalog.documents)
            self._sentences[passage.chunk_id] = found
        return self._sentences[passage.chunk_id]

    def sentences_of(self, entries: Sequence[Evidence]) -> list[tuple[Evidence, EvidenceSentence]]:
        """Every sentence of the evidence, with the entry that it is from."""
        passages = self.get(entry.chunk_id for entry in entries)
        return [
            (entry, sentence)
            for entry in entries
            if entry.chunk_id in passages
            for sentence in self.sentences(passages[entry.chunk_id])
        ]

    def pool(self, entries: Sequence[Evidence]) -> list[EvidenceSentence]:
        """Every sentence that an answer may rest on."""
        return [sentence for _, sentence in self.sentences_of(entries)]


def quotable_sentences(passage: Passage, documents: Texts) -> list[EvidenceSentence]:
    """What of a passage can be quoted: sentences, items, lists and rows, each with its case.

    A quote begins on its page and may end on a later one. Its case and the sentence that it
    refers to may stand before the passage, in the same section.
    """
    text = documents.text_of(passage.text_id)
    first, last = documents.section_around(passage.text_id, passage.start)
    section = (min(first, passage.start), max(last, passage.end))
    units = quotable_units(text, passage.start, passage.end, section)
    return _as_evidence(passage, units, documents)


def plain_sentences(passage: Passage, documents: Texts) -> list[EvidenceSentence]:
    """Return all sentences and lines of a passage, short ones and headings too."""
    text = documents.text_of(passage.text_id)
    spans = sentences_between(text, passage.start, passage.end)
    units = [Unit(start, end, None, "sentence") for start, end in spans]
    return _as_evidence(passage, units, documents)


def _as_evidence(
    passage: Passage, units: Iterable[Unit], documents: Texts
) -> list[EvidenceSentence]:
    text = documents.text_of(passage.text_id)
    starts = () if passage.page is None else documents.page_starts(passage.text_id)
    context = "\n".join([*passage.heading_path, passage.text])
    return [
        EvidenceSentence(
            document=passage.document,
            document_id=passage.document_id,
            page=page_at(starts, unit.start),
            section=passage.section,
            start=unit.start,
            end=unit.end,
            quote=text[unit.start : unit.end],
            case=_case(text, unit),
            heading=passage.heading_path[-1] if passage.heading_path else "",
            chunk_id=passage.chunk_id,
            context=context,
        )
        for unit in units
    ]


def _case(text: str, unit: Unit) -> CaseSpan | None:
    if unit.case is None:
        return None
    start, end = unit.case
    return CaseSpan(text=text[start:end], start=start, end=end)


def evidence_of(
    passage: Passage,
    *,
    score: float,
    rank: int,
    tier: int = 1,
    source_type: SourceType = "vector_search",
    depth: int = 0,
    **found: Any,
) -> Evidence:
    """Evidence of a passage: where it lies and how it was found, without its text."""
    where = {name: getattr(passage, name) for name in PassageSpan.model_fields}
    how = {"query": "", "task_id": None, "source_type": source_type, "depth": depth, **found}
    weight = TIER_WEIGHT[tier]
    return Evidence(**where, **how, tier=tier, weight=weight, score=round(score, 4), rank=rank)
