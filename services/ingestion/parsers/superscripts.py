"""Raised digits: 10⁶ is another number than 106."""

from typing import Final

RAISABLE: Final = "0123456789+-−"
RAISED: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻"
_SUPERSCRIPTS: Final = str.maketrans(RAISABLE, RAISED + RAISED[-1])


def to_superscript(text: str) -> str:
    """Return a raised text with Unicode superscripts for its digits and signs; letters stay."""
    return text.translate(_SUPERSCRIPTS)
