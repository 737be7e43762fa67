"""The passages of a turn: read once, split into quotable sentences, and recorded as evidence."""

import math
from collections.abc import Iterable
from typing import Any, Final

from agent.research.tiers import TIER_WEIGHT
from services.caches import SizedCache
from services.catalog import Catalog
from services.catalog.chunks import DocumentChunks
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
from services.evidence.units import QuotableUnit, quotable_units
from services.language.text.sentences import sentences_between

CACHED_DOCUMENTS: Final = 32
"""Documents of a turn whose passages are not read again."""


class PassageMemory:
    """Passages by id and their sentences, each read from the catalog and split once a turn."""

    def __init__(self, catalog: Catalog, scope: Scope) -> None:
        self._catalog, self._scope = catalog, scope
        self._passages: dict[str, Passage] = {}
        self._sentences: dict[str, list[EvidenceSentence]] = {}
        self._days: dict[str, str] = {}
        self._documents = SizedCache[str, DocumentChunks](CACHED_DOCUMENTS, lambda _: 1)

    def add(self, hits: Iterable[Passage]) -> None:
        """Remember passages that a search of the same scope has read."""
        for hit in hits:
            fields = {name: getattr(hit, name) for name in Passage.model_fields}
            self._passages.setdefault(hit.chunk_id, Passage.model_construct(**fields))

    def get(self, chunk_ids: Iterable[str]) -> dict[str, Passage]:
        """Return the passages with these ids that may be read, in the order of the ids."""
        ids = list(dict.fromkeys(chunk_ids))
        if missing := [name for name in ids if name not in self._passages]:
            self._passages |= self._catalog.chunks.get(missing, scope=self._scope)
        return {name: self._passages[name] for name in ids if name in self._passages}

    def of_section(self, document_id: str, label: str) -> list[Passage]:
        """Return the passages of a document with exactly this section label, in text order."""
        document = self.of_documents([document_id]).get(document_id)
        return document.of_section(label) if document else []

    def between(self, document_id: str, start: int = 0, end: float = math.inf) -> list[Passage]:
        """Return the passages of a document that touch a span of its text, in text order."""
        document = self.of_documents([document_id]).get(document_id)
        return document.between(start, end) if document else []

    def of_documents(self, document_ids: Iterable[str | None]) -> dict[str, DocumentChunks]:
        """Return all passages of those documents that may be read, and keep them for later."""
        ids = set(filter(None, document_ids))
        documents = self._documents.get(ids)
        if missing := ids - documents.keys():
            read = self._catalog.chunks.of_documents(missing, scope=self._scope)
            for document_id, chunks in read.items():
                self._documents.put(document_id, chunks)
            documents |= read
        return documents

    def day(self, document_id: str) -> str:
        """Return the day of a document, ISO 8601, "" where it has none."""
        if document_id not in self._days:
            days = self._catalog.filters.dates([document_id], scope=self._scope)
            self._days[document_id] = days.get(document_id, "")
        return self._days[document_id]

    def sentences(self, passage: Passage) -> list[EvidenceSentence]:
        """Return the `quotable_sentences` of a passage."""
        if passage.chunk_id not in self._sentences:
            sentences = quotable_sentences(passage, self._catalog.documents)
            self._sentences[passage.chunk_id] = sentences
        return self._sentences[passage.chunk_id]


def quotable_sentences(passage: Passage, documents: Texts) -> list[EvidenceSentence]:
    """Return the sentences, items, lists and rows of a passage, each with its case.

    A quote begins on its page and may end on a later one. Its case and the sentence that it
    refers to may stand before the passage, in the same section.
    """
    text = documents.text_of(passage.text_id)
    first, last = documents.section_around(passage.text_id, passage.start)
    section = (min(first, passage.start), max(last, passage.end))
    units = quotable_units(text, passage.start, passage.end, section)
    return as_evidence(passage, units, documents)


def plain_sentences(passage: Passage, documents: Texts) -> list[EvidenceSentence]:
    """Return all sentences and lines of a passage, short ones and headings too."""
    text = documents.text_of(passage.text_id)
    spans = sentences_between(text, passage.start, passage.end)
    units = [QuotableUnit(start, end, None, "sentence") for start, end in spans]
    return as_evidence(passage, units, documents)


def _case(text: str, unit: QuotableUnit) -> CaseSpan | None:
    if unit.case is None:
        return None
    start, end = unit.case
    return CaseSpan(text=text[start:end], start=start, end=end)


def as_evidence(
    passage: Passage, units: Iterable[QuotableUnit], documents: Texts
) -> list[EvidenceSentence]:
    """Return units of a passage's text with their place."""
    text = documents.text_of(passage.text_id)
    context = "\n".join([*passage.heading_path, passage.text])
    return [
        EvidenceSentence(
            document=passage.document,
            document_id=passage.document_id,
            **documents.page_fields(passage.text_id, unit.start),
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


def evidence_of(
    passage: Passage,
    *,
    score: float,
    rank: int,
    tier: int = 1,
    source_type: SourceType = "vector_search",
    depth: int = 0,
    **fields: Any,
) -> Evidence:
    """Return a passage as evidence: where it lies and how it was found, without its text."""
    where = {name: getattr(passage, name) for name in PassageSpan.model_fields}
    how = {"query": "", "task_id": None, "source_type": source_type, "depth": depth, **fields}
    weight = TIER_WEIGHT[tier]
    return Evidence(**where, **how, tier=tier, weight=weight, score=round(score, 4), rank=rank)
