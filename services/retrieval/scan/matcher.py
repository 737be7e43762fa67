"""Every occurrence of a word or phrase in a text, and what kind it is.

Whether a word is the wanted one, another form of it or built with it is without a lexicon a matter
of spelling.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from os.path import commonprefix
from typing import Final

from services.domain.errors import InvalidInput
from services.domain.value import Language
from services.language.text import (
    compound_match,
    normalise,
    normalise_mapped,
    stems,
)
from services.language.vocabulary import word_set
from services.retrieval.scan.values import KINDS, MatchKind

LONGEST_TERM = 200
COMPOUNDING: Final = frozenset({"de", "nl"})
"""Languages that write compounds as one word."""

# What words may end with when they are declined or conjugated; not what makes new words of them.
_ENDINGS: Final[Mapping[Language, frozenset[str]]] = {
    "de": word_set(
        "e en n s es er ern em ens ns nen innen se sen ses is t te ten tet test st et ete eten"
    )
    | {""},
    "en": word_set("s es ed d ing e y ies ied") | {""},
    "fr": word_set("s x e es l ux le les er é ée és ées ent ant ons ez r") | {""},
    "es": word_set("s es o a os as ón ones e en an ado ada ados adas ar er ir") | {""},
}
_LONGEST_ENDING: Final = 3
"""Letters, in other languages that have a stemmer."""
_SURE_ROOT: Final = 5
_SHORTEST_ROOT: Final = 3
_VERB_ROOT: Final = 4
_SHORTEST_PART: Final = 4
_INNER_ROOT: Final = 5
_INNER_REST: Final = 3
_LONGEST_WORD: Final = 120
_UMLAUTS: Final = (("ä", "a"), ("ö", "o"), ("ü", "u"))
_RAISED: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹"

_WORD = re.compile(r"\w+")
_PIECE = re.compile(r"(?P<gap>\s*)(?P<piece>\w+|[^\w\s])")
_POSSESSIVE = re.compile(r"'s(?!\w)")
_QUOTES = "\"' "
_HYPHENS = frozenset("-‐‑")
"""Marks that join words; other dashes, which normalised texts write alike, part them."""


@dataclass(frozen=True)
class Occurrence:
    """Where a term stands: characters of the source, end exclusive, and as what."""

    start: int
    end: int
    kind: MatchKind


class ScannedText:
    """A text in the form in which terms are looked for."""

    def __init__(self, text: str) -> None:
        self.normal = normalise_mapped(text)

    @cached_property
    def words(self) -> list[tuple[str, str, list[int]]]:
        """Each word of the normalised text, its plain spelling before it, and where it begins."""
        places = defaultdict[str, list[int]](list)
        for word in _WORD.finditer(self.normal.text):
            places[word.group()].append(word.start())
        return [(_plain(word), word, found) for word, found in places.items()]

    def beginnings(self, first: "_Piece", languages: Sequence[Language]) -> list[int]:
        """Where the first piece of a term may stand, in the order of the text."""
        if not first.is_word:
            escaped = re.escape(first.text)
            return [match.start() for match in re.finditer(escaped, self.normal.text)]
        root = _plain(first.text)[:_SHORTEST_ROOT]  # every form and every compound has it
        found = (
            places
            for plain, word, places in self.words
            if root in plain and relation(first.text, word, languages)
        )
        return sorted(place for places in found for place in places)

    def is_hyphen(self, place: int) -> bool:
        """Whether a hyphen, and no dash, stands at a place of the normalised text."""
        text = self.normal.text
        if not 0 <= place < len(text) or text[place] != "-":
            return False
        return self.normal.source[self.normal.original(place)] in _HYPHENS


@dataclass(frozen=True)
class _Piece:
    text: str
    spaced: bool

    @property
    def is_word(self) -> bool:
        return self.text[0].isalnum() or self.text[0] == "_"


class Matcher:
    """Finds a term; of a phrase every word may be inflected.

    A word joined to others by hyphens is a compound. Raises InvalidInput for a term without any
    letter or digit, or a very long one.
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
        """The occurrences in the order of the text, which do not overlap."""
        done, letters = 0, text.normal.text
        for start in text.beginnings(self._pieces[0], self._languages):
            found = self._phrase.match(letters, start) if start >= done else None
            if found is not None and (kind := self._kind(text, found)):
                begin, end = _whole(text, *found.span())
                end += _is_suspended(text, end)
                done = end
                yield Occurrence(*text.normal.span(begin, end), kind)

    def _kind(self, text: ScannedText, found: re.Match[str]) -> MatchKind | None:
        """The farthest of what its words are; None where one of them is another word."""
        words = [piece for piece in self._pieces if piece.is_word]
        pairs = zip(words, found.groups(), strict=True)
        related = [relation(piece.text, word, self._languages) for piece, word in pairs]
        kinds = [kind for kind in related if kind]
        if len(kinds) < len(words) or _is_part_of_number(text.normal.text, *found.span()):
            return None
        if self._pieces[-1].is_word and _POSSESSIVE.match(text.normal.text, found.end()):
            kinds.append("inflection")
        if _whole(text, *found.span()) != found.span() or _is_suspended(text, found.end()):
            kinds.append("compound")
        return max(kinds, key=KINDS.index, default="exact")


def folded(text: str) -> str:
    """The text in lower case without umlauts; every character keeps its place."""
    lower = text.replace("İ", "i").lower()  # the one letter that becomes two
    for umlaut, plain in _UMLAUTS:
        lower = lower.replace(umlaut, plain)
    return lower


def _plain(word: str) -> str:
    """Folded, and ``ss`` for ``ß``, as capitals write it."""
    return folded(word).replace("ß", "ss")


def relation(wanted: str, found: str, languages: Sequence[Language]) -> MatchKind | None:
    """What a word without hyphens is to a wanted one; the nearest that holds in any language.

    A number is only itself. Case does not count; capitals write ``SS`` for ``ß``.
    """
    if wanted.upper() == found.upper() and (wanted.isupper() or found.isupper()):
        return "exact"
    wanted, found = wanted.lower(), found.lower()
    if found[-1:] in _RAISED and wanted[-1:] not in _RAISED:
        found = found.rstrip(_RAISED)  # the number of a footnote
    if wanted == found:
        return "exact"
    if len(found) > _LONGEST_WORD or not found.isalpha() or not wanted.isalpha():
        return None
    related = [_relation(wanted, found, language) for language in dict.fromkeys(languages)]
    return min((kind for kind in related if kind is not None), key=KINDS.index, default=None)


@lru_cache(maxsize=8_192)
def _relation(wanted: str, found: str, language: Language) -> MatchKind | None:
    if _inflected(wanted, found, language):
        return "inflection"
    return "compound" if language in COMPOUNDING and _built_with(wanted, found) else None


def _inflected(wanted: str, found: str, language: Language) -> bool:
    one, other = folded(wanted), folded(found)
    shared = len(commonprefix((one, other)))  # noqa: RUF071 (characters)
    stem = stems(wanted, language)
    same = bool(stem) and stem == stems(found, language)
    if language not in _ENDINGS:
        return same and max(len(one), len(other)) - shared <= _LONGEST_ENDING
    # Endings may begin alike: ``Beauftragt-e``, ``Beauftragt-er``.
    for length in range(shared, max(shared - _LONGEST_ENDING, _SHORTEST_ROOT - 1), -1):
        if all(_ends(each[length:], each[:length], language) for each in (one, other)):
            verb = language == "de" and one.endswith("n") and length >= _VERB_ROOT
            if length >= _SURE_ROOT or verb or same:
                return True
    return same and language == "de" and other.startswith("ge") and not one.startswith("ge")


def _ends(rest: str, before: str, language: Language) -> bool:
    """Whether the rest of a word is an ending; English doubles letters (``stop``, ``stopped``)."""
    endings = _ENDINGS[language]
    doubled = language == "en" and len(rest) > 1 and before.endswith(rest[0])
    return rest in endings or (doubled and rest[1:] in endings)


def _built_with(wanted: str, found: str) -> bool:
    """Whether a longer word begins or ends with the wanted one, or has it as a part within."""
    whole, part = _plain(found), _stripped(_plain(wanted))
    if len(part) < _SHORTEST_PART:
        return False
    if part.endswith("is") and compound_match(part[:-2] + "en", whole) and whole.endswith("en"):
        return True
    bare = {whole.removesuffix(ending) for ending in _ENDINGS["de"]} - {part}
    if any(part in each and compound_match(part, each) for each in bare):
        return True
    place = whole.find(part, _INNER_REST)
    return len(part) >= _INNER_ROOT and 0 < place < len(whole) - len(part) - _INNER_REST


def _stripped(word: str) -> str:
    """A word as it stands before others in a compound: ``Schul`` of ``Schule``."""
    for ending in ("en", "e"):
        if word.endswith(ending) and len(word) - len(ending) > _VERB_ROOT:
            return word.removesuffix(ending)
    return word


def _pattern(piece: _Piece, before: str) -> str:
    gap = " ?" if before == "§" else " " if piece.spaced else ""
    return gap + (r"(\w+)" if piece.is_word else re.escape(piece.text))


def _beyond_word(text: str, place: int, step: int) -> int:
    """The first place from one on, forwards or backwards, that no word holds."""
    while 0 <= place < len(text) and (text[place].isalnum() or text[place] == "_"):
        place += step
    return place


def _whole(text: ScannedText, start: int, end: int) -> tuple[int, int]:
    """The span with the words that hyphens join to it."""
    letters = text.normal.text
    while start > 1 and text.is_hyphen(start - 1) and letters[start - 2].isalnum():
        start = _beyond_word(letters, start - 2, -1) + 1
    while end < len(letters) - 1 and text.is_hyphen(end) and letters[end + 1].isalnum():
        end = _beyond_word(letters, end + 1, 1)
    return start, end


def _is_suspended(text: ScannedText, end: int) -> bool:
    """``Freigrenzen- und Grenzwertregelung``: half of a compound."""
    return text.is_hyphen(end) and text.normal.text[end + 1 : end + 2] == " "


def _is_part_of_number(text: str, start: int, end: int) -> bool:
    """``20`` in ``20,5`` or ``1.020`` is another number."""
    after = text[end - 1 : end + 2]
    before = text[max(start - 2, 0) : start + 1]
    return bool(re.match(r"\d[.,]\d", after) or re.match(r"\d[.,]\d", before))
