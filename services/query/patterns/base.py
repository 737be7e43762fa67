"""What a table of patterns holds, and how its short notation becomes regular expressions.

A pattern is a regular expression with three abbreviations: a space stands for any white space
(`` ?`` for none too), ``…`` for anything up to 100 characters of the same sentence, and it matches
whole words only (``\\w*`` leaves an ending open). ``^`` is the beginning of a sentence. Languages
that are often typed without accents are compared without them.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from services.query.values import QueryType

Patterns = tuple[str, ...]

_NO_BORDER: Final = r"(?<!\d\.)(?<!\b\w\.)(?<!\b[Aa]rt\.)(?<!\bAbs\.)(?<!\bN[ro]\.)"
"""Points that end no sentence: of ``12. Juni``, ``R. 1333``, ``Art. 5``."""
_SENTENCE_BORDER = re.compile(rf"{_NO_BORDER}(?<=[.?!;:–])\s+|\s*[¿¡]\s*")
_SENTENCE_MARK = re.compile(r"[\s.?!;:–]+$", re.MULTILINE)
_APOSTROPHES: Final = str.maketrans({"’": "'", "‘": "'", "`": "'", "´": "'", "\u202f": " "})


@dataclass(frozen=True)
class TypePatterns:
    """How a type of question is put: beyond doubt, clearly, or perhaps."""

    decisive: Patterns = ()
    clear: Patterns = ()
    hint: Patterns = ()


@dataclass(frozen=True)
class Asking:
    """Questions that are not for a passage: for all of them, for the store, for a limit.

    In ``mentions`` the group ``term`` is the word to look for; ``*_words`` name what is counted or
    listed. ``content`` in a question for documents makes it one for what they say. ``settled`` asks
    what one place says, whatever it seems to list.
    """

    database: Patterns
    content: Patterns
    threshold: Patterns
    count: Patterns
    listing: Patterns
    mentions: Patterns
    section_words: Patterns
    document_words: Patterns
    occurrence_words: Patterns
    passage_words: Patterns
    settled: Patterns


@dataclass(frozen=True)
class Splitting:
    """Where one question ends and the next begins.

    ``interrogatives`` open a question after a conjunction, ``listed`` after a mere comma too;
    ``verbs_first`` begin one that is answered by yes or no.
    """

    conjunctions: Patterns
    interrogatives: Patterns
    verbs_first: Patterns
    listed: Patterns
    imperatives: Patterns
    between: Patterns
    either: str


@dataclass(frozen=True)
class Table:
    """Everything that is known of how a language asks.

    ``facts`` and ``reasons`` are the question words that decide where no type's pattern does.
    ``openers`` are words before the question proper (``could you tell me``); ``asked`` begins a
    question after a phrase that says where or when.
    ``fragments`` are whole inputs that ask nothing by themselves. ``keywords`` are signs of work,
    by kind: causal, analysis, comparison, steps, synthesis. ``pairs`` find things held together,
    as groups ``a`` and ``b``. ``folded``: compared without accents.
    """

    types: Mapping[QueryType, TypePatterns]
    openers: Patterns
    asked: Patterns
    facts: Patterns
    reasons: Patterns
    fragments: Patterns
    keywords: Mapping[str, Patterns]
    pairs: Patterns
    asking: Asking
    splitting: Splitting
    folded: bool = False
    small_words: frozenset[str] = field(default_factory=frozenset)


def prepared(question: str, *, folded: bool) -> str:
    """A question as the patterns read it: a sentence a line without its mark, plain apostrophes.

    Args:
        question: as the user put it.
        folded: whether accents are taken off.
    """
    text = _SENTENCE_BORDER.sub("\n", question.translate(_APOSTROPHES))
    text = _SENTENCE_MARK.sub("", text).strip()
    return without_accents(text) if folded else text.replace("ß", "ss")


def without_accents(text: str) -> str:
    """``Quelle durée`` as ``Quelle duree``."""
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(letter for letter in decomposed if not unicodedata.combining(letter))


def compiled(patterns: Iterable[str], *, folded: bool) -> re.Pattern[str]:
    """One expression for several patterns; it matches where any of them does."""
    written = "|".join(_written_out(pattern, folded=folded) for pattern in patterns)
    return re.compile(rf"(?<!\w)(?:{written})(?!\w)" if written else r"(?!)", re.I | re.M)


def spaced(pattern: str) -> str:
    """A pattern for questions as they are written, with accents and inverted question marks."""
    if pattern.startswith("^"):
        pattern = r"^[¿¡\s]*" + pattern[1:]
    return pattern.replace(" ?", r"\s*").replace(" ", r"\s+").replace("…", r"[^?\n]{0,100}?")


def _written_out(pattern: str, *, folded: bool) -> str:
    if folded:
        pattern = without_accents(pattern)
    pattern = pattern.replace("ß", "ss").replace(" …", r"\b…").replace(" ?", r"\s*")
    return pattern.replace(" ", r"\s+").replace("…", r"[^?\n]{0,100}?")
