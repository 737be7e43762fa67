"""Counts a word in everything that a request may read: the texts in the catalog decide."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from services.caches import SizedCache
from services.catalog import Catalog
from services.catalog.corpus import CorpusDocument, SectionLine
from services.domain import Citation, Language, Scope, SearchFilter
from services.domain.passages import page_at, page_fields
from services.domain.value import Value
from services.ingestion.parsers.extraction import label_ahead
from services.ingestion.parsers.headings import is_label
from services.language.text.words import is_stop_word
from services.retrieval.named import NamedSection, named_documents, resolve_sections
from services.retrieval.scan.matcher import KINDS, Matcher, MatchKind, Occurrence, ScannedText

CACHED_CHARACTERS = 8_000_000
"""Characters of texts that are kept ready; a law of 117 pages has 450,000 and takes 25 ms."""
QUOTE_BEFORE = 40
QUOTE_AFTER = 160

_LABELS: Final = (
    ("§", re.compile(r"\b(?:paragraphen|paragraf\w*|paragraph\w*|párrafos?)\b|§§?(?!\s*\d)", re.I)),
    ("Art", re.compile(r"\b(?:artikeln?|articles?|artículos?)\b(?!\s*\d)", re.I)),
    ("Anlage", re.compile(r"\banlagen?\b(?!\s*\d)", re.I)),
    ("Anhang", re.compile(r"\banh[aä]ng\w*(?!\s*\d)", re.I)),
)
"""How the labels begin of the kinds of section that questions ask for."""


class ScanRequest(Value):
    """What to look for: a word or phrase in any form, without regard to quotation marks.

    ``languages`` are those of the term, besides that of each document. ``sections`` are ids of
    documents, each with a label, or with "" for all of it. ``labels`` is the beginning of the
    labels that count, such as ``§``. All occurrences are counted, at most ``limit`` hits are
    returned.
    """

    term: str
    languages: tuple[Language, ...] = ()
    only: SearchFilter = SearchFilter()
    sections: frozenset[tuple[str, str]] = frozenset()
    labels: str = ""
    limit: int = 1000


class KindCounts(Value):
    """Numbers by kind; ``any`` is the sum of occurrences, or the sections with any match."""

    exact: int = 0
    inflection: int = 0
    compound: int = 0
    any: int = 0


class ScanHit(Citation):
    """A section that has the word; ``start``/``end``/``page`` are those of its best occurrence."""

    verified: bool = True
    kind: MatchKind
    occurrences: KindCounts


class ScanResult(Value):
    """Where a word occurs in a corpus, completely.

    Text ahead of a document's first section counts in ``occurrences`` and ``hits`` but in no
    section; a document without any section counts as one. ``named`` are the documents to which the
    scan was narrowed, ``missing`` documents and sections in the question that the corpus does not
    have.
    """

    term: str
    labels: str
    documents_searched: int
    sections_searched: int
    documents: KindCounts
    sections: KindCounts
    occurrences: KindCounts
    hits: tuple[ScanHit, ...]
    hits_left_out: int = 0
    named: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


class _Match(NamedTuple):
    kinds: list[MatchKind]
    hit: ScanHit
    in_section: bool


class Scanner:
    """Finds words in complete texts, normalised once and cached; safe to share among threads."""

    def __init__(self, catalog: Catalog, *, capacity: int = CACHED_CHARACTERS) -> None:
        self._catalog = catalog
        self._texts: SizedCache[str, ScannedText] = SizedCache(
            capacity, lambda text: len(text.normal.source)
        )

    def scan(self, request: ScanRequest, *, scope: Scope) -> ScanResult:
        """Find a word or phrase in the current texts of the scope."""
        term = Matcher(request.term, request.languages).term
        documents = self._catalog.corpus.documents(scope, request.only)
        matches = [match for document in documents for match in self._matches(document, request)]
        by_document: dict[str, set[MatchKind]] = {}
        for match in matches:
            by_document.setdefault(match.hit.document_id, set()).update(match.kinds)
        return ScanResult(
            term=term,
            labels=request.labels,
            documents_searched=len(documents),
            sections_searched=self._count_sections(documents, request),
            documents=_count_groups(by_document.values()),
            sections=_count_groups(match.kinds for match in matches if match.in_section),
            occurrences=_count_kinds(kind for match in matches for kind in match.kinds),
            hits=tuple(match.hit for match in matches[: request.limit]),
            hits_left_out=max(0, len(matches) - request.limit),
        )

    def scan_question(self, question: str, request: ScanRequest, *, scope: Scope) -> ScanResult:
        """Scan the documents and sections that a question names, or kinds of section."""
        term = rf"(?<!\w){re.escape(request.term)}(?!\w)"
        remainder = re.sub(term, " ", question, flags=re.IGNORECASE)
        named = named_documents(remainder, scope=scope, catalog=self._catalog)
        in_all = resolve_sections(remainder, scope, self._catalog)
        sections = [_within(section, named.documents) for section in in_all]
        counted = _sections_to_count(sections, named.documents)
        documents = tuple(dict.fromkeys(name for name, _ in counted)) or named.documents
        only = SearchFilter(documents=documents)
        narrowed = request.model_copy(update={"only": only, "sections": frozenset(counted)})
        result = self._scan_kind(narrowed, remainder, scope)
        searched = self._catalog.corpus.documents(scope, only)
        names = {document.document_id: document.document for document in searched}
        in_scope = tuple(names[name] for name in named.documents if name in names)
        missing = (*named.missing, *_missing_sections(sections))
        return result.model_copy(update={"named": in_scope, "missing": missing})

    def longest_known_run(self, request: ScanRequest, *, core: str, scope: Scope) -> str | None:
        """Return the longest run of a term's words around ``core`` that occurs."""
        words = request.term.split()
        everywhere = request.model_copy(update={"limit": 0})

        def frequency(term: str) -> int:
            counts = self.scan(everywhere.model_copy(update={"term": term}), scope=scope)
            occurrences = counts.occurrences
            if term == core:
                return occurrences.any
            return occurrences.exact + occurrences.inflection

        for length in range(len(words), 0, -1):
            runs = (run for run in _runs(words, length, request) if f" {core} " in f" {run} ")
            frequencies = {run: frequency(run) for run in runs}
            best = max(frequencies, key=frequencies.__getitem__, default="")
            if best and frequencies[best]:
                return best
        return None

    def _scan_kind(self, request: ScanRequest, question: str, scope: Scope) -> ScanResult:
        """Scan the kind of section that the question asks for if the corpus has any, else all."""
        if not request.sections:
            for labels, words in _LABELS:
                if words.search(question):
                    narrowed = request.model_copy(update={"labels": labels})
                    result = self.scan(narrowed, scope=scope)
                    if result.sections_searched:
                        return result
        return self.scan(request, scope=scope)

    def _matches(self, document: CorpusDocument, request: ScanRequest) -> Iterator[_Match]:
        text = self._text(document.text_id)
        matcher = Matcher(request.term, (document.language, *request.languages))
        if not (occurrences := list(matcher.find(text))):
            return
        sections = _merge_labels(self._catalog.corpus.sections(document.text_id), request.labels)
        source = text.normal.source
        lines = [_ahead(document, source, sections), *sections]
        starts = [line.start for line in lines]

        def section_at(offset: int) -> int:
            return bisect_right(starts, offset) - 1

        # A phrase does not run over a heading.
        within = (o for o in occurrences if section_at(o.start) == section_at(o.end - 1))
        for n, group in groupby(within, key=lambda occurrence: section_at(occurrence.start)):
            if _counts(document, lines[n], request):
                in_line = list(group)
                kinds = [occurrence.kind for occurrence in in_line]
                hit = _hit(document, source, lines[n], in_line)
                yield _Match(kinds, hit, in_section=n > 0 or not sections)

    def _count_sections(self, documents: Sequence[CorpusDocument], request: ScanRequest) -> int:
        corpus, labels = self._catalog.corpus, request.labels
        if request.only.sections or request.sections:
            return sum(
                _counts(document, line, request)
                for document in documents
                for line in _merge_labels(corpus.sections(document.text_id), labels)
            )
        if not labels:
            return sum(max(document.sections, 1) for document in documents)
        texts = Counter(document.text_id for document in documents)
        labelled = corpus.labelled(texts, labels)
        return sum(texts[text_id] for text_id, label in labelled if is_label(label))

    def _text(self, text_id: str) -> ScannedText:
        text = self._texts.get([text_id]).get(text_id)
        if text is None:
            text = ScannedText(self._catalog.documents.text_of(text_id))
            self._texts.put(text_id, text)
        return text


def _ahead(document: CorpusDocument, text: str, sections: Sequence[SectionLine]) -> SectionLine:
    first = sections[0].start if sections else 0
    label = label_ahead(document.title, text, first, document.pages)
    return SectionLine(label, "", 0, first or len(text))


def _hit(
    document: CorpusDocument, text: str, section: SectionLine, occurrences: Sequence[Occurrence]
) -> ScanHit:
    best = min(occurrences, key=lambda occurrence: KINDS.index(occurrence.kind))
    start, end = _quote_span(text, best, section)
    return ScanHit(
        document_id=document.document_id,
        document=document.document,
        section=section.label,
        **page_fields(page_at(document.pages, best.start), document.page_labels or ()),
        start=start,
        end=end,
        quote=text[start:end],
        kind=best.kind,
        occurrences=_count_kinds(occurrence.kind for occurrence in occurrences),
    )


def _quote_span(text: str, match: Occurrence, section: SectionLine) -> tuple[int, int]:
    def first_blank(offsets: range, default: int) -> int:
        return next((at for at in offsets if text[at : at + 1].isspace()), default)

    start = max(section.start, match.start - QUOTE_BEFORE)
    end = min(max(section.end, match.end), match.end + QUOTE_AFTER)
    if start > section.start:
        start = first_blank(range(start, match.start), match.start - 1) + 1
    if end < section.end:
        end = first_blank(range(end, match.end - 1, -1), end)
    before, after = text[start : match.start], text[match.end : end]
    return match.start - len(before.lstrip()), match.end + len(after.rstrip())


def _merge_labels(sections: Sequence[SectionLine], labels: str) -> Sequence[SectionLine]:
    if not labels:
        return sections
    groups = (list(group) for _, group in groupby(sections, key=lambda line: line.label))
    return [group[0]._replace(end=group[-1].end) for group in groups]


def _counts(document: CorpusDocument, section: SectionLine, request: ScanRequest) -> bool:
    allowed = not request.only.sections or section.label in request.only.sections
    if request.sections:
        pairs = {(document.document_id, label) for label in ("", section.label)}
        allowed = allowed and not pairs.isdisjoint(request.sections)
    of_kind = section.label.startswith(request.labels) and is_label(section.label)
    return allowed and (of_kind or not request.labels)


def _within(section: NamedSection, documents: Sequence[str]) -> NamedSection:
    """Return a section as the documents have it that a question names, if it names any."""
    pairs = [pair for pair in section.pairs if not documents or pair[0] in documents]
    return section._replace(pairs=pairs)


def _sections_to_count(
    sections: Sequence[NamedSection], documents: Sequence[str]
) -> list[tuple[str, str]]:
    """Return the sections that a question names, and ``documents`` without one as a whole."""
    pairs = [pair for section in sections for pair in section.pairs]
    with_section = {section.document for section in sections} | {name for name, _ in pairs}
    wholes = [(name, "") for name in documents if name not in with_section]
    return [*pairs, *wholes] if pairs else []


def _missing_sections(sections: Sequence[NamedSection]) -> Iterator[str]:
    """Yield the names of sections that no text has; an unknown document is named elsewhere."""
    for reference, document, pairs in sections:
        if not pairs and (document is not None or reference.document is None):
            yield reference.target


def _count_kinds(kinds: Iterable[MatchKind]) -> KindCounts:
    counter = Counter(kinds)
    return KindCounts.model_validate({**counter, "any": counter.total()})


def _count_groups(groups: Iterable[Iterable[MatchKind]]) -> KindCounts:
    """Count the groups that have each kind, and those that have any."""
    distinct = filter(None, map(set, groups))
    counter = Counter(kind for kinds in distinct for kind in {*kinds, "any"})
    return KindCounts.model_validate(counter)


def _runs(words: list[str], length: int, request: ScanRequest) -> list[str]:
    """Return all words, or the runs of ``length`` that neither begin nor end with a stop word."""
    runs = [words[start : start + length] for start in range(len(words) - length + 1)]
    return [
        " ".join(run)
        for run in runs
        if run == words
        or (
            any(map(str.isalnum, "".join(run)))
            and not any(is_stop_word(run[at], code) for at in (0, -1) for code in request.languages)
        )
    ]
