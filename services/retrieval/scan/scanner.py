"""Counts a word in everything that a request may read: the texts in the catalog decide."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from services.caches import SizedCache
from services.catalog import Catalog
from services.catalog.corpus import CorpusDocument, SectionLine
from services.domain import Scope
from services.domain.passages import page_at
from services.ingestion.extraction import label_ahead
from services.ingestion.headings import is_label
from services.retrieval.scan.matcher import Matcher, Occurrence, ScannedText
from services.retrieval.scan.values import (
    KINDS,
    KindCounts,
    MatchKind,
    ScanPlace,
    ScanRequest,
    ScanResult,
)

KEPT = 8_000_000
"""Characters of texts that are kept ready; a law of 117 pages has 450,000 and takes 25 ms."""
QUOTE_BEFORE = 40
QUOTE_AFTER = 160


class Scanner:
    """Finds words in whole texts; safe to share among threads.

    No index is asked: each text is looked through as it stands, normalised once and kept.
    """

    def __init__(self, catalog: Catalog, *, capacity: int = KEPT) -> None:
        self._catalog = catalog
        self._kept: SizedCache[str, ScannedText] = SizedCache(
            capacity, lambda text: len(text.normal.source)
        )

    def scan(self, request: ScanRequest, *, scope: Scope) -> ScanResult:
        """Where a word or phrase stands in the current texts of the scope.

        Raises:
            InvalidInput: the term has no letter or digit, or is too long.
        """
        term = Matcher(request.term, request.languages).term
        documents = self._catalog.corpus.documents(scope, request.only)
        parts = [part for document in documents for part in self._parts(document, request)]
        by_document: dict[str, set[MatchKind]] = {}
        for part in parts:
            by_document.setdefault(part.place.document_id, set()).update(part.kinds)
        return ScanResult(
            term=term,
            labels=request.labels,
            documents_searched=len(documents),
            sections_searched=self._searched(documents, request),
            documents=_holding(by_document.values()),
            sections=_holding(part.kinds for part in parts if part.in_section),
            occurrences=_summed(kind for part in parts for kind in part.kinds),
            places=tuple(part.place for part in parts[: request.most_places]),
            places_left_out=max(0, len(parts) - request.most_places),
        )

    def _parts(self, document: CorpusDocument, request: ScanRequest) -> Iterator["_Part"]:
        """What each section has that counts, and what stands ahead of the first."""
        text = self._scanned(document.text_id)
        matcher = Matcher(request.term, (document.language, *request.languages))
        if not (found := list(matcher.find(text))):
            return
        sections = _units(self._catalog.corpus.sections(document.text_id), request.labels)
        source = text.normal.source
        lines = [_ahead(document, source, sections), *sections]
        starts = [line.start for line in lines]

        def number(offset: int) -> int:
            return bisect_right(starts, offset) - 1

        # A phrase does not run over a heading.
        whole = (each for each in found if number(each.start) == number(each.end - 1))
        for n, occurrences in groupby(whole, key=lambda each: number(each.start)):
            if _counts(lines[n], request):
                together = list(occurrences)
                kinds = [each.kind for each in together]
                place = _place(document, source, lines[n], together)
                yield _Part(kinds, place, in_section=n > 0 or not sections)

    def _searched(self, documents: Sequence[CorpusDocument], request: ScanRequest) -> int:
        """The sections that were looked through."""
        corpus, labels = self._catalog.corpus, request.labels
        if request.only.sections:
            return sum(
                _counts(line, request)
                for document in documents
                for line in _units(corpus.sections(document.text_id), labels)
            )
        if not labels:
            return sum(max(document.sections, 1) for document in documents)
        texts = Counter(each.text_id for each in documents)
        having = corpus.labelled(texts, labels)
        return sum(texts[text_id] for text_id, label in having if is_label(label))

    def _scanned(self, text_id: str) -> ScannedText:
        kept = self._kept.get([text_id]).get(text_id)
        if kept is None:
            kept = ScannedText(self._catalog.documents.text_of(text_id))
            self._kept.put(text_id, kept)
        return kept


class _Part(NamedTuple):
    """The kinds of the occurrences in a section, and its place."""

    kinds: list[MatchKind]
    place: ScanPlace
    in_section: bool


def _ahead(document: CorpusDocument, text: str, sections: Sequence[SectionLine]) -> SectionLine:
    """What stands ahead of the first section."""
    first = sections[0].start if sections else 0
    label = label_ahead(document.title, text, first, document.pages)
    return SectionLine(label, "", 0, first or len(text))


def _place(
    document: CorpusDocument, text: str, section: SectionLine, found: Sequence[Occurrence]
) -> ScanPlace:
    best = min(found, key=lambda each: KINDS.index(each.kind))
    start, end = _quote(text, best, section)
    return ScanPlace(
        document_id=document.document_id,
        document=document.document,
        section=section.label,
        page=page_at(document.pages, best.start),
        start=start,
        end=end,
        quote=text[start:end],
        kind=best.kind,
        occurrences=_summed(each.kind for each in found),
    )


def _quote(text: str, found: Occurrence, section: SectionLine) -> tuple[int, int]:
    """What stands around an occurrence in its section, in whole words."""

    def blank(places: range, default: int) -> int:
        return next((at for at in places if text[at : at + 1].isspace()), default)

    start = max(section.start, found.start - QUOTE_BEFORE)
    end = min(max(section.end, found.end), found.end + QUOTE_AFTER)
    if start > section.start:
        start = blank(range(start, found.start), found.start - 1) + 1
    if end < section.end:
        end = blank(range(end, found.end - 1, -1), end)
    before, after = text[start : found.start], text[found.end : end]
    return found.start - len(before.lstrip()), found.end + len(after.rstrip())


def _units(sections: Sequence[SectionLine], labels: str) -> Sequence[SectionLine]:
    """The sections; with ``labels`` one that has its label from that before is part of it."""
    if not labels:
        return sections
    alike = (list(group) for _, group in groupby(sections, key=lambda each: each.label))
    return [group[0]._replace(end=group[-1].end) for group in alike]


def _counts(section: SectionLine, request: ScanRequest) -> bool:
    """Whether a section is one of those that the request asks for."""
    wanted = not request.only.sections or section.label in request.only.sections
    of_kind = section.label.startswith(request.labels) and is_label(section.label)
    return wanted and (of_kind or not request.labels)


def _summed(kinds: Iterable[MatchKind]) -> KindCounts:
    counter = Counter(kinds)
    return KindCounts.model_validate({**counter, "any": counter.total()})


def _holding(parts: Iterable[Iterable[MatchKind]]) -> KindCounts:
    """How many parts have each kind; those without any do not count."""
    distinct = filter(None, map(set, parts))
    return KindCounts.model_validate(Counter(kind for each in distinct for kind in {*each, "any"}))
