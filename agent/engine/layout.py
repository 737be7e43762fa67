"""How an answer or a report is laid out for reading: pages and exports by the same rules.

Tables and neighbourhoods are in the language of their reader.
"""

from collections.abc import Sequence
from typing import Final

from agent.engine.reports import Answered
from services.evidence.highlighting import MarkedText as MarkedText
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
"""Characters of passages that only come closest, before a reader asks for more."""


def first_sight(sections: Sequence[LayoutSection]) -> dict[int, str]:
    """Return what passages that only come closest show first, by the place of the sentence.

    The sections share `FIRST_SIGHT`. The first passage of each is cut around its deciding words;
    others are shown while they have room.
    """
    shown: dict[int, str] = {}
    for section in sections:
        room = FIRST_SIGHT // len(sections)
        for line in section.lines:
            text = f"{line.case} {line.text}".strip()
            if line is not section.lines[0] and len(text) > room:
                break
            shown[line.n] = excerpt(text, " ".join(line.decisive), room)
            room -= len(shown[line.n])
    return shown


def by_place(observation: str) -> list[str]:
    """What a tool of the agent has shown: text, then a place and the text under it, by turns."""
    return LOCATION_LINE.split(observation)


def lay_out(answered: Answered) -> Layout:
    """Its sentences under their headings, each cited place with one number."""
    return layout.lay_out(dict(answered))


def headline(answered: Answered, language: str) -> str:
    """How many of its sentences have which standing, or how many passages come closest."""
    return standings_text(layout.standings_of(answered.sentences), answered.certainty, language)
