"""Extract the key phrases of a question or text."""

import re
from collections import Counter
from typing import Final

from services.domain.value import Language
from services.language.text.normal import normalise
from services.language.text.words import is_stop_word, stems

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
    """Return the frequency of a phrase's words, raised for long compounds and for 2-3 words."""
    words = stems(phrase, language)
    frequency = sum(common[word] for word in words) / len(words)
    length = min(max(map(len, words)), 20) / 20
    return frequency * (0.5 + length) + 0.25 * min(len(words), 3) + 0.1 * count


def _runs(text: str, language: Language) -> list[str]:
    """Return runs of content words; in German adjectives with the noun that ends the run."""
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
    """Drop phrases that say no more than a better one."""
    distinct: list[str] = []
    word_sets: list[set[str]] = []
    for phrase in ranked:
        words = set(stems(phrase, language)) or {phrase.casefold()}
        if not any(words <= other for other in word_sets):
            distinct.append(phrase)
            word_sets.append(words)
    return distinct
