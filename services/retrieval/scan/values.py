"""What a scan of the corpus hands out."""

from typing import Literal

from services.domain import Citation, Language, SearchFilter
from services.domain.value import Value

MatchKind = Literal["exact", "inflection", "compound"]
"""``exact``: the word itself, in any case. ``inflection``: another grammatical form of it.
``compound``: a longer word that is built with it (``Tätigkeitsfreigrenze``, ``Freigrenzen-Liste``).
"""

KINDS: tuple[MatchKind, ...] = ("exact", "inflection", "compound")


class ScanRequest(Value):
    """What to look for: a word or phrase in any form, without regard to quotation marks.

    ``languages`` are those of the term, beside that of each document. ``only`` narrows documents
    and sections. ``labels`` is the beginning of the labels of the sections that count, such as
    ``§``. All is counted, ``most_places`` are returned.
    """

    term: str
    languages: tuple[Language, ...] = ()
    only: SearchFilter = SearchFilter()
    labels: str = ""
    most_places: int = 1000


class KindCounts(Value):
    """A number for each kind, and ``any`` for what has at least one of them.

    Of occurrences ``any`` is the sum; a section that has two kinds counts in both and once in
    ``any``.
    """

    exact: int = 0
    inflection: int = 0
    compound: int = 0
    any: int = 0


class ScanPlace(Citation):
    """A section that has the word, with its first and best occurrence.

    ``start``/``end`` are the characters of ``quote`` in the document's text. ``section`` is the
    label, ahead of the first section as of chunks there. ``page`` is that of the occurrence.
    """

    verified: bool = True
    kind: MatchKind
    occurrences: KindCounts


class ScanResult(Value):
    """Where a word stands in a corpus, completely.

    ``sections.exact`` of ``sections_searched`` sections have the word itself. ``labels`` says which
    sections were counted. What stands ahead of a document's first section is in ``occurrences`` and
    ``places`` and in no section; a document without any section counts as one.
    ``places_left_out`` is how many more places there are than were asked for. ``named`` are the
    documents to which the scan was narrowed, ``missing`` names of the question that the corpus does
    not have.
    """

    term: str
    labels: str
    documents_searched: int
    sections_searched: int
    documents: KindCounts
    sections: KindCounts
    occurrences: KindCounts
    places: tuple[ScanPlace, ...]
    places_left_out: int = 0
    named: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
