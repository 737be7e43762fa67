"""Raised figures: 10⁶ is another number than 106."""

from typing import Final

FIGURES: Final = "0123456789+-−"
_RAISED: Final = str.maketrans(FIGURES, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")


def raised(text: str) -> str:
    """A raised text with its figures and signs as the raised ones of Unicode; letters stay."""
    return text.translate(_RAISED)
