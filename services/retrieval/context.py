"""Passages for a language model: widened by their neighbours, and fitted into a token budget."""

from collections.abc import Callable, Iterable, Sequence

from services.text import sentences
from services.types import Chunk, Value

CountTokens = Callable[[str], int]
SEPARATOR = "\n\n"


class AssembledContext(Value):
    """What a model is given to read.

    ``text`` has each passage under a line with its number (from 1), title, section and page.
    ``passages`` are the chunks in it, in that order; the text of the last may be cut, with
    ``end`` moved accordingly. ``tokens`` are those of ``text``.
    """

    text: str
    passages: tuple[Chunk, ...]
    tokens: int


def assemble_context(
    hits: Sequence[Chunk], max_tokens: int, count_tokens: CountTokens
) -> AssembledContext:
    """The hits in their order, as many as fit into the budget.

    Passages go in whole. The first that does not fit is cut after its last sentence that does,
    and ends the context; nothing of a worse passage takes its place.
    """
    blocks: list[str] = []
    passages: list[Chunk] = []
    for hit in hits:
        for part in (hit, *_shortened(hit)):
            block = f"{heading(part, len(blocks) + 1)}\n{part.text}"
            if count_tokens(SEPARATOR.join([*blocks, block])) <= max_tokens:
                blocks.append(block)
                passages.append(part)
                break
        else:
            break
        if part is not hit:
            break
    text = SEPARATOR.join(blocks)
    return AssembledContext(
        text=text, passages=tuple(passages), tokens=count_tokens(text) if text else 0
    )


def heading(chunk: Chunk, number: int) -> str:
    """The line above a passage, e.g. ``[1] Strahlenschutzgesetz, § 78, p. 71``."""
    place = [chunk.title or chunk.document, chunk.section]
    if chunk.page is not None:
        place.append(f"p. {chunk.page}")
    return f"[{number}] {', '.join(part for part in place if part)}"


def with_neighbours(hits: Iterable[Chunk], beside: Callable[[str], list[Chunk]]) -> list[Chunk]:
    """Each hit among the chunks beside it, in text order; every character of a text once.

    Args:
        beside: the neighbours of a chunk id without itself, in text order, such as
            ``catalog.chunks.neighbours`` with its scope filled in.
    """
    widened: list[Chunk] = []
    taken: dict[str, list[tuple[int, int]]] = {}
    for hit in hits:
        group = sorted([*beside(hit.chunk_id), hit], key=lambda chunk: chunk.start)
        for chunk in group:
            spans = taken.setdefault(chunk.text_id, [])
            if (rest := _outside(chunk, spans)) is not None:
                spans.append((rest.start, rest.end))
                widened.append(rest)
    return widened


def _shortened(chunk: Chunk) -> Iterable[Chunk]:
    """The chunk without its last sentence, without its last two, and so on."""
    ends = [end for _, end in sentences(chunk.text)]
    return (_part(chunk, 0, end) for end in reversed(ends[:-1]))


def _outside(chunk: Chunk, spans: Sequence[tuple[int, int]]) -> Chunk | None:
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
    return _part(chunk, start - chunk.start, end - chunk.start)


def _part(chunk: Chunk, start: int, end: int) -> Chunk:
    """A stretch of a chunk, by characters of the chunk's text."""
    if (start, end) == (0, len(chunk.text)):
        return chunk
    update = {
        "text": chunk.text[start:end],
        "start": chunk.start + start,
        "end": chunk.start + end,
    }
    return chunk.model_copy(update=update)
