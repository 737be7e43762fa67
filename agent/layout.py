"""How a report is laid out for reading: the pages and every export by the same rules."""

from services.export.layout import Layout, Line, Part, lay_out

__all__ = ["Layout", "Line", "Part", "lay_out"]
