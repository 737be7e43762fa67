"""Numbers with units in German and English text, comparable as values."""

from services.language.quantities.parse import Agreement, Quantity, agreement, quantities

__all__ = ["Agreement", "Quantity", "agreement", "quantities"]
