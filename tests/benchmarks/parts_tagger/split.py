"""What one message asks: its questions, each complete.

The items of a list are parts as they stand; else a trained tagger tells which words belong to which
part, and which all of them share (``tagger.py``). Parts differ in what takes one place of a
sentence (``the fees for [adults] and [children] at the gate``), or they are clauses, of which the
later ones lean on words of the first (``Who pays for the lift and how often is it checked?``).
Nothing is cut inside quotation marks or brackets.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from services.domain.value import Span
from services.language.vocabulary import FUNCTION_WORDS
from tests.benchmarks.parts_tagger.contextual import words_of
from tests.benchmarks.parts_tagger.tagger import tags

_BULLET: Final = re.compile(
    r"(?:^[ \t]*|(?<=[?:;])[ \t]+)(?:[-*•‣–]|\(?\d{1,2}[.)]|\(?[a-h]\))[ \t]+", re.MULTILINE
)
_HELD_TOGETHER: Final = re.compile(
    r"„[^“”\"\n]*[“”\"]|“[^”\n]*”|\"[^\"\n]*\"|«[^»\n]*»|\([^()\n]*\)|`[^`\n]*`"
)
_MOST: Final = 8
_LONGEST: Final = 4_000
_MOST_WORDS: Final = 120
"""Words of a message that is read for its parts; a longer one is no question but a text."""


class Part(NamedTuple):
    """A question of a message: its text, the words of another part that it leans on, its own words.

    ``own`` is where the words stand that are the part's alone; None where it is all there is.
    """

    text: str
    about: str = ""
    own: Span | None = None

    @property
    def complete(self) -> str:
        """The text with what it leans on in brackets."""
        return f"{self.text.rstrip(' ?')} ({self.about})?" if self.about else self.text


@lru_cache(maxsize=256)
def parts_of(message: str) -> tuple[Part, ...]:
    """The 1-8 questions of a message, in its own words; the message where it asks one thing."""
    text = message[:_LONGEST].strip()
    items = [span for start, end in _items(text) if (span := _stripped(text, start, end))]
    listed = len(items) > 1
    words = [
        (start + a, start + b)
        for start, end in (items if listed else [(0, len(text))])
        for a, b in words_of(text[start:end])
    ]
    held = {n for n, (start, _) in enumerate(words) if _is_held(text, start)}
    begun = {n for n, (start, _) in enumerate(words) if start in dict(items)} if listed else set()
    if len(words) > _MOST_WORDS:
        return tuple(Part(text[a:b]) for a, b in items[:_MOST]) if listed else (Part(text),)
    found = tags([text[a:b] for a, b in words], held, begun)
    if "B" not in found:
        return tuple(Part(text[a:b]) for a, b in items[:_MOST]) if listed else (Part(text),)
    return told_apart(text, words, found)


def _items(text: str) -> list[Span]:
    """Where the items of a list stand."""
    starts = [match.span() for match in _BULLET.finditer(text)]
    ends = [start for start, _ in starts[1:]] + [len(text)]
    return [(begin, end) for (_, begin), end in zip(starts, ends, strict=False)]


def _stripped(text: str, start: int, end: int) -> Span | None:
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    return (start, start + len(part.strip())) if part.strip() else None


def _is_held(text: str, at: int) -> bool:
    """Whether a word stands in quotation marks or brackets."""
    return any(match.start() <= at < match.end() for match in _HELD_TOGETHER.finditer(text))


def told_apart(text: str, words: list[Span], found: str) -> tuple[Part, ...]:
    """The parts by the tags of the words."""
    begins = [n for n, tag in enumerate(found) if tag == "B"]
    own: list[list[int]] = [[] for _ in begins]
    shared: list[int] = []
    for n, tag in enumerate(found):
        number = sum(begin <= n for begin in begins)
        if tag == "S" or (tag == "I" and not number):
            shared.append(n)
        elif tag != "O":
            own[number - 1].append(n)
    head = [n for n in shared if n < begins[0]]
    tail = [n for n in shared if n > begins[-1] and n > own[-1][-1]]
    inner = [n for n in shared if n not in head and n not in tail]
    clauses = begins[0] == 0 or (bool(head) and text[words[head[-1]][0]] in ".?!:;")
    parts = []
    for number, mine in enumerate(own):
        leans = clauses and number > 0
        kept = sorted([*head, *inner, *mine]) if number == 0 else [*head, *mine]
        kept = [*kept, *(() if leans or not number else inner), *tail]
        about = _text(text, words, [n for n in inner if n not in mine]) if leans else ""
        parts.append(Part(_text(text, words, kept), about, _span(text, words, mine)))
    return tuple({part.text.casefold(): part for part in parts if part.text}.values())[:_MOST]


def _text(text: str, words: list[Span], chosen: list[int]) -> str:
    """Words as the message has them, side by side where they stood so."""
    joined, last = "", -2
    for n in chosen:
        start, end = words[n]
        gap = text[words[n - 1][1] : start] if n == last + 1 and joined else " "
        if not text[start].isalnum() and text[start] in ",;.?!":
            gap = gap.strip()
        joined += gap + text[start:end] if joined else text[start:end]
        last = n
    return " ".join(joined.split()).strip(" ,;")


def _span(text: str, words: list[Span], mine: list[int]) -> Span:
    """The first run of a part's own words, without words of grammar around it."""
    run = [n for n, number in enumerate(mine) if number == mine[0] + n]
    named = [n for n in run if _names(text[slice(*words[mine[n]])])] or run
    return words[mine[named[0]]][0], words[mine[named[-1]]][1]


def _names(word: str) -> bool:
    """Whether a word is none of grammar; a lone capital letter is a name."""
    return word[0].isalnum() and (
        word.casefold() not in FUNCTION_WORDS or (len(word) == 1 and word.isupper())
    )
