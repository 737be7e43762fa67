"""Lay an answer or a report out for reading, by the same rules on pages and in exports.

Tables and neighbourhoods are in the language of the reader.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from agent.engine.reports import Answered
from services.evidence.highlighting import MarkedText as MarkedText
from services.evidence.highlighting import by_line as by_line
from services.evidence.highlighting import excerpt as excerpt
from services.evidence.highlighting import mark_differences as mark_differences
from services.evidence.highlighting import mark_query_words as mark_query_words
from services.export import layout
from services.export.coverage import CoverageCell as CoverageCell
from services.export.coverage import coverage_table as coverage_table
from services.export.layout import Layout as Layout
from services.export.layout import LayoutLine as LayoutLine
from services.export.layout import LayoutSection as LayoutSection
from services.export.layout import case_of as case_of
from services.export.neighbourhood import Neighbourhood as Neighbourhood
from services.export.neighbourhood import of_report
from services.export.neighbourhood import sentences as sentences
from services.export.texts import standings_text
from services.language.text.sentences import sentences as sentence_spans
from services.retrieval.context import LOCATION_LINE

neighbourhood = of_report
FIRST_SIGHT: Final = 400
"""Characters that uncertain passages show before a reader asks for more."""
LEAD: Final = 2
"""Most sentences that lead an answer."""


def split_lead(lines: Sequence[LayoutLine]) -> tuple[Sequence[LayoutLine], Sequence[LayoutLine]]:
    """Return what leads an answer, of its first paragraph, and the rest of this paragraph.

    The lead is the first sentence, or a whole paragraph of two. It is what a model wrote and
    proved: quotes have none. A claim of several sentences is split; its marks follow its end.
    """
    first = lines[0]
    if first.form != "prose" or first.standing is None or not first.proven:
        return (), lines
    spans = [sentence_spans(line.text) for line in lines]
    if sum(map(len, spans)) <= LEAD:
        return lines, ()
    if len(spans[0]) == 1:
        return lines[:1], lines[1:]
    end = spans[0][0][1]
    begun = replace(first, text=first.text[:end], numbers=(), review=None, note=None)
    return (begun,), (replace(first, text=first.text[end:].lstrip()), *lines[1:])


def first_sight(sections: Sequence[LayoutSection]) -> dict[int, str]:
    """Return the excerpts of uncertain passages that are shown first, by sentence number.

    The sections share `FIRST_SIGHT`. The first passage of each is cut to its deciding sentence and
    those that follow it; other passages follow as long as they fit.
    """
    excerpts: dict[int, str] = {}
    for section in sections:
        room = FIRST_SIGHT // len(sections)
        for line in section.lines:
            text = f"{line.case} {line.text}".strip()
            if line is not section.lines[0] and len(text) > room:
                break
            excerpts[line.n] = _deciding_sentences(text, " ".join(line.decisive), room)
            room -= len(excerpts[line.n])
    return excerpts


def _deciding_sentences(text: str, words: str, most: int) -> str:
    """Return the sentence with the most words and those after it, of up to ``most`` characters."""
    spans = sentence_spans(text)
    if len(text) <= most or not spans:
        return text

    def marked(span: tuple[int, int]) -> int:
        pieces = mark_query_words(text[slice(*span)], words)
        return len({piece.text.casefold() for piece in pieces if piece.marked})

    start, deciding = max(spans, key=marked)
    room = most - len("…  …")
    ends = [end for _, end in spans if deciding <= end <= start + room]
    if not ends:
        return excerpt(text, words, most)
    before, after = "… " * (start > spans[0][0]), " …" * (ends[-1] < spans[-1][1])
    return f"{before}{text[start : ends[-1]]}{after}"


def by_place(observation: str) -> list[str]:
    """Split the observation of an agent's tool into text, location, text, and so on."""
    return LOCATION_LINE.split(observation)


def lay_out(answered: Answered) -> Layout:
    """Return the sentences under their headings, with one number for each cited passage."""
    return layout.lay_out(dict(answered))


def headline(answered: Answered, language: str) -> str:
    """Return how many sentences have which standing, or how many quotes there are."""
    return standings_text(layout.standings_of(answered.sentences), answered.certainty, language)
