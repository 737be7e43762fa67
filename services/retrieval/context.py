"""Passages for a language model: widened by their neighbours, and fitted into a token budget."""

from collections.abc import Callable, Iterable, Sequence

from services.domain import Passage
from services.language.text import sentences

CountTokens = Callable[[str], int]
SEPARATOR = "\n\n"


def assemble_context(hits: Sequence[Passage], max_tokens: int, count_tokens: CountTokens) -> str:
    """The hits in their order, as many as fit into the budget, each under its heading.

    Passages go in whole. The first that does not fit is cut after its last sentence that does,
    and ends the context; nothing of a worse passage takes its place.
    """
    blocks: list[str] = []
    for number, hit in enumerate(hits, start=1):
        ends = [end for _, end in sentences(hit.text)]
        for end in (len(hit.text), *reversed(ends[:-1])):
            block = f"{heading(hit, number)}\n{hit.text[:end]}"
            if count_tokens(SEPARATOR.join([*blocks, block])) <= max_tokens:
                blocks.append(block)
                break
        else:
            break
        if end < len(hit.text):
            break
    return SEPARATOR.join(blocks)


def heading(chunk: Passage, number: int) -> str:
    """The line above a passage, e.g. ``[1] Strahlenschutzgesetz, § 78, p. 71``."""
    place = [chunk.title or chunk.document, chunk.section]
    if chunk.page is not None:
        place.append(f"p. {chunk.page}")
    return f"[{number}] {', '.join(part for part in place if part)}"


def with_neighbours(
    hits: Iterable[Passage], beside: Callable[[str], list[Passage]]
) -> list[Passage]:
    """Each hit among the chunks beside it, in text order; every character of a text once.

    Args:
        beside: the neighbours of a chunk id without itself, in text order, such as
            ``catalog.chunks.neighbours`` with its scope filled in.
    """
    widened: list[Passage] = []
    taken: dict[str, list[tuple[int, int]]] = {}
    for hit in hits:
        group = sorted([*beside(hit.chunk_id), hit], key=lambda chunk: chunk.start)
        for chunk in group:
            spans = taken.setdefault(chunk.text_id, [])
            if (rest := _outside(chunk, spans)) is not None:
                spans.append((rest.start, rest.end))
                widened.append(rest)
    return widened


def _outside(chunk: Passage, spans: Sequence[tuple[int, int]]) -> Passage | None:
    """What of a chunk lies outside the spans, None when nothing does.

    Where a span lies in the middle of the chunk, the longer part beside it.
    """
    start, end = chunk.start, chunk.end
    for first, last in sorted(spans):
        if first <= start < last:
            start = last
        elif start < first < end and first - start >= end - last:
            end = first
        elif start < first < end:
            start = last
    if start >= end:
        return None
    if (start, end) == (chunk.start, chunk.end):
        return chunk
    text = chunk.text[start - chunk.start : end - chunk.start]
    return chunk.model_copy(update={"text": text, "start": start, "end": end})
