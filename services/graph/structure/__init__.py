"""Reading one text's part of the graph off its structure, without a model."""

from services.graph.structure.assemble import read_structure
from services.graph.structure.source import Source

__all__ = ["VERSION", "Source", "read_structure"]

VERSION = "structure-1"
"""Of what ``read_structure`` gives; parts by another version are built anew."""
