"""What holds of everything that a model says in the structured route."""

from typing import Final

from agent.prompts.ask import numbers
from services.errors import InvalidGeneration

LONGEST_ITEM: Final = 200


def tidy(text: str) -> str:
    """One line without list marks, of at most 200 characters."""
    return " ".join(text.split())[:LONGEST_ITEM].strip(" -•")


def query_of(text: str) -> str:
    """A query that says something.

    Raises:
        InvalidGeneration: it is empty.
    """
    query = tidy(text)
    if not query:
        raise InvalidGeneration("a query is empty; write what to search for")
    return query


def hints_of(texts: list[str]) -> tuple[str, ...]:
    """Each hint once."""
    return tuple(dict.fromkeys(hint for hint in map(tidy, texts) if hint))


def listed(target: str, items: list[str]) -> str:
    """The listed item that is meant, whatever its case and end marks."""
    wanted = tidy(target).casefold().rstrip(".?")
    for item in items:
        if item.casefold().rstrip(".?") == wanted:
            return item
    raise InvalidGeneration(f"target_info {target!r} is not one of required_info")


def nothing_invented(said: list[str], known: list[str], language: str) -> None:
    """Numbers and section labels must be those of the question."""
    added = numbers(" ".join(said), language) - numbers(" ".join(known), language)
    if added:
        names = ", ".join(sorted(added))
        raise InvalidGeneration(f"use no number or section the question does not have: {names}")
