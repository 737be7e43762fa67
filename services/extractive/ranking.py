"""Which sentences answer a question.

A lexical score after BM25's idea of rare words, with what matters in statutes and standards:
parts of compounds, phrases, numbers where a number is asked for, definitions; and marked down:
headings, sentences that only refer elsewhere, and powers to issue regulations.
"""

import math
import re
from collections.abc import Mapping, Sequence, Set
from typing import Final

from services.extractive.questions import (
    Wanted,
    asks_definition,
    asks_yes_or_no,
    topic,
    wanted_number,
)
from services.quantities import quantities
from services.text import compound_match, is_heading, stem_sequence
from services.types import Language

DEFAULT_WEIGHTS: Final[Mapping[str, float]] = {
    "overlap": 0.70,
    "phrase": 0.12,
    "focus": 0.06,
    "number": 0.12,
    "definition": 0.12,
    "modality": 0.05,
}
"""Shares of the score; those that a question does not call for are left out."""

_IN_CONTEXT: Final = 0.6
_MARKED_DOWN: Final = 0.6
_BY_THE_WAY: Final = 0.8
_FOCUS_WORDS: Final = 12
_BOTH_HALVES: Final = 0.9
_HALVES_COVER: Final = 0.7
_PHRASE_WINDOW: Final = 3
_DELEGATION = re.compile(
    r"\bermächtigt\b.{0,60}\bRechtsverordnung|\bIn\s+der\s+Rechtsverordnung\s+k|\bDie\s+Rechtsverordnung\s+k"
    r"|^(?:und\s+|oder\s+)?\d{1,2}[a-z]?\.\s+(?:dass|wie|wer|ob|welche[mnrs]?|(?:in|unter|auf|für|bei|nach|an|zu"
    r"|durch|mit|von)\s+(?:welche[mnrs]?|wen))\b",
    re.DOTALL,
)
_REFERRING = re.compile(
    r"\b(?:gilt|gelten)\s+(?:\w+\s+){0,4}?entsprechend\b|\bfinde[tn]\b.{0,40}\bAnwendung|\b(?:ist|sind)\s+(?:\w+\s+){0,2}?anzuwenden"
    r"|\bsee\s+(?:also\s+)?(?::pep:|PEP|section|below|above)|\bas\s+described\s+in\b",
    re.IGNORECASE | re.DOTALL,
)
_UNTOUCHED = re.compile(r"\b(?:bleibt|bleiben)\s+unberührt\W*$")
_ABOUT_POWERS = re.compile(r"rechtsverordnung|ermächtig|bundesregierung|regulation", re.IGNORECASE)
_ABOUT_REFERENCE = re.compile(r"entsprechend|unberührt|anwendung|anwendbar|apply|applies", re.I)
_LAYS_DOWN = re.compile(
    r"\b(?:beträgt|betragen|mindestens|höchstens|längstens|spätestens|nicht\s+(?:überschr|übersteig)\w+"
    r"|is\s+limited|at\s+(?:least|most)|must\s+not\s+exceed|no\s+more\s+than)\b",
    re.IGNORECASE,
)
_MODAL = re.compile(
    r"\b(?:darf|dürfen|muss|müssen|kann|können|soll|sollen|zulässig|unzulässig|verboten|untersagt"
    r"|erlaubt|gestattet|verpflichtet|hat|haben|may|must|can|cannot|should|shall|allowed|permitted"
    r"|prohibited|required|not)\b",
    re.IGNORECASE,
)


def rank_sentences(
    query: str,
    sentences: Sequence[str],
    language: Language,
    *,
    weights: Mapping[str, float] | None = None,
    contexts: Sequence[str] | None = None,
) -> list[float]:
    """Score sentences by how well they answer a question.

    Args:
        query: a question or key words.
        sentences: candidates; rarity of words is judged among them.
        language: of the sentences.
        weights: replaces entries of `DEFAULT_WEIGHTS`.
        contexts: what each sentence stands under, such as its headings; a word of the question
            that is only there counts less.

    Returns:
        A score of 0-1 for each sentence, independent of their order.
    """
    if not sentences:
        return []
    words = list(dict.fromkeys(stem_sequence(topic(query), language)))
    if not words:
        return [0.0] * len(sentences)
    texts = [stem_sequence(sentence, language) for sentence in sentences]
    around = [stem_sequence(text, language) for text in contexts] if contexts else None
    matcher = _Matcher(words, texts, around or ())
    shares = {**DEFAULT_WEIGHTS, **(weights or {})}
    question = _Question(query, words, matcher)
    return [
        question.score(sentence, stems, around[index] if around else (), shares, language)
        for index, (sentence, stems) in enumerate(zip(sentences, texts, strict=True))
    ]


class _Matcher:
    """How well each word of a batch matches each word of the question, and how rare that is."""

    def __init__(
        self,
        words: Sequence[str],
        texts: Sequence[Sequence[str]],
        around: Sequence[Sequence[str]],
    ) -> None:
        vocabulary = {stem for text in (*texts, *around) for stem in text}
        self.matches: dict[str, dict[str, float]] = {
            word: {
                stem: strength
                for stem in vocabulary
                if (word in stem or stem in word) and (strength := compound_match(word, stem))
            }
            for word in words
        }
        sets = [frozenset(text) for text in texts]
        self.rarity = {word: self._rarity(word, sets) for word in words}
        self.total = sum(self.rarity.values())

    def _rarity(self, word: str, texts: Sequence[Set[str]]) -> float:
        """Inverse document frequency, ``ln(1 + N / (1 + n))``, a part of a word counting half."""
        matches = self.matches[word].items()
        count = sum(
            max((strength for stem, strength in matches if stem in text), default=0.0)
            for text in texts
        )
        return math.log(1.0 + len(texts) / (1.0 + count))

    def strength(self, word: str, stems: Sequence[str]) -> float:
        """How well a word is matched, both halves of a compound together being nearly as good."""
        matches = self.matches[word]
        found = {stem: matches[stem] for stem in stems if stem in matches} if matches else {}
        best = max(found.values(), default=0.0)
        if best < _BOTH_HALVES and len(found) > 1:
            head = max((len(stem) for stem in found if word.endswith(stem)), default=0)
            start = max((len(stem) for stem in found if word.startswith(stem)), default=0)
            if head and start and head + start >= _HALVES_COVER * len(word):
                return _BOTH_HALVES
        return best


class _Question:
    """A question with everything that is the same for all candidates."""

    def __init__(self, text: str, words: Sequence[str], matcher: _Matcher) -> None:
        self._words = words
        self._matcher = matcher
        self._wanted = wanted_number(text)
        self._definition = asks_definition(text)
        self._yes_or_no = asks_yes_or_no(text)
        self._powers = bool(_ABOUT_POWERS.search(text))
        self._reference = bool(_ABOUT_REFERENCE.search(text))

    def score(
        self,
        sentence: str,
        stems: Sequence[str],
        context: Sequence[str],
        weights: Mapping[str, float],
        language: Language,
    ) -> float:
        strengths = [self._strength(word, stems, context) for word in self._words]
        overlap = self._overlap(strengths)
        features = {
            "overlap": overlap,
            "phrase": overlap * self._phrase(stems),
            "focus": overlap * _focus(strengths, stems),
        }
        if self._wanted:
            features["number"] = overlap * _states_number(sentence, self._wanted, language)
        if self._definition:
            features["definition"] = overlap * self._defines(sentence, stems)
        if self._yes_or_no:
            features["modality"] = overlap * bool(_MODAL.search(sentence))
        total = sum(weights[name] for name in features)
        score = sum(weights[name] * value for name, value in features.items()) / (total or 1.0)
        return min(1.0, score * self._discount(sentence, stems))

    def _strength(self, word: str, stems: Sequence[str], context: Sequence[str]) -> float:
        inside = self._matcher.strength(word, stems)
        return max(inside, _IN_CONTEXT * self._matcher.strength(word, context))

    def _overlap(self, strengths: Sequence[float]) -> float:
        rarity = self._matcher.rarity
        found = sum(
            rarity[word] * strength for word, strength in zip(self._words, strengths, strict=True)
        )
        return found / self._matcher.total if self._matcher.total else 0.0

    def _phrase(self, stems: Sequence[str]) -> float:
        """Share of neighbouring words of the question that are close in the sentence, too."""
        pairs = list(zip(self._words, self._words[1:], strict=False))
        if not pairs:
            return 1.0
        places = {
            word: [i for i, stem in enumerate(stems) if stem in self._matcher.matches[word]]
            for word in self._words
        }
        close = sum(
            any(abs(i - j) <= _PHRASE_WINDOW for i in places[one] for j in places[other])
            for one, other in pairs
        )
        return close / len(pairs)

    def _defines(self, sentence: str, stems: Sequence[str]) -> bool:
        """Whether a term of the question stands first, before a colon or a defining verb."""
        head = re.match(
            r"\W*(?:\(?\d+[a-z]?[.)]\s*)?[„\"“]?(.{2,80}?)[“\"”]?\s*(?::|\b(?:ist|sind|bezeichnet|bedeutet|umfasst"
            r"|heißt|gilt|is|are|means|denotes|refers)\b)",
            sentence,
            re.DOTALL,
        )
        in_brackets = re.search(r"\(([^()]{3,60})\)\s*[.;,]?\s*$", sentence)
        places = [match.group(1).casefold() for match in (head, in_brackets) if match]
        return any(word[:8] in place for word in self._words for place in places)

    def _discount(self, sentence: str, stems: Sequence[str]) -> float:
        factor = 1.0
        if is_heading(sentence):
            factor *= _MARKED_DOWN
        if not self._powers and _DELEGATION.search(sentence):
            factor *= _MARKED_DOWN
        if not self._reference and _refers(sentence, stems):
            factor *= _MARKED_DOWN
        return factor


def only_refers(sentence: str, language: Language) -> bool:
    """Whether a sentence states nothing itself: something else applies, or somebody may rule."""
    return bool(_DELEGATION.search(sentence)) or _refers(
        sentence, stem_sequence(sentence, language)
    )


def _refers(sentence: str, stems: Sequence[str]) -> bool:
    """Whether a sentence only says that something else applies."""
    if _UNTOUCHED.search(sentence):
        return True
    return len(stems) <= _FOCUS_WORDS and bool(_REFERRING.search(sentence))


def _focus(strengths: Sequence[float], stems: Sequence[str]) -> float:
    """How much of the sentence is about the question, a dozen words being short enough."""
    return min(
        1.0, sum(strengths) * _FOCUS_WORDS / (len(strengths) * max(len(stems), _FOCUS_WORDS))
    )


def _states_number(sentence: str, wanted: Wanted, language: Language) -> float:
    """Whether a sentence has a number of the wanted kind; best if it is what it is about."""
    found = quantities(sentence, language)
    if wanted == "amount":
        fits = any(quantity.measured for quantity in found)
    elif wanted == "duration":
        fits = any(quantity.unit in ("month", "day", "s", "date") for quantity in found)
    else:
        fits = bool(found)
    return (1.0 if _LAYS_DOWN.search(sentence) else _BY_THE_WAY) if fits else 0.0
