"""Lay an answer or a report out for reading, by the same rules on pages and in exports.

Tables and neighbourhoods are in the language of the reader.
"""

from collections.abc import Sequence
from typing import Final

from agent.engine.reports import Answered
from services.evidence.highlighting import MarkedText as MarkedText
from services.evidence.highlighting import by_line as by_line
from services.evidence.highlighting import excerpt as excerpt
from services.evidence.highlighting import mark_differences as mark_differences
from services.evidence.highlighting import mark_query_words as mark_query_words
from services.export import layout
from services.export.coverage import Cell as Cell
from services.export.coverage import coverage_table as coverage_table
from services.export.layout import Layout as Layout
from services.export.layout import LayoutSection as LayoutSection
from services.export.layout import Line as Line
from services.export.layout import case_of as case_of
from services.export.neighbourhood import Neighbourhood as Neighbourhood
from services.export.neighbourhood import of_report
from services.export.neighbourhood import sentences as sentences
from services.export.texts import standings_text
from services.retrieval.context import LOCATION_LINE

neighbourhood = of_report
FIRST_SIGHT: Final = 400
"""Characters that uncertain passages show before a reader asks for more."""


def first_sight(sections: Sequence[LayoutSection]) -> dict[int, str]:
    """Return the excerpts of uncertain passages that are shown first, by sentence number.

    The sections share `FIRST_SIGHT`. The first passage of each is cut around its deciding words;
    others follow as long as they fit.
    """
    excerpts: dict[int, str] = {}
    for section in sections:
        room = FIRST_SIGHT // len(sections)
        for line in section.lines:
            text = f"{line.case} {line.text}".strip()
            if line is not section.lines[0] and len(text) > room:
                break
            excerpts[line.n] = excerpt(text, " ".join(line.decisive), room)
            room -= len(excerpts[line.n])
    return excerpts


def by_place(observation: str) -> list[str]:
    """Split the observation of an agent's tool into text, location, text, and so on."""
    return LOCATION_LINE.split(observation)


def lay_out(answered: Answered) -> Layout:
    """Return the sentences under their headings, with one number for each cited passage."""
    return layout.lay_out(dict(answered))


def headline(answered: Answered, language: str) -> str:
    """Return how many sentences have which standing, or how many passages come closest."""
    return standings_text(layout.standings_of(answered.sentences), answered.certainty, language)
