"""Prove claims by code: find each quote in its section, and each number and label in the sections.

A quote names a place; what readers see is the text that stands there. So white space, case,
hyphenation and typographic signs may differ between the two, and nothing else: a quote with another
digit, another word or a missing word is not found.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from typing import Final, Literal

from agent.prompts.reading import DraftClaim, Verdict
from agent.reading.sections import SEPARATOR, Section
from agent.reading.values import Quote
from services.domain import Language, Value
from services.domain.value import Span
from services.evidence.grounding import ungrounded_labels, ungrounded_numbers
from services.language.text.words import stem

FEWEST_LETTERS: Final = 8
"""A shorter quote that stands several times is found only behind the quote before it."""
CACHED_TEXTS: Final = 32
"""Texts of sections whose letters are kept: claims quote few, again and again."""

_SIGNS: Final = re.compile(
    r"(?<![\w])[-−–](?=\d)"  # a minus, unlike the dash of a range
    r"|(?<=\d)[.,](?=\d)|(?<=\d)\s+(?=\d)"  # within and between numbers
    r"|[^\W_]|[\u0300-\u036f]"
)
_GAP: Final = re.compile(r"\s*\[?(?:…|\.\.\.)\]?\s*")
_EDGES: Final = re.compile(r"^[^\w\s]*")
"""Signs without white space at the beginning of a text."""
_WORD: Final = re.compile(r"(?:(?<!\w)[-−–](?=\d))?[^\W_]+(?:[.,]\d+)*")

Fault = Literal["", "quote", "number", "label", "missing", "unread"]
"""Why a claim is unproven: a quote, a number or a label of it was not found; its sections do not
say all of it; or it could not be verified."""


class Claim(Value):
    """A sentence of an answer with the words that it rests on.

    ``words`` are those that nothing proves, where it has a ``fault``; ``better`` is how a
    verification words it; ``made_of`` are the claims that it was written over, ``answers`` a
    question with the value that it gives to it.
    """

    text: str
    quotes: tuple[Quote, ...] = ()
    fault: Fault = ""
    words: str = ""
    better: str = ""
    made_of: tuple[str, ...] = ()
    answers: str = ""

    @property
    def sections(self) -> tuple[int, ...]:
        """Return the indexes of its sections, each once."""
        return tuple(dict.fromkeys(quote.section for quote in self.quotes))

    def reindexed(self, indexes: Sequence[int]) -> "Claim":
        """Return the claim with new indexes of its sections, by the old ones."""
        quotes = (
            quote.model_copy(update={"section": indexes[quote.section]}) for quote in self.quotes
        )
        return self.model_copy(update={"quotes": tuple(quotes)})

    def verified(self, verdict: Verdict | None) -> "Claim":
        """Return the claim with a verdict or without one; what code found stays."""
        better = verdict.better if verdict else ""
        if self.fault:
            return self.model_copy(update={"better": better})
        words = verdict.missing if verdict else ""
        fault: Fault = "unread" if verdict is None else "missing" if words else ""
        if words and verdict and verdict.why:
            words = f"{words} ({verdict.why})"
        return self.model_copy(update={"fault": fault, "words": words, "better": better})


def prove_claim(
    draft: DraftClaim, sections: Sequence[Section], question: str, language: Language
) -> Claim:
    """Return a model's claim with its quotes, and what of it is not proven."""
    quotes: list[Quote] = []
    ends: dict[int, int] = {}  # of the last quote from each section
    for source in draft.sources:
        section = sections[source.passage - 1] if 1 <= source.passage <= len(sections) else None
        spans = _spans(source.quote, section, ends.get(source.passage)) if section else ()
        if not section or not spans:
            return Claim(text=draft.text, quotes=(*quotes,), fault="quote", words=source.quote)
        ends[source.passage] = spans[-1][1]
        quotes += [_quote(source.passage - 1, section, *span) for span in spans]
    claim = Claim(text=draft.text, quotes=tuple(dict.fromkeys(quotes)))
    return check_claim(claim, sections, question, language)


def check_claim(
    claim: Claim, sections: Sequence[Section], question: str, language: Language
) -> Claim:
    """Return a claim with what of it neither its sections nor the question state."""
    if not claim.quotes:
        return claim.model_copy(update={"fault": "quote"})
    cited = [sections[number] for number in claim.sections]
    if words := ungrounded_numbers(claim.text, question, cited, language):
        return claim.model_copy(update={"fault": "number", "words": ", ".join(words)})
    if words := ungrounded_labels(claim.text, question, cited):
        return claim.model_copy(update={"fault": "label", "words": ", ".join(words)})
    return claim


def _spans(quote: str, section: Section, after: int | None) -> tuple[Span, ...]:
    return _quoted_text(section.text, section.language).find(quote, after)


def _quote(number: int, section: Section, start: int, end: int) -> Quote:
    return Quote(
        section=number,
        document_id=section.document_id,
        start=section.offset(start),
        end=section.offset(end),
        text=section.text[start:end],
    )


@lru_cache(maxsize=4_096)
def _plain(sign: str) -> str:
    if sign.isspace():
        return " "
    return "-" if sign in "-−–" else unicodedata.normalize("NFKD", sign).casefold()


class QuotedText:
    """A text in which quotes are looked for."""

    def __init__(self, text: str, language: Language) -> None:
        self._text, self._language = text, language

    @cached_property
    def _letters(self) -> tuple[str, list[int], list[int], list[bool]]:
        """Return the letters with start, end, and whether a word begins; one more entry closes."""
        letters: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        begins: list[bool] = []
        last = -1
        for match in _SIGNS.finditer(self._text):
            plain = _plain(match.group())
            begin = match.start() != last or plain == " "
            last = -1 if plain == " " else match.end()
            for n, letter in enumerate(plain):
                letters.append(letter)
                starts.append(match.start())
                ends.append(match.end())
                begins.append(begin and n == 0)
        size = len(self._text)
        return "".join(letters), [*starts, size], [*ends, size], [*begins, True]

    @cached_property
    def _words(self) -> tuple[list[re.Match[str]], list[str]]:
        words = list(_WORD.finditer(self._text))
        return words, [stem(word.group(), self._language) for word in words]

    def find(self, quote: str, after: int | None = None) -> tuple[Span, ...]:
        """Return the spans of a quote, one for each fragment between gaps; () if not found.

        A short one that stands several times is the first ``after`` the quote before it.

        A gap ("…") in the quote stands for anything; a gap in the text is in no span. Words in
        another form ("des Antrags" for "der Antrag") lead to the words that really stand there.
        """
        span = self._exact(quote, 0, alone=True) or self._inflected(quote)
        if span := span or (None if after is None else self._exact(quote, after)):
            return tuple(self._pieces(self._with_signs(quote, span)))
        fragments = [fragment for fragment in _GAP.split(quote) if _WORD.search(fragment)]
        if len(fragments) < 2:
            return ()
        spans: list[Span] = []
        for fragment in fragments:
            match = self._exact(fragment, spans[-1][1] if spans else 0)
            if match is None:
                return ()
            spans += self._pieces(self._with_signs(fragment, match))
        return tuple(spans)

    def _with_signs(self, quote: str, span: Span) -> Span:
        """Extend a span by the signs at the edges of its quote, where the text has them too."""
        first, last = _EDGES.findall(quote.strip())[0], _EDGES.findall(quote.strip()[::-1])[0][::-1]
        start, end = span
        before = self._text[:start].rpartition(SEPARATOR)[2]
        behind = self._text[end:].partition(SEPARATOR)[0]
        if first and before.rstrip().endswith(first):
            start -= len(before) - len(before.rstrip()) + len(first)
        if last and behind.lstrip().startswith(last):
            end += len(behind) - len(behind.lstrip()) + len(last)
        return start, end

    def _pieces(self, span: Span) -> Iterator[Span]:
        """Yield the pieces of a span between which some of the document is left out."""
        start, end = span
        for piece in self._text[start:end].split(SEPARATOR):
            yield start, start + len(piece)
            start += len(piece) + len(SEPARATOR)

    def _exact(self, quote: str, offset: int, *, alone: bool = False) -> Span | None:
        """Return the first span from ``offset`` on with the letters of a quote, in whole words."""
        pattern = "".join(map(_plain, _SIGNS.findall(quote)))
        text, starts, ends, begins = self._letters
        if not pattern:
            return None
        matches: list[int] = []
        at = text.find(pattern, bisect_left(starts, offset))
        while at >= 0 and len(matches) < 2:
            if begins[at] and begins[at + len(pattern)]:
                matches.append(at)
            at = text.find(pattern, at + 1)
        if not matches or (alone and len(pattern) < FEWEST_LETTERS and len(matches) > 1):
            return None
        return starts[matches[0]], ends[matches[0] + len(pattern) - 1]

    def _inflected(self, quote: str) -> Span | None:
        """Return the only span where the words of a quote stand in a row, in any form."""
        pattern = [stem(word, self._language) for word in _WORD.findall(quote)]
        if len("".join(pattern)) < FEWEST_LETTERS:
            return None
        words, stems = self._words
        size = len(pattern)
        starts = [n for n in range(len(stems) - size + 1) if stems[n : n + size] == pattern]
        if len(starts) != 1:
            return None
        return words[starts[0]].start(), words[starts[0] + size - 1].end()


_quoted_text = lru_cache(maxsize=CACHED_TEXTS)(QuotedText)
