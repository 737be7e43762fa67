"""What pages show of a report or a turn besides its text, in the language of their reader."""

from collections.abc import Mapping
from typing import Any, Final

from services.export.coverage import Cell, CoverageTable, coverage_table
from services.export.neighbourhood import Neighbourhood, of_report, sentences

__all__ = ["Cell", "CoverageTable", "Neighbourhood", "coverage", "neighbourhood", "sentences"]

COLUMNS: Final = 6
"""Documents with a column of their own in a window."""


def neighbourhood(report: Mapping[str, Any]) -> Neighbourhood:
    """The sections that a report cites, and what those refer to."""
    return of_report(report)


def coverage(value: Mapping[str, Any], language: str, most: int | None = COLUMNS) -> CoverageTable:
    """What a report or a turn needed, by documents; without rows for a quick answer."""
    return coverage_table(value, language, most)
