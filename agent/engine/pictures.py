"""What pages show of a report or a turn besides its text, in the language of their reader."""

from services.export.coverage import Cell
from services.export.coverage import coverage_table as coverage
from services.export.neighbourhood import Neighbourhood, sentences
from services.export.neighbourhood import of_report as neighbourhood

__all__ = ["Cell", "Neighbourhood", "coverage", "neighbourhood", "sentences"]
