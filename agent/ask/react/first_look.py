"""A search for the question and for each of its parts: before anybody thinks, and at the end."""

from agent.ask.react.agenda import parts_of
from agent.ask.react.search_tool import Look, search
from agent.ask.react.tooling import Kit


async def look(kit: Kit) -> tuple[Look, ...]:
    """The question first, then its parts where it has several; the same is searched once."""
    known = kit.state["understanding"]
    queries = dict.fromkeys([known.question, *(part.query for part in parts_of(known))])
    return tuple([await search(query, kit) for query in queries])


async def nothing_near(kit: Kit) -> bool:
    """Whether nothing found may answer the question or a part of it.

    What is ambiguous as it stands may be asked back instead.
    """
    if kit.state["complexity"].level == "ambiguous":
        return False
    return not any(each.near for each in await look(kit))
