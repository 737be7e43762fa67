"""Whether a replay gave what the run gave: the first difference, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

Json = Mapping[str, Any]
AROUND = 30


def difference(old: Json, new: Json) -> str | None:
    """Where two reports, or two turns, part: evidence first, then proof, then the answer.

    Times, thread ids and the words for what is told beside the answer do not count.
    """
    return (
        _lists("evidence", _ids(old, "evidence"), _ids(new, "evidence"))
        or _lists("dropped evidence", _ids(old, "dropped"), _ids(new, "dropped"))
        or _lists("proof", _proof(old), _proof(new))
        or texts(old["answer"], new["answer"])
    )


def passages(old: Sequence[str], new: Sequence[str]) -> str | None:
    """Where the passages that two searches found part."""
    return _lists("passages found", old, new)


def texts(old: str, new: str) -> str | None:
    """Where two answers part, byte by byte."""
    if old.encode("utf-8", "surrogatepass") == new.encode("utf-8", "surrogatepass"):
        return None
    pairs = enumerate(zip(old, new, strict=False))
    place = next((n for n, (a, b) in pairs if a != b), min(len(old), len(new)))
    was, now = (each[max(place - AROUND, 0) : place + AROUND] for each in (old, new))
    return f"the answer differs from character {place}: {now!r} instead of {was!r}"


def _ids(report: Json, name: str) -> list[str]:
    return [entry["chunk_id"] for entry in report.get(name, ())]


def _proof(report: Json) -> list[str]:
    return [
        f"{citation['document']} {citation['start']}-{citation['end']}"
        for sentence in report["sentences"]
        for citation in sentence["citations"]
    ]


def _lists(name: str, old: Sequence[str], new: Sequence[str]) -> str | None:
    if list(old) == list(new):
        return None
    pairs = enumerate(zip(old, new, strict=False))
    place = next((n for n, (a, b) in pairs if a != b), min(len(old), len(new)))
    was = old[place] if place < len(old) else "nothing"
    now = new[place] if place < len(new) else "nothing"
    return f"{name}: number {place + 1} is {now} instead of {was}"
