"""The base of all values, in a module of its own so that values may be spread over several."""

from pydantic import BaseModel, ConfigDict

Language = str
"""ISO 639-1 code, e.g. ``de`` or ``en``."""

Span = tuple[int, int]
"""First character and end, exclusive."""


class Value(BaseModel):
    """Immutable, and strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")
