"""Which documents of a list a person means by some words."""

from collections.abc import Sequence

from services.types import DocumentInfo


def matching(documents: Sequence[DocumentInfo], words: str) -> Sequence[DocumentInfo]:
    """The documents in whose names and metadata every word stands, in any case and place."""
    wanted = words.casefold().split()
    if not wanted:
        return documents
    return [info for info in documents if _has_all(_words_of(info), wanted)]


def _has_all(text: str, wanted: Sequence[str]) -> bool:
    return all(word in text for word in wanted)


def _words_of(info: DocumentInfo) -> str:
    date = info.date.isoformat() if info.date else ""
    named = (info.document, info.title, info.category or "", info.author or "", date)
    return "\n".join((*named, *info.tags)).casefold()
