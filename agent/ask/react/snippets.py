"""The sentence of a passage that comes nearest to a query, by its words."""

from collections.abc import Sequence
from typing import Final

from agent.ask.react.memory import clipped
from services.text import sentences, stems
from services.types import Language

SNIPPET: Final = 320


def snippet(text: str, query: str, language: Language, most: int = SNIPPET) -> str:
    """The part of a passage that has most words of the query, from the beginning of a sentence."""
    begin, _ = best_span(text, query, language)
    return clipped(text[begin:], most)


def best_span(text: str, query: str, language: Language) -> tuple[int, int]:
    """Start and end of the sentence that has most words of the query, the first of several."""
    wanted = set(stems(query, language))
    spans: Sequence[tuple[int, int]] = sentences(text) or [(0, len(text))]
    shared = [len(wanted & set(stems(text[start:end], language))) for start, end in spans]
    return spans[shared.index(max(shared))]
