"""Counts a word in everything that a request may read: the texts in the catalog decide."""

import threading
from bisect import bisect_right
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from services.catalog import Catalog
from services.catalog.corpus import CorpusDocument, SectionLine
from services.scan.matcher import Matcher, Occurrence, ScannedText
from services.scan.values import KINDS, FormCount, KindCounts, MatchKind, ScanPlace, ScanResult
from services.types import Language, Scope, SearchFilter

KEPT = 8_000_000
"""Characters of texts that are kept ready; a law of 117 pages has 450,000 and takes 25 ms."""

MOST_PLACES = 1000
QUOTE_BEFORE = 120
QUOTE_AFTER = 160


class Scanner:
    """Finds words in whole texts; safe to share among threads.

    No index is asked: each text is looked through as it stands, normalised once and kept.
    """

    def __init__(self, catalog: Catalog, *, capacity: int = KEPT) -> None:
        self._catalog = catalog
        self._capacity = capacity
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, ScannedText] = OrderedDict()
        self._size = 0

    def scan(
        self,
        term: str,
        *,
        scope: Scope,
        languages: Sequence[Language] = (),
        only: SearchFilter | None = None,
        labels: str = "",
        most_places: int = MOST_PLACES,
    ) -> ScanResult:
        """Where a word or phrase stands in the current texts of the scope.

        Args:
            term: in any form; quotation marks around it are left out.
            scope: what may be read.
            languages: of the term, beside that of each document.
            only: documents and sections that count; None for all.
            labels: the beginning of the labels of the sections that count, ``§``.
            most_places: how many places are returned; all are counted.

        Raises:
            InvalidInput: the term has no letter or digit, or is too long.
        """
        Matcher(term, languages)  # a bad term is told even where there is nothing to search
        wanted = only or SearchFilter()
        documents = self._catalog.corpus.documents(scope, wanted)
        tally = _Tally()
        for document in documents:
            self._look(document, term, languages, wanted, labels, tally)
        return ScanResult(
            term=Matcher(term, languages).term,
            labels=labels,
            documents_searched=len(documents),
            sections_searched=self._searched(documents, wanted, labels),
            documents=_counts(tally.documents),
            sections=_counts(tally.sections),
            occurrences=_summed(tally.occurrences),
            elsewhere=_summed(tally.elsewhere),
            forms=tuple(
                FormCount(form=form, kind=kind, count=count)
                for (kind, form), count in sorted(
                    tally.forms.items(), key=lambda each: (KINDS.index(each[0][0]), -each[1], each)
                )
            ),
            places=tuple(tally.places[:most_places]),
            places_left_out=max(0, len(tally.places) - most_places),
        )

    def _look(
        self,
        document: CorpusDocument,
        term: str,
        languages: Sequence[Language],
        only: SearchFilter,
        labels: str,
        tally: "_Tally",
    ) -> None:
        matcher = Matcher(term, (document.language, *languages))
        text = self._scanned(document.text_id)
        found = list(matcher.find(text))
        if not found:
            return
        sections = _units(self._catalog.corpus.sections(document.text_id), labels)
        reader = _Reader(document, text.normal.source, sections)
        kinds: set[MatchKind] = set()
        for n, occurrences in groupby(
            (each for each in found if reader.is_whole(each)), key=lambda each: reader.unit(each)
        ):
            here = list(occurrences)
            if not _counts_section(reader.line(n), only, labels):
                tally.elsewhere.update(each.kind for each in here)
                continue
            tally.add(here, in_section=n >= 0 or not sections)
            tally.places.append(reader.place(n, here))
            kinds.update(each.kind for each in here)
        tally.note(tally.documents, kinds)

    def _searched(
        self, documents: Sequence[CorpusDocument], only: SearchFilter, labels: str
    ) -> int:
        """The sections that were looked through."""
        if only.sections:
            return sum(
                _counts_section(line, only, labels)
                for document in documents
                for line in _units(self._catalog.corpus.sections(document.text_id), labels)
            )
        if not labels:
            return sum(max(document.sections, 1) for document in documents)
        having = self._catalog.corpus.labelled({each.text_id for each in documents}, labels)
        return sum(having.get(document.text_id, 0) for document in documents)

    def _scanned(self, text_id: str) -> ScannedText:
        with self._lock:
            if text_id in self._kept:
                self._kept.move_to_end(text_id)
                return self._kept[text_id]
        made = ScannedText.of(self._catalog.corpus.text(text_id))
        with self._lock:
            if text_id not in self._kept:
                self._kept[text_id] = made
                self._size += len(made.normal.source)
            while self._size > self._capacity and len(self._kept) > 1:
                _, dropped = self._kept.popitem(last=False)
                self._size -= len(dropped.normal.source)
        return made


@dataclass
class _Tally:
    """What was found so far."""

    documents: Counter[str] = field(default_factory=Counter)
    sections: Counter[str] = field(default_factory=Counter)
    occurrences: Counter[MatchKind] = field(default_factory=Counter)
    elsewhere: Counter[MatchKind] = field(default_factory=Counter)
    forms: Counter[tuple[MatchKind, str]] = field(default_factory=Counter)
    places: list[ScanPlace] = field(default_factory=list)

    def add(self, found: Sequence[Occurrence], *, in_section: bool) -> None:
        self.occurrences.update(each.kind for each in found)
        self.forms.update((each.kind, each.form) for each in found)
        if in_section:
            self.note(self.sections, {each.kind for each in found})

    @staticmethod
    def note(holders: Counter[str], kinds: Iterable[MatchKind]) -> None:
        """Count one more that has these kinds."""
        listed = list(kinds)
        holders.update([*listed, "any"] if listed else [])


class _Reader:
    """A text with its sections; unit -1 is what stands ahead of the first one."""

    def __init__(
        self, document: CorpusDocument, text: str, sections: Sequence[SectionLine]
    ) -> None:
        self._document = document
        self._text = text
        self._sections = sections
        self._starts = [section.start for section in sections]

    def unit(self, found: Occurrence) -> int:
        return bisect_right(self._starts, found.start) - 1

    def is_whole(self, found: Occurrence) -> bool:
        """Whether it lies in one section: a phrase does not run over a heading."""
        return bisect_right(self._starts, found.end - 1) - 1 == self.unit(found)

    def line(self, unit: int) -> SectionLine:
        if unit >= 0:
            return self._sections[unit]
        return SectionLine("", "", 0, self._starts[0] if self._starts else len(self._text))

    def place(self, unit: int, found: Sequence[Occurrence]) -> ScanPlace:
        section = self.line(unit)
        best = min(found, key=lambda each: KINDS.index(each.kind))
        start, end = self._quote(best, section)
        pages = self._document.pages
        return ScanPlace(
            document_id=self._document.document_id,
            document=self._document.document,
            section=section.label,
            section_title=section.title,
            page=max(bisect_right(pages, best.start), 1) if pages else None,
            start=start,
            end=end,
            word_start=best.start,
            word_end=best.end,
            quote=self._text[start:end],
            kind=best.kind,
            occurrences=_summed(Counter(each.kind for each in found)),
        )

    def _quote(self, found: Occurrence, section: SectionLine) -> tuple[int, int]:
        """What stands around an occurrence in its section, in whole words."""
        start = max(section.start, found.start - QUOTE_BEFORE)
        end = min(max(section.end, found.end), found.end + QUOTE_AFTER)
        if start > section.start:
            start = next(_blanks(self._text, start, found.start, 1), found.start - 1) + 1
        if end < section.end:
            end = next(_blanks(self._text, end, found.end - 1, -1), end)
        while start < found.start and self._text[start].isspace():
            start += 1
        while end > found.end and self._text[end - 1].isspace():
            end -= 1
        return start, end


def _blanks(text: str, start: int, stop: int, step: int) -> Iterator[int]:
    return (place for place in range(start, stop, step) if text[place : place + 1].isspace())


def _units(sections: Sequence[SectionLine], labels: str) -> Sequence[SectionLine]:
    """The sections; with ``labels`` one that has its label from that before is part of it."""
    if not labels:
        return sections
    joined: list[SectionLine] = []
    for section in sections:
        if joined and section.label == joined[-1].label:
            joined[-1] = joined[-1]._replace(end=section.end)
        else:
            joined.append(section)
    return joined


def _counts_section(section: SectionLine, only: SearchFilter, labels: str) -> bool:
    wanted = not only.sections or section.label in only.sections
    return wanted and section.label.startswith(labels)


def _counts(counter: Counter[str]) -> KindCounts:
    return KindCounts.model_validate(dict(counter))


def _summed(counter: Counter[MatchKind]) -> KindCounts:
    return KindCounts.model_validate({**counter, "any": counter.total()})
