"""The collections of a profile: which ones a request means that names none, and how each ranks."""

import json
from collections.abc import Iterable
from typing import Annotated, Any, get_args

from pydantic import BeforeValidator, Field

from services.domain import Reranking, Value

SEPARATOR, SIGN = ",", "="


class ProfileCollection(Value):
    """A collection by name or id; ``reranking`` None means that of the profile."""

    collection: str = Field(min_length=1, max_length=200)
    reranking: Reranking | None = None


def as_text(collections: Iterable[ProfileCollection]) -> str:
    """The short form: ``laws=llm, contracts``."""
    return f"{SEPARATOR} ".join(
        f"{each.collection}{SIGN}{each.reranking}" if each.reranking else each.collection
        for each in collections
    )


def _parsed(value: Any) -> Any:
    """A list from text: the short form, or JSON for names with commas or equal signs."""
    if not isinstance(value, str):
        return value
    if value.lstrip().startswith("["):
        return [
            {"collection": each} if isinstance(each, str) else each for each in json.loads(value)
        ]
    return [_of_text(part.strip()) for part in value.split(SEPARATOR) if part.strip()]


def _of_text(part: str) -> dict[str, str]:
    name, sign, reranking = part.rpartition(SIGN)
    if not sign:
        return {"collection": part}
    if reranking.strip() not in get_args(Reranking):
        raise ValueError(
            f"{part!r} should be a collection, or COLLECTION=RERANKING with one of "
            f"{', '.join(get_args(Reranking))} (as JSON, names may have any character)"
        )
    return {"collection": name.strip(), "reranking": reranking.strip()}


ProfileCollections = Annotated[
    tuple[ProfileCollection, ...], BeforeValidator(_parsed), Field(max_length=100)
]
