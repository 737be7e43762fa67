"""Whether a text fits the embedder, with as few token counts as possible: counting is slow."""

import re
from collections.abc import Callable
from typing import Final

_SPECIAL_TOKENS: Final = 8
"""Allowance for start and end marks and a prefix, where bytes stand in for tokens."""
_LOWER = re.compile(r"[a-zà-ÿ]")
_SYMBOL = re.compile(r"[^\w\s\x00-\x7f]")
_SINGLE = re.compile(r"(?<!\S)\S(?!\S)")
_SPACE = re.compile(r"\s")
_SAFETY: Final = 0.95
_EVIDENCE: Final = 100
"""Lower-case letters that a counted text must have to speak for the estimate."""


def estimate_tokens(text: str) -> float:
    """A cautious estimate by the kinds of characters.

    The weights were fitted to multilingual-e5-small: in 1,800 passages of German law, English
    prose with code, tables and mathematics the count was never above the estimate; for plain
    prose it is about 65 % of it.
    """
    lower, symbols = len(_LOWER.findall(text)), len(_SYMBOL.findall(text))
    others = len(text) - lower - len(_SPACE.findall(text))
    return 0.36 * lower + 1.15 * others + 0.9 * symbols + len(_SINGLE.findall(text)) + 6


class TokenBudget:
    """Tells whether a text has at most ``max_tokens`` tokens.

    Tokens are counted unless the bytes alone prove the case (no token is shorter than a byte),
    or the estimate is well below the limit. The estimate is believed only after a count has
    confirmed it for this document, and no longer once a count contradicts it.
    """

    def __init__(self, count_tokens: Callable[[str], int], max_tokens: int) -> None:
        self._count_tokens = count_tokens
        self._max_tokens = max_tokens
        self._confirmed = False
        self._contradicted = False

    def fits(self, text: str) -> bool:
        if len(text.encode()) + _SPECIAL_TOKENS <= self._max_tokens:
            return True
        estimate = estimate_tokens(text)
        believed = self._confirmed and not self._contradicted
        if believed and estimate <= _SAFETY * self._max_tokens:
            return True
        count = self._count_tokens(text)
        self._contradicted |= count > estimate + _SPECIAL_TOKENS
        self._confirmed |= len(_LOWER.findall(text)) >= _EVIDENCE
        return count <= self._max_tokens
