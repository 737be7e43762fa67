"""Which words say for whom or when a unit holds, where several do."""

from typing import Final

from services.evidence.layout import Span
from services.text import clauses, is_heading

LONGEST_CASE: Final = 600
"""Characters of a case that is put together, or is not cut to its beginning."""
_MARKER: Final = 8
"""Characters of a marker between two lead-ins, with the white space around it."""


def combined(text: str, outer: Span | None, inner: Span | None) -> Span | None:
    """The case of an item of a nested list: both lead-ins where nothing else stands between.

    Otherwise the nearer one that is a whole clause.
    """
    if outer is None or inner is None or inner[0] <= outer[0]:
        return inner or outer
    if are_near(text, outer, inner):
        return outer[0], inner[1]
    return inner if is_clause(text, inner) else outer


def are_near(text: str, outer: Span, inner: Span) -> bool:
    """Whether two lead-ins are one quote: a marker at most stands between them."""
    between = text[outer[1] : inner[0]]
    apart = len(between) > _MARKER and any(character.isalnum() for character in between)
    return not apart and inner[1] - outer[0] <= LONGEST_CASE


def is_clause(text: str, lead_in: Span) -> bool:
    """Whether a lead-in says something by itself, and not only ``2. for plants``."""
    words = text[slice(*lead_in)].rstrip("*_` ")
    return words.endswith(":") or not is_heading(words)


def short_rule(text: str, rule: Span | None) -> Span | None:
    """The first sentence of a subsection, of a long enumeration the words before its items."""
    if rule is None or rule[1] - rule[0] <= LONGEST_CASE:
        return rule
    return clauses(text, *rule)[0]
