"""Whether a word of a text is a wanted word, another form of it, or built with it.

Without a lexicon this is a matter of spelling, so what was counted as what is shown form by form.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

from services.scan.values import KINDS, MatchKind
from services.text import compound_match, stem_sequence
from services.types import Language
from services.vocabulary import word_set

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
_CHANGING: Final = (("de", "is", 2), ("fr", "al", 1))
"""Endings that lose letters in the plural: ``Dosis``, ``Dosen``; ``national``, ``nationaux``."""
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


def folded(text: str) -> str:
    """The text in lower case without umlauts; every character keeps its place."""
    lower = text.replace("İ", "i").lower()  # the one letter that becomes two
    for umlaut, plain in _UMLAUTS:
        lower = lower.replace(umlaut, plain)
    return lower


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


def roots(word: str, languages: Sequence[Language]) -> tuple[str, ...]:
    """Folded letters of which every form of a word and every word built with it has one.

    They differ in ``ß``, for which capitals write ``ss``.
    """
    found = _root(word, languages)
    return tuple({found, found.replace("ß", "ss"), found.replace("ss", "ß")})


def _root(word: str, languages: Sequence[Language]) -> str:
    whole = folded(word)
    if not word.isalpha():
        return whole
    shared = [whole]
    for language in languages:
        shared += [_common(whole, folded(stem)) for stem in stem_sequence(word, language)]
    shortest = min(shared, key=len)
    for language, ending, changing in _CHANGING:
        if language in languages and whole.endswith(ending):
            shortest = _common(shortest, whole[:-changing])
    if "de" in languages or "nl" in languages:
        shortest = _common(shortest, _stripped(whole))
    return shortest if len(shortest) >= _SHORTEST_ROOT else whole


@lru_cache(maxsize=8_192)
def _relation(wanted: str, found: str, language: Language) -> MatchKind | None:
    if _inflected(wanted, found, language):
        return "inflection"
    return "compound" if language in COMPOUNDING and _built_with(wanted, found) else None


def _inflected(wanted: str, found: str, language: Language) -> bool:
    one, other = folded(wanted), folded(found)
    shared = len(_common(one, other))
    stem = stem_sequence(wanted, language)
    same = bool(stem) and stem == stem_sequence(found, language)
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


def _plain(word: str) -> str:
    return folded(word).replace("ß", "ss")


def _stripped(word: str) -> str:
    """A word as it stands before others in a compound: ``Schul`` of ``Schule``."""
    for ending in ("en", "e"):
        if word.endswith(ending) and len(word) - len(ending) > _VERB_ROOT:
            return word.removesuffix(ending)
    return word


def _common(one: str, other: str) -> str:
    length = next(
        (n for n, pair in enumerate(zip(one, other, strict=False)) if pair[0] != pair[1]),
        min(len(one), len(other)),
    )
    return one[:length]
