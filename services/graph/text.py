"""A text as the graph reads it: windows, words with their keys, and names found by such keys."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple, Self

from services.domain import Language, ParsedDocument, SectionSpan
from services.graph.values import Mention
from services.language.text.words import is_stop_word, stems
from services.language.vocabulary import word_set

WINDOW: Final = 4_000
PASSAGE: Final = 1_500
"""Most characters that a model reads at once, so that a small one does not mix things up."""
_SHORTEST: Final = 40
_SHORTEST_PASSAGE: Final = 80
"""Characters below which a passage is a heading and relates nothing."""


class SourceText(NamedTuple):
    text_id: str
    title: str
    text: str
    language: Language
    sections: Sequence[SectionSpan] = ()

    @classmethod
    def of(cls, text_id: str, parsed: ParsedDocument) -> Self:
        return cls(text_id, parsed.title, parsed.text, parsed.language, parsed.sections)

    @property
    def document_node(self) -> str:
        return f"document:{self.text_id}"

    def section_node(self, n: int) -> str:
        return f"section:{self.text_id}:{n}"


class Window(NamedTuple):
    """A piece of a text that belongs to one section, or to the document outside its sections."""

    owner: str
    start: int
    end: int


def windows(source: SourceText, size: int = WINDOW) -> Iterator[Window]:
    pieces, reached = [], 0
    for n, section in enumerate(source.sections):
        if section.start - reached > _SHORTEST:
            pieces.append(Window(source.document_node, reached, section.start))
        pieces.append(Window(source.section_node(n), section.start, section.end))
        reached = max(reached, section.end)
    if len(source.text) - reached > (_SHORTEST if reached else 0):
        pieces.append(Window(source.document_node, reached, len(source.text)))
    return (piece for window in pieces for piece in _pieces(source.text, size, window))


def passages(source: SourceText) -> Iterator[Window]:
    """Return the passages of a text that a model is given; each depends on its section alone."""
    return (
        window
        for window in windows(source, PASSAGE)
        if window.end - window.start >= _SHORTEST_PASSAGE
    )


def _pieces(text: str, size: int, window: Window) -> Iterator[Window]:
    start = window.start
    while window.end - start > size:
        limit = start + size
        borders = (text.rfind(mark, start + size // 2, limit) for mark in ("\n\n", "\n", " "))
        border = next((border for border in borders if border > 0), limit)
        yield Window(window.owner, start, border)
        start = border
    if start < window.end:
        yield Window(window.owner, start, window.end)


_WORD = re.compile(r"[^\W\d_](?:\w|[-‐‑](?=[^\W\d_]))*|\d+(?:[.,]\d+)*[a-z]?\b")
HYPHENS = re.compile(r"[-‐‑]")
_NEGATIONS: Final = word_set(
    "nicht kein keine keinen keiner keinem keines ohne nie no not non without never"
)
_NEGATION: Final = "¬"
_DERIVED: Final = (
    (re.compile(r"ung(?:en|s)?$"), "ung"),
    (re.compile(r"[kh]eit(?:en)?$"), "keit"),
    (re.compile(r"schaft(?:en)?$"), "schaft"),
    (re.compile(r"(?:lich|isch)(?:e[nrsm]?)?$"), "lich"),
    (re.compile(r"ende[nrsm]?$"), "end"),
    (re.compile(r"iert(?:e[nrsm]?)?$"), "iert"),
)
"""Endings that make another word, which the stemmer removes."""
_GAP = re.compile(r"[\s\w]{0,40}")
"""What may stand between two words of a name: white space and stop words, no punctuation."""


class Token(NamedTuple):
    """A word with its span and its first letter's case; ``key`` is empty for stop words."""

    key: str
    start: int
    end: int
    capital: bool


def tokenise(text: str, language: Language, start: int = 0, end: int | None = None) -> list[Token]:
    matches = _WORD.finditer(text, start, len(text) if end is None else end)
    return [
        Token(word_key(match.group(), language), *match.span(), match.group()[0].isupper())
        for match in matches
    ]


@lru_cache(maxsize=65_536)
def word_key(word: str, language: Language) -> str:
    """Return one key for all forms of a word, and for negations; empty for stop words."""
    joined = HYPHENS.sub("", word).casefold()
    if joined in _NEGATIONS:
        return _NEGATION
    if is_stop_word(joined, language):
        return ""
    if joined[0].isdigit():
        return joined
    word_stems = stems(joined, language)
    stem = "".join(word_stems) or joined
    if language != "de":
        return stem
    return stem + next((f"+{mark}" for ending, mark in _DERIVED if ending.search(joined)), "")


def is_negated(sentence: str, language: Language) -> bool:
    return any(token.key == _NEGATION for token in tokenise(sentence, language))


def name_keys(name: str, language: Language) -> tuple[str, ...]:
    tokens = tokenise(name, language)
    keys = tuple(token.key for token in tokens if token.key)
    return keys or tuple(name[token.start : token.end].casefold() for token in tokens)


class _Pattern(NamedTuple):
    node_id: str
    name: str
    capitals: tuple[bool, ...]
    exact: bool


class Names:
    """Names by the keys of their words; the first name added under some keys keeps them."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._patterns: dict[tuple[str, ...], _Pattern] = {}
        self._lengths: defaultdict[str, set[int]] = defaultdict(set)

    def add(self, node_id: str, name: str, *, exact: bool = False) -> str:
        """Add a name and return the id of the node that has its keys, perhaps an earlier one."""
        tokens = [token for token in tokenise(name, self._language) if token.key]
        if not tokens:
            return node_id
        capitals = tuple(token.capital for token in tokens)
        pattern = _Pattern(node_id, name, capitals, exact)
        self._lengths[tokens[0].key].add(len(tokens))
        return self._patterns.setdefault(tuple(token.key for token in tokens), pattern).node_id

    def find(self, text: str, tokens: Sequence[Token]) -> Iterator[Mention]:
        content = [token for token in tokens if token.key]
        keys = tuple(token.key for token in content)
        n = 0
        while n < len(content):
            for length in sorted(self._lengths.get(keys[n], ()), reverse=True):
                pattern, span = self._patterns.get(keys[n : n + length]), content[n : n + length]
                if pattern is not None and self._fits(pattern, text, span):
                    yield Mention(pattern.node_id, span[0].start, span[-1].end)
                    n += length
                    break
            else:
                n += 1

    def _fits(self, pattern: _Pattern, text: str, span: Sequence[Token]) -> bool:
        """Return whether a span is the name; ``angewendet`` is no mention of ``Anwendung``."""
        if not all(_GAP.fullmatch(text, one.end, next_.start) for one, next_ in pairwise(span)):
            return False
        if pattern.exact:
            return text[span[0].start : span[-1].end] == pattern.name
        words = list(zip(pattern.capitals, span, strict=True))
        return self._language != "de" or all(
            token.capital or not capital for capital, token in words[1:] or words
        )
