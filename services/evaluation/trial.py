"""One collection that holds a question set: filling it, and asking it every question."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Protocol

import numpy as np

from services.dependencies import Dependencies
from services.domain import (
    Hit,
    IngestReport,
    Language,
    ParsedDocument,
    Principal,
    Reranking,
    Scope,
    SearchMode,
)
from services.domain.errors import InvalidInput
from services.domain.events import Event
from services.evaluation.beir import Judgements, QuestionSet, Record
from services.evaluation.statistics import ModeResult, measure
from services.ingestion.bulk import BulkIngestor, ReadyDocument
from services.ingestion.extraction import clean, plain_title
from services.ingestion.parse import PARSER_VERSION
from services.language.query.language import detect_language
from services.retrieval.rerank import CANDIDATES_PER_HIT, reranked

NEAR = 20
"""Chunks of the searches that are timed and rated at 10: room for 10 documents, and both indexes
are still asked for as many chunks as in a search for 10."""

FAR = 100
"""Chunks of the searches that are rated at 50: the most that the product gives."""

COLLECTION = "evaluation"


class OpenParts(Dependencies, Protocol):
    """Dependencies of the product that can be closed."""

    def close(self) -> None: ...


@dataclass
class _Asked:
    """What a mode found, by question, and how long it took."""

    near: dict[str, list[str]] = field(default_factory=dict)
    far: dict[str, list[str]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    def rated(self, mode: SearchMode, judgements: Judgements) -> ModeResult:
        far = measure(judgements, self.far)["recall@50"]
        values = measure(judgements, self.near) | {"recall@50": far}
        return ModeResult(mode, values, np.array(self.seconds))


class Trial:
    """A collection in a home that nobody else uses.

    A record becomes a document: its title is the document's title, which the embedder reads
    before every chunk and keyword search weighs as a title. Records with one text are one
    document, and are found together.
    """

    def __init__(self, parts: Dependencies, reranking: Reranking = "none") -> None:
        self._parts = parts
        self._reranking = reranking
        self._owner = Principal()
        self._records_of: dict[str, list[str]] = defaultdict(list)

    @property
    def records(self) -> int:
        """Records that went in."""
        return sum(map(len, self._records_of.values()))

    def ingest(
        self, records: Iterable[Record], language: Language, on_event: Callable[[Event], None]
    ) -> IngestReport:
        """Ingest the records; one without text, or a text that came before, adds nothing.

        Raises:
            InvalidInput: no record has a text.
        """
        parts = self._parts
        ingestor = BulkIngestor(parts.catalog, parts.embedder, parts.vectors, parts.lexical)
        target = parts.catalog.collections.ensure(self._owner, COLLECTION)
        report = ingestor.ingest(
            self._new(records, language), collection_id=target.collection_id, on_event=on_event
        )
        if not self._records_of:
            raise InvalidInput("No record of corpus.jsonl has a text: there is nothing to search.")
        return report

    def _new(self, records: Iterable[Record], language: Language) -> Iterator[ReadyDocument]:
        for record in records:
            document = as_document(record, language)
            if not document.parsed.text.strip():
                continue
            same = self._records_of[document.document_id]
            same.append(record.record_id)
            if len(same) == 1:
                yield document

    def ask(self, questions: QuestionSet, modes: Sequence[SearchMode]) -> list[ModeResult]:
        """Ask every question in every mode, one search after another.

        The modes take turns in being first, so that none always finds warm caches.
        """
        scope = self._parts.catalog.collections.scope(self._owner, [COLLECTION])
        search = partial(self._search, scope=scope)
        asked = {mode: _Asked() for mode in modes}
        search(next(iter(questions.queries.values())), k=NEAR)  # opens the stores
        for number, (query, text) in enumerate(questions.queries.items()):
            first = number % len(modes)
            for mode in [*modes[first:], *modes[:first]]:
                started = time.perf_counter()
                near = search(text, k=NEAR, mode=mode)
                asked[mode].seconds.append(time.perf_counter() - started)
                asked[mode].near[query] = self._ranked(near)
                asked[mode].far[query] = self._ranked(search(text, k=FAR, mode=mode))
        return [found.rated(mode, questions.judgements) for mode, found in asked.items()]

    def _search(
        self, query: str, *, scope: Scope, k: int, mode: SearchMode = "hybrid"
    ) -> Sequence[Hit]:
        search = self._parts.retriever.search
        if self._reranking == "none":
            return search(query, scope=scope, k=k, mode=mode)
        candidates = search(query, scope=scope, k=k * CANDIDATES_PER_HIT, mode=mode)
        chosen: dict[Reranking, set[str]] = {self._reranking: {hit.chunk_id for hit in candidates}}
        hits, problems = asyncio.run(reranked(query, candidates, chosen, self._parts.rerankers))
        if problems:
            raise InvalidInput(f"Nothing was measured. {problems[0]}")
        return hits[:k]

    def _ranked(self, hits: Sequence[Hit]) -> list[str]:
        """Record ids, each at the place of its best chunk."""
        documents = dict.fromkeys(hit.document_id for hit in hits)
        return [record for document in documents for record in self._records_of[document]]


def as_document(record: Record, language: Language) -> ReadyDocument:
    """A record as the parser of text files would hand it over; a title alone is its text."""
    text, title = clean(record.text), plain_title(clean(record.title))
    text = text if text.strip() else title
    return ReadyDocument(
        name=record.record_id,
        parsed=ParsedDocument(
            title=title,
            text=text,
            pages=(),
            sections=(),
            language=detect_language(text) if language == "auto" else language,
            parser_version=PARSER_VERSION,
        ),
    )
