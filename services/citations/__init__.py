"""Quotes checked against their text; section labels and numbers compared."""

from services.citations.quotes import repair_quote, verify_quote

__all__ = ["repair_quote", "verify_quote"]
