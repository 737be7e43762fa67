"""How a report is laid out for reading: the pages and every export by the same rules."""

from services.citations.sides import Piece, sides
from services.export.layout import Layout, Line, Part, case_of, lay_out, standings_of
from services.export.words import counted

__all__ = [
    "Layout",
    "Line",
    "Part",
    "Piece",
    "case_of",
    "counted",
    "lay_out",
    "sides",
    "standings_of",
]
