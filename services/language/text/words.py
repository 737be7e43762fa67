"""Words, stems, parts of compounds, key phrases, and addresses in a text."""

import re
import threading
from collections import Counter
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
# Past roots of strong verbs that are frequent in statutes.
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
    """Return words, identifiers, numbers and ``§`` in order, as written.

    Hyphenated compounds and dotted names are split; ``is_str``, ``9a`` and ``1,5`` stay whole.
    """
    return _TOKEN.findall(normalise(text))


@lru_cache(maxsize=8_192)
def stems(text: str, language: Language) -> tuple[str, ...]:
    """Return the case-folded stems of a text's content words and numbers, in order."""
    stop = STOP_WORDS.get(language, frozenset())
    folded = [token.casefold() for token in tokens(text)]
    return tuple(_stem(word, language) for word in folded if word not in stop and word[0] != "§")


def stem(word: str, language: Language) -> str:
    """Return the case-folded stem of one word, stop words included, or a number as written."""
    return _stem(word.casefold(), language)


def is_stop_word(word: str, language: Language) -> bool:
    return word.casefold() in STOP_WORDS.get(language, frozenset())


@lru_cache(maxsize=65_536)
def compound_match(query_stem: str, text_stem: str) -> float:
    """Return how well a stem in a text matches a stem of a query, 0-1, and 1 if they are equal.

    The head of a German compound, its end, says what it is, its beginning only what it is about. A
    part must have at least 4 letters and leave at least 3 that are more than a prefix.
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
        word = word.removesuffix("en") + "is"  # a Greek plural, unknown to the stemmer
    if turned := _WEND.fullmatch(word):
        return f"{turned.group(1)}wend"  # Snowball makes "angew" of "angewendet"
    return _verb_root(_local.get("german").stemWord(word))


def _verb_root(stem: str) -> str:
    """Unify ``mitgeteilt``, ``mitzuteilen`` and ``Mitteilung``, which Snowball does not."""
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
    """One stemmer per thread, since PyStemmer's objects must not be shared."""

    def __init__(self) -> None:
        self.get = lru_cache(maxsize=None)(Stemmer)


_local = _Stemmers()


def best_match(stem: str, candidates: Collection[str]) -> float:
    if stem in candidates:
        return 1.0
    near = (other for other in candidates if stem in other or other in stem)
    return max((compound_match(stem, other) for other in near), default=0.0)


def has_stem(stem: str, text: str, language: Language) -> bool:
    return any(stem in other and compound_match(stem, other) for other in stems(text, language))


_ADDRESS: Final = re.compile(
    r"\b(?:\w+://|www\.)[^\s\"'<>()\[\]]+|(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+", re.IGNORECASE
)


def addresses(text: str) -> set[str]:
    """Return web and mail addresses; a dotted name alone (``collections.abc``) is none."""
    return {address.rstrip(".,;:!?") for address in _ADDRESS.findall(text)}


_LAW: Final = r"[A-ZÄÖÜ][A-Za-zÄÖÜäöü]*[A-ZÄÖÜ][A-Za-zÄÖÜäöü]*"
_LABEL = re.compile(
    rf"§§?\s*\d+[a-z]?(?:\s+(?:Abs\.|Absatz|Nr\.|Nummer|Satz)\s*\d+[a-z]?)*(?:\s+(?:des\s+|der\s+)?{_LAW})?"
    rf"|\b(?:Anlage|Anhang|Artikel|Kapitel|Abschnitt|Teil|Appendix|Annex|Section|Chapter|Article)\s+"
    rf"\d+(?:\.\d+)*[a-z]?(?:\s+{_LAW})?|\b(?:PEP|RFC|ISO|DIN(?:\s+EN)?)\s+\d+\b"
)
_CODE = re.compile(
    r"`+[^`\n]+`+|\b\w+(?:\.\w+)+(?:\(\))?|\b\w*_\w+\b|\b[A-Z][a-z0-9]+(?:[A-Z]\w*)+\b|\b[a-z]+[A-Z]\w*\b|@\w+"
)
_PHRASE_WORD = re.compile(r"[^\W\d_]\w*(?:-\w+)*|[.,;:?!()„“\"»«]|\d+")
_ADJECTIVE = re.compile(r"[a-zäöüß]{3,}(?:e[nrsm]?|lich|ig|isch|bar|sam)$")
_LONGEST: Final = 4
_LABEL_WEIGHT: Final = 4.0
_CODE_WEIGHT: Final = 3.0


def keyphrases(text: str, language: Language, limit: int = 8) -> list[str]:
    """Return the phrases that say what a text is about, best first.

    Section labels (``§ 78 StrlSchG``) and identifiers (``TypeIs``) stay whole. German phrases are
    nouns with their adjectives, others are runs of content words.
    """
    plain = normalise(text)
    scores: dict[str, float] = {}
    for pattern, weight in ((_LABEL, _LABEL_WEIGHT), (_CODE, _CODE_WEIGHT)):
        for match in pattern.finditer(plain):
            phrase = match.group().strip("`")
            scores[phrase] = scores.get(phrase, weight - 1.0) + 1.0
        plain = pattern.sub(" . ", plain)
    # Drop phrases of stop words only, such as "something-else".
    phrases = [phrase for phrase in _runs(plain, language) if stems(phrase, language)]
    counts = Counter(phrases)
    common = Counter(stem for phrase in phrases for stem in set(stems(phrase, language)))
    for phrase, count in counts.items():
        scores[phrase] = _weight(phrase, count, common, language)
    ranked = sorted(scores, key=lambda phrase: -scores[phrase])
    return _distinct(ranked, language)[:limit]


def things_named(question: str, language: Language) -> list[str]:
    """Return the words of a question's key phrases that name things: in German its nouns."""
    words = [
        word
        for phrase in keyphrases(question, language)
        for word in re.findall(r"[^\W\d_]{4,}", phrase)
        if language != "de" or word[0].isupper()
    ]
    return list(dict.fromkeys(words))


def _weight(phrase: str, count: int, common: Counter[str], language: Language) -> float:
    words = stems(phrase, language)
    frequency = sum(common[word] for word in words) / len(words)
    length = min(max(map(len, words)), 20) / 20
    return frequency * (0.5 + length) + 0.25 * min(len(words), 3) + 0.1 * count


def _runs(text: str, language: Language) -> list[str]:
    runs: list[str] = []
    run: list[str] = []
    for word in [*_PHRASE_WORD.findall(text), "."]:
        if language == "de":
            over = bool(run) and run[-1][0].isupper()
            belongs = word[0].isupper() or bool(_ADJECTIVE.match(word))
        else:
            over, belongs = bool(run), word[0].isalpha()
        belongs = belongs and not is_stop_word(word, language)
        if over and (language == "de" or not belongs):
            runs.append(" ".join(run[-_LONGEST:]))
            run = []
        run = [*run, word] if belongs else []
    return runs


def _distinct(ranked: list[str], language: Language) -> list[str]:
    distinct: list[str] = []
    word_sets: list[set[str]] = []
    for phrase in ranked:
        words = set(stems(phrase, language)) or {phrase.casefold()}
        if not any(words <= other for other in word_sets):
            distinct.append(phrase)
            word_sets.append(words)
    return distinct
