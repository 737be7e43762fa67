"""A search for the question and for each of its parts: before anybody thinks, and at the end."""

from dataclasses import dataclass

from agent.ask.models import Found
from agent.ask.react.agenda import parts_of
from agent.ask.react.search_tool import search
from agent.ask.react.tooling import Kit
from services.types import SearchResult


@dataclass(frozen=True)
class Look:
    """A search and how near its passages are."""

    query: str
    result: SearchResult
    found: Found


async def look(kit: Kit) -> tuple[Look, ...]:
    """The question first, then its parts where it has several; the same is searched once."""
    known = kit.state["understanding"]
    queries = dict.fromkeys([known.question, *(part.query for part in parts_of(known))])
    return tuple([Look(query, *await search(query, kit)) for query in queries])


async def nothing_near(kit: Kit) -> bool:
    """Whether neither the question nor a part of it is near anything.

    What is ambiguous as it stands may be asked back instead.
    """
    if kit.state["complexity"].level == "ambiguous":
        return False
    return all(not each.found.results for each in await look(kit))
