"""What question and evidence speak of, and how many passages do."""

from collections.abc import Iterable, Sequence
from typing import Final

from services.structured.values import EntityCount

MOST: Final = 20
NAMED: Final = "named"


def entity_table(
    linked: Iterable[tuple[str, str]], named: Iterable[str], texts: Sequence[str]
) -> tuple[EntityCount, ...]:
    """Each thing once, whatever its case, the most frequent first, ties by name.

    Args:
        linked: (name, kind) of the nodes that the graph linked the question to.
        named: what the question's own words name.
        texts: of the passages that were kept, with their headings.
    """
    kinds: dict[str, tuple[str, str]] = {}
    for name, kind in (*linked, *((name, NAMED) for name in named)):
        kinds.setdefault(name.casefold(), (name, kind))
    folded = [text.casefold() for text in texts]
    counted = [
        EntityCount(name=name, kind=kind, passages=sum(key in text for text in folded))
        for key, (name, kind) in kinds.items()
        if key
    ]
    return tuple(sorted(counted, key=lambda each: (-each.passages, each.name))[:MOST])
