"""Finding many names in a text at once: a trie over word keys, walked once over the words."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from services.knowledge_graph.structure.tokens import Token, tokenise
from services.types import Language

_GAP = re.compile(r"[\s\w]{0,40}")
"""Between two words of a name: white space and words without meaning, no punctuation."""


class Pattern(NamedTuple):
    """A name to look for. ``exact`` wants the very letters, as abbreviations do."""

    node_id: str
    name: str
    capitals: tuple[bool, ...]
    exact: bool = False


class Match(NamedTuple):
    """A span of the text that names a node."""

    node_id: str
    start: int
    end: int


@dataclass
class _Branch:
    following: dict[str, "_Branch"] = field(default_factory=dict)
    pattern: Pattern | None = None


class Names:
    """Names by the keys of their words; the first that was added under some keys keeps them."""

    def __init__(self, language: Language) -> None:
        self._language = language
        self._root = _Branch()

    def add(self, node_id: str, name: str, *, exact: bool = False) -> str:
        """Look for a name too; the id of the node that has its keys, which may be another's."""
        tokens = [token for token in tokenise(name, self._language) if token.key]
        if not tokens:
            return node_id
        branch = self._root
        for token in tokens:
            branch = branch.following.setdefault(token.key, _Branch())
        if branch.pattern is None:
            capitals = tuple(token.capital for token in tokens)
            branch.pattern = Pattern(node_id, name, capitals, exact)
        return branch.pattern.node_id

    def find(self, text: str, tokens: Sequence[Token]) -> Iterator[Match]:
        """The places of the names in order, the longest first, none inside another."""
        content = [token for token in tokens if token.key]
        n = 0
        while n < len(content):
            match, words = self._at(text, content, n)
            if match is not None:
                yield match
            n += words

    def _at(self, text: str, content: Sequence[Token], first: int) -> tuple[Match | None, int]:
        """The longest name that begins with a word, and how many words it has; 1 without one."""
        branch = self._root
        best: Match | None = None
        words = 1
        for n in range(first, len(content)):
            if n > first and not _GAP.fullmatch(text, content[n - 1].end, content[n].start):
                break
            following = branch.following.get(content[n].key)
            if following is None:
                break
            branch, found = following, content[first : n + 1]
            if branch.pattern and self._fits(branch.pattern, text, found):
                best = Match(branch.pattern.node_id, found[0].start, found[-1].end)
                words = len(found)
        return best, words

    def _fits(self, pattern: Pattern, text: str, found: Sequence[Token]) -> bool:
        """German nouns are capitalised: ``angewendet`` is no mention of an ``Anwendung``."""
        if pattern.exact:
            return text[found[0].start : found[-1].end] == pattern.name
        if self._language != "de":
            return True
        alone = len(found) == 1
        return all(
            token.capital or not capital
            for n, (capital, token) in enumerate(zip(pattern.capitals, found, strict=True))
            if n > 0 or alone
        )
