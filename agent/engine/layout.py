"""How an answer or a report is laid out for reading: pages and exports by the same rules."""

from agent.engine.reports import Answered
from services.evidence.sides import Piece as Piece
from services.evidence.sides import named as named
from services.evidence.sides import sides as sides
from services.export import layout
from services.export.layout import Layout as Layout
from services.export.layout import Line as Line
from services.export.layout import Part as Part
from services.export.layout import case_of as case_of
from services.export.words import counted
from services.retrieval.context import PLACE


def by_place(observation: str) -> list[str]:
    """What a tool of the agent has shown: text, then a place and the text under it, by turns."""
    return PLACE.split(observation)


def lay_out(answered: Answered) -> Layout:
    """Its sentences under their headings, each cited place with one number."""
    return layout.lay_out({"answer": answered.answer, "sentences": answered.sentences})


def headline(answered: Answered, language: str) -> str:
    """How many of its sentences have which standing, or how many passages come closest."""
    return counted(layout.standings_of(answered.sentences), answered.certainty, language)
