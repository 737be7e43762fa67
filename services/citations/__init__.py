"""Quotes checked against their text; sentences of an answer led to the places that prove them."""

from services.citations.align import Aligned, EvidenceSentence, align
from services.citations.quotes import repair_quote, verify_quote
from services.citations.support import Support, check_support

__all__ = [
    "Aligned",
    "EvidenceSentence",
    "Support",
    "align",
    "check_support",
    "repair_quote",
    "verify_quote",
]
