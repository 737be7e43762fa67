"""What can be known about a question before anything is retrieved."""

from services.language.query.understand import understand

__all__ = ["understand"]
