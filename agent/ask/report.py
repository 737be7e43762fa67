"""What the answers of a conversation cite."""

from collections.abc import Iterable, Mapping
from typing import Any


def cited_by(turns: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """All citations of answers, in their order."""
    return [
        citation
        for turn in turns
        for sentence in turn["sentences"]
        for citation in sentence["citations"]
    ]
