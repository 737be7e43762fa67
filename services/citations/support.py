"""Whether a quote supports a sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from services.citations.labels import label_problems, without_labels
from services.citations.modality import modality_problems
from services.citations.numbers import check_numbers
from services.citations.polarity import polarity_problems
from services.extractive.definitions import defines, generic_subject
from services.quantities import quantities
from services.text import compound_match, is_heading, stem_sequence
from services.types import Language, Value

ENOUGH_WORDS: Final = 0.5
"""Share of a sentence's content words and numbers that a quote must have to support it."""

ENOUGH_FOR_MEANING: Final = 0.75
"""The same where a sentence says what any such thing is and the quote does not: the words of a rule
about the thing, in other roles, make no definition of it."""

_IN_CONTEXT: Final = 0.6
_WEAK_NUMBER: Final = 0.05
_CONTRADICTED: Final = 0.5
_TOO_LITTLE: Final = "only "
_NUMBER: Final = 2.0  # a number says as much as two words


class Support(Value):
    """How well a quote supports a sentence.

    ``score`` is the share of the sentence's content words in the quote, 0-1, lowered for numbers
    that agree only weakly and halved for problems. ``ok`` means no problems and enough words.
    ``contradicted`` tells that the quote says something else, not only too little. ``problems``
    are short English words for logs.
    """

    ok: bool
    score: float
    contradicted: bool
    problems: tuple[str, ...]

    @property
    def too_little(self) -> bool:
        """Whether nothing speaks against the sentence but that the quote says too little."""
        return not self.ok and all(problem.startswith(_TOO_LITTLE) for problem in self.problems)


def check_support(
    sentence: str,
    quote: str,
    language: Language,
    *,
    section: str = "",
    document: str = "",
    context: str = "",
) -> Support:
    """Judge whether what a sentence says follows from a quote.

    Numbers, units, negations, modality and section labels must agree, and the quote must have the
    sentence's content words.

    Args:
        sentence: of an answer.
        quote: text of the evidence; several quotes may be joined with line breaks.
        language: of both.
        section: label of the quote's section.
        document: file name of the quote's document.
        context: the passage and headings around the quote, for conditions and, less, for words
            that the quote takes up from there; not for amounts.
    """
    return judge(
        sentence, quote, language, sections=[section], documents=[document], context=context
    ).support


@dataclass(frozen=True)
class Judgement:
    """Support with what it was judged from.

    ``said`` is the share of words and numbers in the quote itself, 0-1. ``closeness`` is the share
    of words and conditions (ages, dates, counts) in quote and context, without those conditions
    that the quote contradicts. ``special`` tells that the quote is about a case that
    the sentence does not mention, ``elsewhere`` that the sentence names another section.
    """

    support: Support
    said: float
    closeness: float
    special: bool
    elsewhere: bool


def judge(
    sentence: str,
    quote: str,
    language: Language,
    *,
    sections: Sequence[str],
    documents: Sequence[str],
    context: str,
) -> Judgement:
    """`check_support` for a quote that may come from several sections and documents."""
    words = len(content_words(sentence, language))
    own, share = word_shares(sentence, quote, context, language)
    numbers = check_numbers(sentence, quote, context, language)
    said = _with_numbers(own, words, numbers.inside)
    against = [
        *polarity_problems(sentence, quote, language),
        *modality_problems(sentence, quote, language),
    ]
    labels = label_problems(sentence, quote, sections, documents)
    problems = [*numbers.problems, *against, *labels]
    score = max(0.0, share - _WEAK_NUMBER * numbers.weak)
    if problems:
        score *= _CONTRADICTED
    elif is_heading(quote):
        problems = [f"{_TOO_LITTLE}a heading"]
    elif said < _enough(sentence, quote, language):
        problems = [f"{_TOO_LITTLE}{said:.0%} of the words and numbers are in the quote"]
    support = Support(
        ok=not problems,
        score=score,
        contradicted=numbers.contradicts or bool(against),
        problems=tuple(problems),
    )
    closeness = _with_numbers(share, words, numbers.conditions)
    return Judgement(support, said, closeness, special=numbers.special, elsewhere=bool(labels))


def _enough(sentence: str, quote: str, language: Language) -> float:
    """Share of a sentence's words and numbers that a quote must have."""
    subject = generic_subject(sentence, language)
    if subject is None or defines(quote, subject, language):
        return ENOUGH_WORDS
    return ENOUGH_FOR_MEANING


def _with_numbers(share: float, words: int, numbers: Sequence[float]) -> float:
    """A share of so many words together with how well each number agrees, 0-1."""
    parts = words + _NUMBER * len(numbers)
    return (share * words + _NUMBER * sum(numbers)) / parts if parts else 0.0


def word_shares(sentence: str, quote: str, context: str, language: Language) -> tuple[float, float]:
    """Share of the sentence's content words in the quote, and with those of the context, 0-1.

    Words that are only in the context count less.
    """
    wanted = content_words(sentence, language)
    if not wanted:
        return 0.0, 0.0
    inside = frozenset(stem_sequence(quote, language))
    strengths = [_best(word, inside) for word in wanted]
    own = sum(strengths) / len(wanted)
    if not context or min(strengths) >= _IN_CONTEXT:
        return own, own
    around = frozenset(stem_sequence(context, language))
    both = (
        max(strength, _IN_CONTEXT * (word in around))
        for word, strength in zip(wanted, strengths, strict=True)
    )
    return own, sum(both) / len(wanted)


@lru_cache(maxsize=4_096)
def content_words(sentence: str, language: Language) -> tuple[str, ...]:
    """Distinct stems of a sentence without section labels and numbers with their units."""
    text = without_labels(sentence)
    for number in reversed(quantities(text, language)):
        text = f"{text[: number.start]} {text[number.end :]}"
    stems = stem_sequence(text, language)
    return tuple(dict.fromkeys(stem for stem in stems if not stem[0].isdigit()))


def _best(word: str, stems: frozenset[str]) -> float:
    if word in stems:
        return 1.0
    return max(
        (compound_match(word, stem) for stem in stems if word in stem or stem in word), default=0.0
    )
