"""Resolve references to documents by the documents' own names.

Names come from titles, abbreviations in titles, file names and series numbers; there is no list. A
name that fits several documents is reported as ambiguous, never guessed.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import PurePath
from typing import Final

from services.catalog.values import Alias, AliasKind
from services.domain import DetectedReference, ParsedDocument, Value
from services.domain.notices import Notice
from services.domain.passages import title_of
from services.language.quantities.numbers import iso_date
from services.language.vocabulary import FUNCTION_WORDS
from services.references.abbreviations import abbreviates
from services.references.names import Numbered, day, key, nominative, read_numbered, split_version

_HEAD: Final = 1500
"""Characters at the start of a document that are searched for its number and dates."""
_SHORTEST_TITLE: Final = 25
"""Letters that a name and a title must share at the start."""

LONGEST_NAME: Final = 8
"""Words of a text in which it names a document."""

_IN_PARENTHESES = re.compile(r"\s*\(([^()]{2,120})\)\s*$")
_ABBREVIATION = re.compile(
    r"(?=(?:.*[A-ZÄÖÜ]){2})[A-ZÄÖÜ][A-Za-zÄÖÜäöüß-]{1,14}(?: (?:19|20)\d\d)?"
)
_SHORT_TITLE = re.compile(r"[A-ZÄÖÜ][\w -]*(?:gesetz|gesetzbuch|ordnung)", re.IGNORECASE)
_YEAR = re.compile(r" (?:19|20)\d\d$")
_EDITION = re.compile(
    r"(?<!\d)(?:\d{1,2}\.\s?\d{1,2}\.\s?)?(?:19|20)\d\d(?:[/._-]\d\d){0,2}(?!\d)"
    r"|(?<![^\W\d_])(?:(?:version|rev(?:ision)?|edition|fassung)[\s._-]*|v\.?)\d+(?:\.\d+)*"
    r"|\d+(?:\.|st|nd|rd|th)\s(?:edition|fassung|auflage)",
    re.IGNORECASE,
)
"""The year, date or version of a title."""
_SERIES_HEADER = re.compile(
    r"^(?:(PEP|RFC)|(Request for Comments)):[ \t]*0*(\d{1,5})[ \t]*$", re.MULTILINE
)
_ISSUED = re.compile(
    r"(?:Ausfertigungsdatum:?\s*|"
    r"(?:Neugefasst durch|Bek(?:anntmachung)?\.?) (?:Bek\. )?(?:vom|v\.) )"
    r"(?P<date>\d{4}-\d\d-\d\d|\d{1,2}\.\s?(?:\d{1,2}\.\s?|\w+ )\d{4})"
)


class Resolution(Value):
    """The target of a reference: its document with a short name (``AtG``), and a section in it.

    ``document_id`` is None when ``reason`` says why.
    """

    document_id: str | None = None
    label: str | None = None
    name: str | None = None
    reason: Notice | None = None


def aliases_of(parsed: ParsedDocument, *, document: str, document_id: str) -> list[Alias]:
    """Derive the names by which texts may refer to a document.

    The title, what stands in parentheses at its end (``(StrlSchV 2018)``), the file name without
    its ending, its number in a series, and its dates of issue.
    """
    title = title_of(" ".join(parsed.title.split()), document)
    named: list[tuple[AliasKind, str]] = [*_title_names(title), ("file", PurePath(document).stem)]
    numbered = _series_name(title, document, parsed.text[:_HEAD])
    named += [("series", numbered.name)] if numbered else []
    short = next((name for kind, name in named if kind == "abbreviation"), title)
    dates = {iso_date(match["date"]): None for match in _ISSUED.finditer(parsed.text[:_HEAD])}
    named += [("title", f"{_YEAR.sub('', short)} vom {day(date)}") for date in dates if date]
    return [
        Alias(
            document_id=document_id,
            document=document,
            title=title,
            alias=name,
            kind=kind,
            series=numbered.series if numbered and kind == "series" else None,
            number=numbered.number if numbered and kind == "series" else None,
        )
        for kind, name in dict.fromkeys(named)
    ]


def _title_names(title: str) -> Iterator[tuple[AliasKind, str]]:
    yield "title", title
    match = _IN_PARENTHESES.search(title)
    if match is None:
        return
    names = [name.strip() for name in re.split(r" [–—-] |[,;]", match[1])]
    short_names = [
        name for name in names if _ABBREVIATION.fullmatch(name) or _SHORT_TITLE.fullmatch(name)
    ]
    if short_names:
        yield "title", title[: match.start()]
    for name in short_names:
        if _ABBREVIATION.fullmatch(name):
            yield "abbreviation", name
            yield "abbreviation", _YEAR.sub("", name)
        else:
            yield "title", name


def _series_name(title: str, document: str, head: str) -> Numbered | None:
    """Return the document's number from its header, its title or its file name."""
    header = _SERIES_HEADER.search(head)
    stated = f"{header[1] or 'RFC'} {header[3]}" if header else ""
    numbers = map(read_numbered, (stated, title, PurePath(document).stem))
    return next(filter(None, numbers), None)


@dataclass(frozen=True, slots=True)
class _DocumentNames:
    """The names of a document. ``last_words`` says whether the word before belongs to each."""

    document: str
    name: str
    title: str
    title_key: str
    abbreviations: tuple[str, ...]
    dates: frozenset[str]
    words: tuple[tuple[str, ...], ...]
    last_words: frozenset[tuple[str, bool]]


class Registry:
    """Resolves references by the names (`aliases_of`) of all documents that a request sees."""

    def __init__(self, aliases: Sequence[Alias]) -> None:
        self._by_key: dict[str, dict[str, None]] = defaultdict(dict)
        self._by_number: dict[tuple[str, str], dict[str, str | None]] = defaultdict(dict)
        self._candidates, self._of_kind = cache(self._find), cache(self._find_kind)
        of_document: dict[str, list[Alias]] = defaultdict(list)
        for alias in aliases:
            of_document[alias.document_id].append(alias)
            self._by_key[key(alias.alias)][alias.document_id] = None
            if alias.kind == "series" and (numbered := read_numbered(alias.alias)):
                number = (numbered.series, numbered.number)
                self._by_number[number][alias.document_id] = numbered.edition
        self._documents = {
            document_id: _names_of(names) for document_id, names in of_document.items()
        }

    @property
    def names(self) -> tuple[str, ...]:
        named = (document.name for document in self._documents.values())
        return tuple(dict.fromkeys(name for name in named if name))

    def name_of(self, document_id: str) -> str | None:
        """Return the short name of a document (``AtG``, ``PEP 484``); None if unknown."""
        document = self._documents.get(document_id)
        return document.name if document else None

    def file_of(self, document_id: str) -> str:
        return self._documents[document_id].document

    def versions(self, document_id: str) -> list[str]:
        """Return documents whose title differs only in its year, date or version."""
        document = self._documents.get(document_id)
        same = self._by_plain_title[_without_edition(document.title)] if document else []
        return [other_id for other_id in same if other_id != document_id]

    @cached_property
    def _by_plain_title(self) -> dict[str, list[str]]:
        """The ids of documents by their titles without editions, if these have any."""
        by_title: dict[str, list[str]] = defaultdict(list)
        for document_id, document in self._documents.items():
            if title := _without_edition(document.title):
                by_title[title].append(document_id)
        return by_title

    def resolve(self, reference: DetectedReference, *, from_document_id: str) -> Resolution:
        """Find the document that a reference means, or say why there is none.

        A section without a document means the one that contains it, and so does a name that fits
        this one among others.
        """
        if reference.type == "external":
            return Resolution(reason=Notice.of("external: listed, not fetched"))
        name, version = split_version(reference.document or "")
        if name and reference.relation:
            candidates = self._others_named(name, from_document_id, alone=not version)
        else:
            candidates = self._candidates(name) if name else [from_document_id]
        fit = [
            candidate
            for candidate in candidates
            if not version or self._is_version(candidate, version)
        ]
        reason = None
        if not candidates:
            reason = Notice.of("not in your documents")
        elif not fit:
            reason = Notice.of("another version, not in your documents: {version}", version=version)
        elif len(fit) > 1 and from_document_id not in fit:
            files = ", ".join(sorted(self._documents[candidate].document for candidate in fit))
            reason = Notice.of("ambiguous: {files}", files=files)
        if reason:
            return Resolution(label=reference.label, reason=reason)
        target = from_document_id if from_document_id in fit else fit[0]
        return Resolution(document_id=target, label=reference.label, name=self.name_of(target))

    def _others_named(self, name: str, document_id: str, *, alone: bool) -> Sequence[str]:
        """Return the other documents that a document may say to change by a name.

        Without a version (``alone``) a name that it bears itself means itself or its versions, and
        one that is also the kind of others any of these.
        """
        begun = self._by_words(name)
        named = self._candidates(name) or begun
        others = [other for other in named if other != document_id]
        if alone and document_id in (*named, *begun):
            title = _plain_title(self._documents[document_id].title)
            same = (
                other for other in others if _plain_title(self._documents[other].title) == title
            )
            return list(same)
        if alone and others:
            of_kind = [other for other in self._of_kind(name) if other != document_id]
            return list(dict.fromkeys([*others, *of_kind]))
        return others

    def _find_kind(self, name: str) -> Sequence[str]:
        """Return the documents of which a word names the kind: ``Satzung`` a Hundesteuersatzung."""
        words = _words(name)
        if len(words) != 1:
            return ()
        return [
            document_id
            for document_id, document in self._documents.items()
            if any(
                last.endswith(words[0]) and (last != words[0] or is_compound)
                for last, is_compound in document.last_words
            )
        ]

    def _is_version(self, document_id: str, version: str) -> bool:
        """Return whether a document can be the version: in force, and issued on its day."""
        if version.endswith("geltenden Fassung"):
            return False
        document = self._documents.get(document_id)
        return document is None or not document.dates or iso_date(version) in document.dates

    def _find(self, name: str) -> Sequence[str]:
        if numbered := read_numbered(name):
            editions = self._by_number.get((numbered.series, numbered.number), {})
            return [
                document_id
                for document_id, edition in editions.items()
                if None in (edition, numbered.edition) or edition == numbered.edition
            ]
        name_key = key(name)
        return (
            list(self._by_key.get(name_key, ()))
            or self._by_title(name_key)
            or self._by_abbreviation(name)
        )

    def _by_title(self, name_key: str) -> list[str]:
        """Return the documents whose title begins with the name, or the name with the title."""
        return [
            document_id
            for document_id, document in self._documents.items()
            if min(len(document.title_key), len(name_key)) >= _SHORTEST_TITLE
            and (document.title_key.startswith(name_key) or name_key.startswith(document.title_key))
        ]

    def begun_with(self, text: str) -> list[str]:
        """Return the documents whose names a text begins with, the longest names first."""
        words = text.split()[:LONGEST_NAME]
        for length in range(len(words), 0, -1):
            if documents := self._by_words(" ".join(words[:length])):
                return documents
        return []

    def _by_words(self, name: str) -> list[str]:
        """Return the documents of which a name begins with these words, or these words with it.

        ``Hausordnung von 2019`` is ``Hausordnung 2019.pdf``, the longest match counts.
        """
        words = _words(name)
        names = self._by_first_word.get(words[0], []) if words else []
        lengths = [_common_words(words, name) for _, name in names]
        most = max(lengths, default=0)
        best = (
            document_id for (document_id, _), n in zip(names, lengths, strict=True) if n == most
        )
        return list(dict.fromkeys(best)) if most else []

    @cached_property
    def _by_first_word(self) -> dict[str, list[tuple[str, tuple[str, ...]]]]:
        """The ids of documents with the words of each name, by its first word."""
        by_word: dict[str, list[tuple[str, tuple[str, ...]]]] = defaultdict(list)
        for document_id, document in self._documents.items():
            for words in filter(None, document.words):
                by_word[words[0]].append((document_id, words))
        return by_word

    def _by_abbreviation(self, name: str) -> list[str]:
        base = nominative(name)
        return [
            document_id
            for document_id, document in self._documents.items()
            if any(abbreviates(short, base, document.title) for short in document.abbreviations)
        ]


def _plain_title(title: str) -> str:
    return key(_EDITION.sub(" ", title))


def _without_edition(title: str) -> str:
    """Return a key of a title without its years, dates and versions, "" if it has none.

    A number that merely counts stays: ``Anlage 1``, ``Rechnung 1001``.
    """
    return _plain_title(title) if _EDITION.search(title) else ""


def _names_of(aliases: Sequence[Alias]) -> _DocumentNames:
    first = aliases[0]
    short = [alias.alias for alias in aliases if alias.kind == "abbreviation"]
    series = [alias.alias for alias in aliases if alias.kind == "series"]
    dates = (
        iso_date(split_version(alias.alias)[1] or "") for alias in aliases if alias.kind == "title"
    )
    return _DocumentNames(
        document=first.document,
        name=min(short, key=len, default=None) or next(iter(series), first.title),
        title=first.title,
        title_key=key(_IN_PARENTHESES.sub("", first.title)),
        abbreviations=tuple(short),
        dates=frozenset(filter(None, dates)),
        words=tuple({_words(alias.alias) for alias in aliases}),
        last_words=frozenset(_last_word(alias.alias) for alias in aliases),
    )


def _last_word(name: str) -> tuple[str, bool]:
    """Return the last word of a name, and whether the word before it belongs to it."""
    before, last = [*["", ""], *re.findall(r"[^\W_]+", name.casefold())][-2:]
    return last, before not in ("", *FUNCTION_WORDS)


def _words(name: str) -> tuple[str, ...]:
    """Return the words of a name in lower case, without function words."""
    words = re.findall(r"[^\W_]+", nominative(name).casefold())
    return tuple(word for word in words if word not in FUNCTION_WORDS)


def _common_words(words: Sequence[str], name: Sequence[str]) -> int:
    """Return with how many words both begin, 0 if each has more words than these.

    A name of one word that goes on in the text is another one.
    """
    length = min(len(words), len(name))
    is_name = words[:length] == name[:length] and (length > 1 or length == len(words))
    return length if is_name else 0
