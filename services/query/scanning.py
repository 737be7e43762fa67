"""Questions that no handful of passages can answer: for everything, for the store, for a limit."""

import re
from functools import lru_cache
from typing import Final, Literal

from services.query.patterns import TABLES, compiled, prepared, spaced
from services.query.patterns.base import Asking
from services.query.values import ScanWish
from services.value import Language

Unit = Literal["section", "document", "occurrence", "passage"]

_QUOTED = re.compile(
    r"„([^“”\"\n]{2,80})[“”\"]|“([^”\n]{2,80})”|\"([^\"\n]{2,80})\"|«\s*([^»\n]{2,80}?)\s*»"
    r"|(?<!\w)['‘]([^'’\n]{2,80})['’](?!\w)"
)
_TERM_EDGES: Final = " .,;:?!\"'„“”«»‘’`"
_LEADING = re.compile(
    r"^(?:(?:the|a|an|der|die|das|den|dem|des|ein|eine|einen|le|la|les|un|une|el|los|las|una"
    r"|wort|begriff"
    r"|ausdruck|word|term|phrase|mot|terme|palabra|termino|expression|wörter|words)\s+|l['’]"
    r"|d['’])+",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"\s+(?:(?:in|im|aus|across|within|throughout|anywhere|from|dans|en|at|on|auf|is|are"
    r"|wird|werden|and|und|et|y)\b.*|(?:vor|auf|erwähnt|genannt|verwendet|steht|bitte|please|genau"
    r"|überhaupt|insgesamt|explicitly|ausdrücklich|appears?|occurs?))$",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"(?:weder|neither|ni|not|nicht|kein\w*|no|ningun\w*|aucun\w*)(?!\w)", re.IGNORECASE
)
_MOST_WORDS: Final = 4
_WORDS_BETWEEN: Final = 2
_LONGEST: Final = 1_000


def about_database(question: str, language: Language) -> bool:
    """Whether a question asks about the collections and stored documents themselves."""
    return _any(question, language, "database") and not _any(question, language, "content")


def about_threshold(question: str, language: Language) -> bool:
    """Whether a question asks above or below what value something holds, or what then follows."""
    return _any(question, language, "threshold")


def scan_wish(question: str, language: Language) -> ScanWish | None:
    """What a question wants counted or listed over everything, None if it does not.

    The term is what stands in quotation marks, else what the question says to be mentioned. Longer
    than four words it is a description rather than a wording: then only meaning can tell.
    """
    text = question[:_LONGEST]
    term, quoted = _term(text, language)
    counts, lists = _any(text, language, "count"), _any(text, language, "listing")
    if not (counts or lists):
        return None
    if term is None and not _needs_everything(text, language, counts=counts):
        return None
    return ScanWish(
        wanted="count" if counts else "list",
        unit=_unit(text, language, counts=counts),
        term=term,
        quoted=quoted,
    )


def _needs_everything(question: str, language: Language, *, counts: bool) -> bool:
    """Without a term: whether a wish for a list means the whole corpus, or a count its units.

    ``How many patients …`` stands written in one place; ``how many sections …`` does not.
    """
    if not counts:
        return not _settled(question, language)
    return any(_counted(question, language, kind) for kind in ("section_words", "document_words"))


def _counted(question: str, language: Language, kind: str) -> bool:
    """Whether the words for how many are followed, within two words, by a unit of the kind."""
    if language not in TABLES:
        return False
    text = _plain(question, language)
    count = _pattern(language, "count").search(text)
    unit = _pattern(language, kind).search(text, count.end()) if count else None
    return bool(count and unit and len(text[count.end() : unit.start()].split()) <= _WORDS_BETWEEN)


def _settled(question: str, language: Language) -> bool:
    """Whether one place settles it: what that place itself refers to (``to which articles …``)."""
    return _any(question, language, "settled")


def _unit(question: str, language: Language, *, counts: bool) -> Unit:
    """The kind of thing that is asked for: the one named first."""
    places: list[tuple[int, Unit]] = []
    for kind, unit in _UNITS:
        found = _search(question, language, kind)
        if found is not None:
            places.append((found, unit))
    return min(places)[1] if places else ("occurrence" if counts else "passage")


_UNITS: Final[tuple[tuple[str, Unit], ...]] = (
    ("section_words", "section"),
    ("document_words", "document"),
    ("occurrence_words", "occurrence"),
    ("passage_words", "passage"),
)


def _term(question: str, language: Language) -> tuple[str | None, bool]:
    """The word or phrase to look for, and whether it stands in quotation marks."""
    for pattern in _mentions(language):
        match = pattern.search(question)
        if match is None:
            continue
        quoted = _QUOTED.search(question, match.start())
        if quoted is not None:
            return next(group for group in quoted.groups() if group).strip(), True
        found = next((group for group in match.groups() if group), "")
        return _wording(found), False
    return None, False


def _wording(found: str) -> str | None:
    """A term without articles and what follows it; None if it is too long to be a wording."""
    before, term = "", found.strip(_TERM_EDGES)
    while before != term:
        before, term = term, _TRAILING.sub("", term).strip(_TERM_EDGES)
    if _NEGATED.match(term):
        return None
    term = _LEADING.sub("", term).strip(_TERM_EDGES)
    return term if 1 <= len(term.split()) <= _MOST_WORDS and len(term) > 1 else None


def _any(question: str, language: Language, kind: str) -> bool:
    return _search(question, language, kind) is not None


def _search(question: str, language: Language, kind: str) -> int | None:
    """Where the patterns of a kind first match; languages without a table are tried with all."""
    tables = [language] if language in TABLES else list(TABLES)
    for table in tables:
        match = _pattern(table, kind).search(_plain(question, table))
        if match is not None:
            return match.start()
    return None


def _plain(question: str, language: Language) -> str:
    return prepared(question[:_LONGEST], folded=TABLES[language].folded)


@lru_cache(maxsize=64)
def _pattern(language: Language, kind: str) -> re.Pattern[str]:
    table = TABLES[language]
    patterns: tuple[str, ...] = getattr(table.asking, kind)
    return compiled(patterns, folded=table.folded)


@lru_cache(maxsize=8)
def _mentions(language: Language) -> tuple[re.Pattern[str], ...]:
    asking: Asking = TABLES.get(language, TABLES["en"]).asking
    return tuple(
        re.compile(rf"(?<!\w)(?:{spaced(pattern)})", re.IGNORECASE) for pattern in asking.mentions
    )
