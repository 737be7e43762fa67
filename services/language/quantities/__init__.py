"""Numbers with units in German and English text, comparable as values."""

from services.language.quantities.numbers import in_digits
from services.language.quantities.parse import Quantity, agreement, quantities

__all__ = ["Quantity", "agreement", "in_digits", "quantities"]
