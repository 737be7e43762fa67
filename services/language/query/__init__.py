"""Analysis of a question before any search."""

from services.language.query.understand import understand

__all__ = ["understand"]
