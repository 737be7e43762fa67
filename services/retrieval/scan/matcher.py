"""Finds every occurrence of a word or phrase in a text, and classifies it by spelling alone."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from os.path import commonprefix
from typing import Final, Literal

from services.domain.errors import InvalidInput
from services.domain.value import Language
from services.language.text.normal import normalise, normalise_mapped
from services.language.text.words import compound_match, stems
from services.language.vocabulary import word_set

MatchKind = Literal["exact", "inflection", "compound"]
KINDS: tuple[MatchKind, ...] = ("exact", "inflection", "compound")
"""The word itself in any case, another grammatical form, a longer word that contains it."""

LONGEST_TERM = 200
COMPOUNDING: Final = frozenset({"de", "nl"})

_ENDINGS: Final[Mapping[Language, frozenset[str]]] = {
    "de": word_set(
        "e en n s es er ern em ens ns nen innen se sen ses is t te ten tet test st et ete eten"
    )
    | {""},
    "en": word_set("s es ed d ing e y ies ied") | {""},
    "fr": word_set("s x e es l ux le les er é ée és ées ent ant ons ez r") | {""},
    "es": word_set("s es o a os as ón ones e en an ado ada ados adas ar er ir") | {""},
}
"""Endings of declension and conjugation, without those that form new words."""
_LONGEST_ENDING: Final = 3
_SURE_ROOT: Final = 5
_SHORTEST_ROOT: Final = 3
_VERB_ROOT: Final = 4
_SHORTEST_COMPOUND_ROOT: Final = 4
_INNER_ROOT: Final = 5
_INNER_MARGIN: Final = 3
_LONGEST_WORD: Final = 120
_UMLAUTS: Final = (("ä", "a"), ("ö", "o"), ("ü", "u"))
_RAISED: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹"

_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"(?P<gap>\s*)(?P<piece>\w+|[^\w\s])")
_POSSESSIVE = re.compile(r"'s(?!\w)")
_QUOTES = "\"' "
_HYPHENS = frozenset("-‐‑")
"""Signs that join words; normalised texts write dashes, which separate words, alike."""


@dataclass(frozen=True)
class Occurrence:
    """Characters of the source, end exclusive, and how they match a term."""

    start: int
    end: int
    kind: MatchKind


class ScannedText:
    """A text in the form in which terms are looked for."""

    def __init__(self, text: str) -> None:
        self.normal = normalise_mapped(text)

    @cached_property
    def words(self) -> list[tuple[str, str, list[int]]]:
        """Each distinct word: its plain spelling, the word, and the offsets where it begins."""
        offsets = defaultdict[str, list[int]](list)
        for word in _WORD.finditer(self.normal.text):
            offsets[word.group()].append(word.start())
        return [(_plain(word), word, starts) for word, starts in offsets.items()]

    def starts_of(self, first: "_Piece", languages: Sequence[Language]) -> list[int]:
        """Return the offsets where the first piece of a term may begin, ascending."""
        if not first.is_word:
            escaped = re.escape(first.text)
            return [match.start() for match in re.finditer(escaped, self.normal.text)]
        root = _plain(first.text)[:_SHORTEST_ROOT]  # every form and every compound has it
        return sorted(
            start
            for plain, word, starts in self.words
            if root in plain and relation(first.text, word, languages)
            for start in starts
        )

    def is_hyphen(self, offset: int) -> bool:
        """Return whether the normalised text has a hyphen, and no dash, at an offset."""
        text = self.normal.text
        if not 0 <= offset < len(text) or text[offset] != "-":
            return False
        return self.normal.source[self.normal.original(offset)] in _HYPHENS


@dataclass(frozen=True)
class _Piece:
    text: str
    spaced: bool

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum() or self.text[0] == "_"


class Matcher:
    """Finds a term; in a phrase every word may be inflected. A hyphenated word is a compound.

    Raises:
        InvalidInput: the term has no letter or digit, or is too long.
    """

    def __init__(self, term: str, languages: Sequence[Language]) -> None:
        self.term = normalise(term).strip(_QUOTES)
        if not any(map(str.isalnum, self.term)) or len(self.term) > LONGEST_TERM:
            raise InvalidInput(
                "A scan needs a word or phrase of up to {most} characters, not {term!r}.",
                most=LONGEST_TERM,
                term=term,
            )
        self._languages = tuple(languages)
        self._pieces = [
            _Piece(match["piece"], bool(match["gap"])) for match in _PIECE.finditer(self.term)
        ]
        before = ["", *(piece.text for piece in self._pieces)]
        self._phrase = re.compile("".join(map(_pattern, self._pieces, before)))

    def find(self, text: ScannedText) -> Iterator[Occurrence]:
        """Yield the occurrences in the order of the text; they do not overlap."""
        done, letters = 0, text.normal.text
        for offset in text.starts_of(self._pieces[0], self._languages):
            match = self._phrase.match(letters, offset) if offset >= done else None
            if match is not None and (kind := self._kind(text, match)):
                start, end = _with_hyphenated(text, *match.span())
                end += _is_suspended(text, end)
                done = end
                yield Occurrence(*text.normal.span(start, end), kind)

    def _kind(self, text: ScannedText, match: re.Match[str]) -> MatchKind | None:
        words = [piece for piece in self._pieces if piece.is_word]
        pairs = zip(words, match.groups(), strict=True)
        related = [relation(piece.text, word, self._languages) for piece, word in pairs]
        kinds = [kind for kind in related if kind]
        if len(kinds) < len(words) or _is_in_number(text.normal.text, *match.span()):
            return None
        if self._pieces[-1].is_word and _POSSESSIVE.match(text.normal.text, match.end()):
            kinds.append("inflection")
        hyphenated = _with_hyphenated(text, *match.span()) != match.span()
        if hyphenated or _is_suspended(text, match.end()):
            kinds.append("compound")
        return max(kinds, key=KINDS.index, default="exact")


def folded(text: str) -> str:
    """Return the text in lower case without umlauts; every character keeps its offset."""
    lower = text.replace("İ", "i").lower()  # the one letter that becomes two
    for umlaut, plain in _UMLAUTS:
        lower = lower.replace(umlaut, plain)
    return lower


def _plain(word: str) -> str:
    return folded(word).replace("ß", "ss")


def relation(term: str, word: str, languages: Sequence[Language]) -> MatchKind | None:
    """Return how a word without hyphens relates to a term, the nearest kind of any language."""
    if term.upper() == word.upper() and (term.isupper() or word.isupper()):
        return "exact"
    term, word = term.lower(), word.lower()
    if word[-1:] in _RAISED and term[-1:] not in _RAISED:
        word = word.rstrip(_RAISED)  # the number of a footnote
    if term == word:
        return "exact"
    if len(word) > _LONGEST_WORD or not word.isalpha() or not term.isalpha():
        return None
    kinds = [_relation(term, word, language) for language in dict.fromkeys(languages)]
    return min((kind for kind in kinds if kind is not None), key=KINDS.index, default=None)


@lru_cache(maxsize=8_192)
def _relation(term: str, word: str, language: Language) -> MatchKind | None:
    if _is_inflection(term, word, language):
        return "inflection"
    return "compound" if language in COMPOUNDING and _is_compound(term, word) else None


def _is_inflection(term: str, word: str, language: Language) -> bool:
    one, other = folded(term), folded(word)
    shared = len(commonprefix((one, other)))  # noqa: RUF071 (characters)
    stem = stems(term, language)
    same_stem = bool(stem) and stem == stems(word, language)
    if language not in _ENDINGS:
        return same_stem and max(len(one), len(other)) - shared <= _LONGEST_ENDING
    # Endings may begin alike: ``Beauftragt-e``, ``Beauftragt-er``.
    for length in range(shared, max(shared - _LONGEST_ENDING, _SHORTEST_ROOT - 1), -1):
        if all(_is_ending(form[length:], form[:length], language) for form in (one, other)):
            verb = language == "de" and one.endswith("n") and length >= _VERB_ROOT
            if length >= _SURE_ROOT or verb or same_stem:
                return True
    return same_stem and language == "de" and other.startswith("ge") and not one.startswith("ge")


def _is_ending(suffix: str, root: str, language: Language) -> bool:
    """Return whether a suffix is an ending; English doubles letters (``stop``, ``stopped``)."""
    endings = _ENDINGS[language]
    doubled = language == "en" and len(suffix) > 1 and root.endswith(suffix[0])
    return suffix in endings or (doubled and suffix[1:] in endings)


def _is_compound(term: str, word: str) -> bool:
    """Return whether a longer word begins or ends with the term, or contains it."""
    compound, root = _plain(word), _compound_root(_plain(term))
    if len(root) < _SHORTEST_COMPOUND_ROOT:
        return False
    plural = compound.endswith("en") and root.endswith("is")
    if plural and compound_match(root[:-2] + "en", compound):
        return True
    bare = {compound.removesuffix(ending) for ending in _ENDINGS["de"]} - {root}
    if any(root in form and compound_match(root, form) for form in bare):
        return True
    offset = compound.find(root, _INNER_MARGIN)
    return len(root) >= _INNER_ROOT and 0 < offset < len(compound) - len(root) - _INNER_MARGIN


def _compound_root(word: str) -> str:
    """Return a word as it precedes others in a compound: ``Schul`` of ``Schule``."""
    for ending in ("en", "e"):
        if word.endswith(ending) and len(word) - len(ending) > _VERB_ROOT:
            return word.removesuffix(ending)
    return word


def _pattern(piece: _Piece, before: str) -> str:
    gap = " ?" if before == "§" else " " if piece.spaced else ""
    return gap + (r"(\w+)" if piece.is_word else re.escape(piece.text))


def _beyond_word(text: str, offset: int, step: int) -> int:
    while 0 <= offset < len(text) and (text[offset].isalnum() or text[offset] == "_"):
        offset += step
    return offset


def _with_hyphenated(text: ScannedText, start: int, end: int) -> tuple[int, int]:
    letters = text.normal.text
    while start > 1 and text.is_hyphen(start - 1) and letters[start - 2].isalnum():
        start = _beyond_word(letters, start - 2, -1) + 1
    while end < len(letters) - 1 and text.is_hyphen(end) and letters[end + 1].isalnum():
        end = _beyond_word(letters, end + 1, 1)
    return start, end


def _is_suspended(text: ScannedText, end: int) -> bool:
    """Return whether it is half of a compound: ``Freigrenzen- und Grenzwertregelung``."""
    return text.is_hyphen(end) and text.normal.text[end + 1 : end + 2] == " "


def _is_in_number(text: str, start: int, end: int) -> bool:
    """Return whether the span belongs to a longer number: ``20`` in ``20,5`` or ``1.020``."""
    after = text[end - 1 : end + 2]
    before = text[max(start - 2, 0) : start + 1]
    return bool(re.match(r"\d[.,]\d", after) or re.match(r"\d[.,]\d", before))
