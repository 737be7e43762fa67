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


def invented(said: list[str], known: list[str], language: str) -> set[str]:
    """Numbers and section labels that are not those of the question."""
    return numbers(" ".join(said), language) - numbers(" ".join(known), language)


def nothing_invented(said: list[str], known: list[str], language: str) -> None:
    """Numbers and section labels must be those of the question.

    Raises:
        InvalidGeneration: naming the others.
    """
    if added := invented(said, known, language):
        names = ", ".join(sorted(added))
        raise InvalidGeneration(f"use no number or section the question does not have: {names}")
