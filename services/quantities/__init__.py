"""Numbers with units in German and English text, comparable as values."""

from services.quantities.compare import Agreement, agreement
from services.quantities.parse import Quantity, quantities

__all__ = ["Agreement", "Quantity", "agreement", "quantities"]
