"""Highlight the words that matter: those two texts do not share, or those a query names."""

import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from services.domain import Language
from services.domain.value import Span
from services.language.text.words import best_match, stems
from services.language.vocabulary import FUNCTION_WORDS, STOP_WORDS

_WORD: Final = re.compile(r"\w+(?:[.,]\d+)*")
_NUMBER: Final = re.compile(r"\W*\d")
_ROW: Final = re.compile(r"[^\n]* \| [^\n]*")
_CELL: Final = re.compile(r"(?:(?P<head>(?:(?! \| ).)*?): )?(?P<value>(?:(?! \| ).)+)(?: \| )?")
"""A cell of a table's row, after the head of its column if it has one."""


@dataclass(frozen=True)
class MarkedText:
    """A run of a text; ``marked`` runs are highlighted."""

    text: str
    marked: bool


def mark_differences(
    sentence: str, quote: str, language: Language, decisive: Sequence[str] = ()
) -> tuple[tuple[MarkedText, ...], tuple[MarkedText, ...]]:
    """Return a sentence and its quote, each with the words marked that the other lacks.

    The ``decisive`` words are marked in the sentence too; other stop words are not.
    """
    decided = frozenset(" ".join(decisive).casefold().split())
    sentence_stems, quote_stems = (frozenset(stems(text, language)) for text in (sentence, quote))

    def lacking(stems_of_other: frozenset[str], word: str) -> bool:
        return any(not best_match(stem, stems_of_other) for stem in stems(word, language))

    return (
        tuple(
            _pieces(sentence, lambda word: lacking(quote_stems, word) or word.casefold() in decided)
        ),
        tuple(_pieces(quote, lambda word: lacking(sentence_stems, word))),
    )


def mark_query_words(text: str, query: str) -> tuple[MarkedText, ...]:
    """Mark the words of a query in a text, with other endings and in compounds, too.

    In the row of a table that has most of them, the cell is marked whose head has most of them; if
    they name no head, the only number that they do not name. The query is stemmed in every
    language: detecting its language takes a model that loads slowly.
    """
    query_stems = _stems_by_language(" ".join(_content_words(query)))

    def wants(word: str) -> bool:
        return word.casefold() not in FUNCTION_WORDS and any(
            best_match(stem, language_stems)
            for language, language_stems in query_stems.items()
            for stem in stems(word, language)
        )

    return tuple(_pieces(text, wants, _queried_cells(text, wants)))


def named_share(text: str, query: str) -> float:
    """Return the share of the words of a query that a text names, 0-1."""
    words, text_stems = _content_words(query), _stems_by_language(text)
    named = [
        any(
            best_match(stem, text_stems[language])
            for language, stems_of_word in _stems_by_language(word).items()
            for stem in stems_of_word
        )
        for word in words
    ]
    return sum(named) / len(named) if named else 0.0


def _content_words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if word.casefold() not in FUNCTION_WORDS]


def _stems_by_language(text: str) -> dict[Language, frozenset[str]]:
    return {language: frozenset(stems(text, language)) for language in STOP_WORDS}


def _queried_cells(text: str, wants: Callable[[str], bool]) -> list[Span]:
    """Return the spans of the cells that a query asks for, in the rows that it names best."""

    def named(words: str) -> float:
        return sum(map(wants, _WORD.findall(words)))

    rows: list[tuple[float, Span | None]] = []
    for row in _ROW.finditer(text):
        cells = [*_CELL.finditer(text, *row.span())]
        rows.append((sum(named(cell["value"]) for cell in cells), _queried_cell(cells, named)))
    most = max((names for names, span in rows if span), default=0)
    return [span for names, span in rows if span and names == most > 0]


def _queried_cell(cells: Sequence[re.Match[str]], named: Callable[[str], float]) -> Span | None:
    """Return the span of the cell of a row whose head is named best; else of its only number."""
    asked_for = [
        cell
        for cell in cells
        if cell["head"] and 2 * named(cell["value"]) <= len(_WORD.findall(cell["value"]))
    ]
    named_heads = [cell for cell in asked_for if named(cell["head"])]
    numbers = [cell for cell in asked_for if _NUMBER.match(cell["value"])]
    if named_heads:
        cell = max(named_heads, key=lambda cell: (named(cell["head"]), -len(cell["head"])))
    elif len(numbers) == 1:
        cell = numbers[0]
    else:
        return None
    return cell.start(), cell.end("value")


def by_line(pieces: Iterable[MarkedText]) -> list[list[MarkedText]]:
    """Return the runs of each line of a text."""
    lines: list[list[MarkedText]] = [[]]
    for piece in pieces:
        first, *others = (replace(piece, text=text) for text in piece.text.split("\n"))
        lines[-1].append(first)
        lines += [[other] for other in others]
    return lines


def query_words_in(text: str, question: str) -> tuple[str, ...]:
    """Return the words of a text that a question names, each once, as written."""
    return tuple(
        dict.fromkeys(piece.text for piece in mark_query_words(text, question) if piece.marked)
    )


def excerpt(text: str, query: str, most: int) -> str:
    """Return up to ``most`` characters around the most words of a query, cut between words."""
    if len(text) <= most:
        return text
    matches: list[tuple[int, str]] = []
    at = 0
    for piece in mark_query_words(text, query):
        matches += [(at, piece.text.casefold())] * piece.marked
        at += len(piece.text)

    def words_from(start: int) -> int:
        return len({word for at, word in matches if start <= at < start + most})

    best = max((at for at, _ in matches), key=words_from, default=0)
    start = min(max(0, best - most // 6), len(text) - most)
    if start == 0:
        return textwrap.shorten(text, most, placeholder=" …")
    tail = text[start:].partition(" ")[2]
    return f"… {textwrap.shorten(tail, most - 2, placeholder=' …')}"


def _pieces(
    text: str, marks: Callable[[str], bool], marked: Sequence[Span] = ()
) -> Iterator[MarkedText]:
    """Yield the text in order as runs; adjacent marked words are one run."""
    words = [word.span() for word in _WORD.finditer(text) if marks(word[0])]
    runs: list[Span] = []
    for begin, end in sorted([*words, *marked]):
        if runs and not text[runs[-1][1] : begin].strip():
            begin, last = runs.pop()
            end = max(end, last)
        runs.append((begin, end))
    done = 0
    for begin, end in runs:
        if done < begin:
            yield MarkedText(text[done:begin], False)
        yield MarkedText(text[begin:end], True)
        done = end
    if done < len(text):
        yield MarkedText(text[done:], False)
