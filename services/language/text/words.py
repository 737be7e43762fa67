"""Words, stems and parts of compounds."""

import re
import threading
from collections.abc import Collection
from functools import lru_cache
from typing import Final

from Stemmer import Stemmer

from services.domain.value import Language
from services.language.text.normal import normalise
from services.language.vocabulary import NAMES, STOP_WORDS, word_set

_TOKEN = re.compile(r"\d+(?:[.,]\d+)*(?:[^\W\d_](?!\w))?|[^\W\d]\w*|§+")
_SEPARABLE: Final = (
    "ab an auf aus bei ein fest her hin mit nach vor weg weiter wieder zu zurück zusammen"
)
_INFIX = re.compile(rf"({'|'.join(_SEPARABLE.split())})(?:zu|ge)(\w{{3,}})")
_PARTICIPLE = re.compile(r"ge(\w{4,})t")
_WEND = re.compile(r"(\w+?)(?:ge|zu)?wend(?:e[nt]?|ete[nrsm]?|ung|ungen)")
# Past roots of strong verbs that statutes use all the time.
_ABLAUT: Final = {
    "schritt": "schreit",
    "griff": "greif",
    "troff": "treff",
    "schloss": "schliess",
    "nomm": "nehm",
}
_SURE_PART: Final = 5
_VERB_PREFIXES: Final = word_set(
    """ab an auf aus be bei dar durch ein ent er fort ge her hin miss mit nach nieder über um un
    unter ver vor weg weiter wider wieder zer zu zurück zusammen"""
)


def tokens(text: str) -> list[str]:
    """Words, identifiers and numbers in order, as they are written.

    Hyphenated compounds and dotted names fall into their parts, ``is_str``, ``TypeIs``, ``9a``
    and ``1,5`` stay whole; of the punctuation only ``§`` is kept.
    """
    return _TOKEN.findall(normalise(text))


@lru_cache(maxsize=8_192)
def stems(text: str, language: Language) -> tuple[str, ...]:
    """Stems of the content words and numbers of a text in order, case-folded."""
    stop = STOP_WORDS.get(language, frozenset())
    folded = [token.casefold() for token in tokens(text)]
    return tuple(_stem(word, language) for word in folded if word not in stop and word[0] != "§")


def stem(word: str, language: Language) -> str:
    """The stem of one word, be it a stop word, or the number as it is written; case-folded."""
    return _stem(word.casefold(), language)


def is_stop_word(word: str, language: Language) -> bool:
    """Whether a word carries grammar rather than content."""
    return word.casefold() in STOP_WORDS.get(language, frozenset())


@lru_cache(maxsize=65_536)
def compound_match(query_stem: str, text_stem: str) -> float:
    """How well a stem that was found serves for one that was wanted.

    The head of a German compound, its end, says what the thing is, its beginning only what it is
    about. So ``dosisgrenzwert`` is a good match for ``grenzwert`` (0.7), ``grenzwert`` a fair one
    for ``dosisgrenzwert`` (0.5), and ``dosis`` a weak one (0.3). A part must have at least 4
    letters and leave at least 3 that are not just a prefix: ``haltung`` says nothing about
    ``unterhaltung``. One of 4 letters counts less.

    Returns:
        0-1; 1 for equal stems, 0 for unrelated ones.
    """
    if query_stem == text_stem:
        return 1.0
    short, long = (
        (query_stem, text_stem) if len(query_stem) < len(text_stem) else (text_stem, query_stem)
    )
    left_over = len(long) - len(short)
    if len(short) < 4 or left_over < 3 or not short.isalpha():
        return 0.0
    narrower = short is query_stem
    sure = 1.0 if len(short) >= _SURE_PART else 0.6
    if long.endswith(short) and long[:left_over] not in _VERB_PREFIXES:
        return sure * (0.7 if narrower else 0.5)
    if long.startswith(short):
        return sure * (0.5 if narrower else 0.3)
    return 0.0


@lru_cache(maxsize=65_536)
def _stem(word: str, language: Language) -> str:
    if word[0].isdigit() or language not in NAMES:
        return word
    if language != "de":
        return _local.get(NAMES[language].lower()).stemWord(word)
    if word.endswith("dosen"):
        word = word.removesuffix("en") + "is"  # the stemmer does not know Greek plurals
    if turned := _WEND.fullmatch(word):
        return f"{turned.group(1)}wend"  # it would make "angew" of "angewendet"
    return _verb_root(_local.get("german").stemWord(word))


def _verb_root(stem: str) -> str:
    """Make one of ``mitgeteilt``, ``mitzuteilen`` and ``Mitteilung``; Snowball leaves three."""
    infix = _INFIX.fullmatch(stem)
    if infix:
        stem = infix.group(1) + infix.group(2)
    for past, present in _ABLAUT.items():
        if stem.endswith(past) and len(stem) > len(past):
            stem = stem.removesuffix(past).removeprefix("ge") + present
    if participle := _PARTICIPLE.fullmatch(stem):
        return participle.group(1)
    if len(stem) > 6 and stem.endswith("ung"):
        return stem.removesuffix("ung")
    return re.sub(r"e?t$", "", stem) if len(stem) > 6 else stem


class _Stemmers(threading.local):
    """PyStemmer's objects must not be shared between threads."""

    def __init__(self) -> None:
        self.get = lru_cache(maxsize=None)(Stemmer)


_local = _Stemmers()


def best_match(stem: str, candidates: Collection[str]) -> float:
    """How well the best of the known stems serves for one, 0-1, as `compound_match` says."""
    if stem in candidates:
        return 1.0
    near = (other for other in candidates if stem in other or other in stem)
    return max((compound_match(stem, other) for other in near), default=0.0)


def has_stem(stem: str, text: str, language: Language) -> bool:
    """Whether a text has a word of this stem, or a compound with it."""
    return any(stem in other and compound_match(stem, other) for other in stems(text, language))


_ADDRESS: Final = re.compile(
    r"\b(?:\w+://|www\.)[^\s\"'<>()\[\]]+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.IGNORECASE
)


def addresses(text: str) -> set[str]:
    """Addresses of the web and of mail; a name with dots alone is none: ``collections.abc``."""
    return {address.rstrip(".,;:!?") for address in _ADDRESS.findall(text)}
