"""How a report is laid out for reading: the pages and every export by the same rules."""

from services.evidence.sides import Piece as Piece
from services.evidence.sides import sides as sides
from services.export.layout import Layout as Layout
from services.export.layout import Line as Line
from services.export.layout import Part as Part
from services.export.layout import case_of as case_of
from services.export.layout import lay_out as lay_out
from services.export.layout import standings_of as standings_of
from services.export.words import counted as counted
