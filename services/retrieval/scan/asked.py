"""What a question narrows a scan to: documents, sections and kinds of section, words and dates."""

import re
from typing import Final

from services.catalog import Catalog
from services.domain import Scope, SearchFilter
from services.domain.value import Value
from services.language.query.values import DateRange
from services.language.text import is_stop_word
from services.retrieval.named import named_documents, named_sections
from services.retrieval.scan.scanner import Scanner
from services.retrieval.scan.values import ScanRequest, ScanResult

MOST_UNDATED = 0.5
"""Share of the documents that may be without a date where dates are to narrow a search."""

_LABELS: Final = (
    ("§", re.compile(r"\b(?:paragraphen|paragraf\w*|paragraph\w*|párrafos?)\b|§§?(?!\s*\d)", re.I)),
    ("Art", re.compile(r"\b(?:artikeln?|articles?|artículos?)\b(?!\s*\d)", re.I)),
    ("Anlage", re.compile(r"\banlagen?\b(?!\s*\d)", re.I)),
    ("Anhang", re.compile(r"\banh[aä]ng\w*(?!\s*\d)", re.I)),
)
"""How labels of the kinds of section begin that questions ask for."""


class DatedFilter(Value):
    """A filter, and how many of the documents have no date.

    An answer should tell of these: with the dates ``applied`` they are left out, else everything is
    searched.
    """

    only: SearchFilter = SearchFilter()
    applied: bool = False
    undated: int = 0


def scan_asked(
    scanner: Scanner, catalog: Catalog, question: str, request: ScanRequest, *, scope: Scope
) -> ScanResult:
    """Scan what a question asks about: ``In wie vielen Paragraphen des Atomgesetzes …``.

    The question may name documents, one section, or a kind of section; the term itself is no such
    name.

    Raises:
        InvalidInput: the term has no letter or digit, or is too long.
    """
    term = rf"(?<!\w){re.escape(request.term)}(?!\w)"
    rest = re.sub(term, " ", question, flags=re.IGNORECASE)
    named = named_documents(rest, scope=scope, catalog=catalog)
    labels = dict.fromkeys(label for _, label in named_sections(rest, scope, catalog))
    only = SearchFilter(documents=named.documents, sections=tuple(labels))
    narrowed = request.model_copy(update={"only": only})
    result = _by_kind(scanner, narrowed, rest, scope)
    names = {each.document_id: each.document for each in catalog.corpus.documents(scope, only)}
    shown = tuple(names[each] for each in named.documents if each in names)
    return result.model_copy(update={"named": shown, "missing": named.missing})


def decided_term(scanner: Scanner, request: ScanRequest, *, core: str, scope: Scope) -> str | None:
    """The longest run of a term's words with ``core`` in it that the documents have, else None.

    Of runs of one length the one that stands there most often. Documents and kinds of section that
    the question names do not count: whether a word exists is asked of all.
    """
    words = request.term.split()
    everywhere = request.model_copy(update={"most_places": 0})

    def times(term: str) -> int:
        wanted = everywhere.model_copy(update={"term": term})
        found = scanner.scan(wanted, scope=scope).occurrences
        return found.any if term == core else found.exact + found.inflection

    for length in range(len(words), 0, -1):
        runs = (run for run in _runs(words, length, request) if f" {core} " in f" {run} ")
        counted = {run: times(run) for run in runs}
        best = max(counted, key=counted.__getitem__, default="")
        if best and counted[best]:
            return best
    return None


def dated_filter(dates: DateRange | None, *, scope: Scope, catalog: Catalog) -> DatedFilter:
    """The dates of a question as a filter, if documents have dates to compare with.

    They narrow the search when at most half of the documents are undated. Otherwise the question
    more likely means dates that its documents speak of, and everything is searched.
    """
    if dates is None or (dates.since is None and dates.until is None):
        return DatedFilter()
    found = {each.document_id for each in catalog.corpus.documents(scope, SearchFilter())}
    undated = len(found) - len(catalog.filters.dates(sorted(found), scope=scope))
    if undated > MOST_UNDATED * len(found):
        return DatedFilter(undated=undated)
    only = SearchFilter(since=dates.since, until=dates.until)
    return DatedFilter(only=only, applied=bool(found), undated=undated)


def _by_kind(scanner: Scanner, request: ScanRequest, question: str, scope: Scope) -> ScanResult:
    """Scan the kind of section that is asked for, if the corpus has any of it; else all."""
    if not request.only.sections:
        for labels, words in _LABELS:
            if words.search(question):
                narrowed = request.model_copy(update={"labels": labels})
                result = scanner.scan(narrowed, scope=scope)
                if result.sections_searched:
                    return result
    return scanner.scan(request, scope=scope)


def _runs(words: list[str], length: int, request: ScanRequest) -> list[str]:
    """The whole, or runs of so many words that neither begin nor end with a word of grammar."""
    runs = [words[start : start + length] for start in range(len(words) - length + 1)]
    return [
        " ".join(run)
        for run in runs
        if run == words
        or (
            any(map(str.isalnum, "".join(run)))
            and not any(is_stop_word(run[at], each) for at in (0, -1) for each in request.languages)
        )
    ]
