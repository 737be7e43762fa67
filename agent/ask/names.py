"""What a question is about, for a follow-up that leaves it unsaid."""

from collections.abc import Sequence
from typing import Final

from services.text.keyphrases import keyphrases
from services.types import Language

NAMES_KEPT: Final = 6


def names_of(question: str, language: Language, entities: Sequence[str] = ()) -> tuple[str, ...]:
    """Entities and key phrases of a question, each once, in the order in which it has them."""
    phrases = keyphrases(question, language, limit=NAMES_KEPT)
    found = dict.fromkeys([*entities, *phrases])
    at = {name: question.casefold().find(name.casefold()) for name in found}
    alone = [
        name
        for name in found
        if not any(name != other and name.casefold() in other.casefold() for other in found)
    ]
    kept = sorted(alone[:NAMES_KEPT], key=lambda name: at[name])
    return tuple(kept)
