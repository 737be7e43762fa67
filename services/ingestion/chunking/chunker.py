"""From a parsed document to its chunks."""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence

from services.errors import InvalidInput
from services.ingestion.chunking import fixed, paragraph, semantic
from services.ingestion.chunking.budget import TokenBudget
from services.ingestion.chunking.packer import Packer
from services.ingestion.chunking.pieces import Span, sentence_parts
from services.ingestion.chunking.prefix import heading_prefix
from services.ingestion.chunking.regions import regions
from services.types import ChunkSpan, ChunkStrategy, ParsedDocument


def chunk(
    parsed: ParsedDocument,
    *,
    count_tokens: Callable[[str], int],
    max_tokens: int = 512,
    strategy: ChunkStrategy = "paragraph",
    chunk_size: int = 1000,
    chunk_overlap: int = 200,
) -> list[ChunkSpan]:
    """Cut a document into chunks in its order.

    Every character outside headings that is not white space lies in exactly one chunk, or,
    where chunks overlap, in at least one. No chunk crosses the border of a section. The first
    chunk of a section starts with its heading; a heading that only introduces its subsections
    gives no chunk. What ``max_tokens`` does not hold is cut at sentences, list items or words.

    Args:
        parsed: the document.
        count_tokens: counts as the embedder does; no token may stand for less than a byte.
        max_tokens: limit for `heading_prefix` plus chunk.
        strategy: ``paragraph`` packs paragraphs, ``sentence`` sentences; ``fixed`` counts
            characters; ``semantic`` cuts where the structure shows a new topic. A very large
            document with fewer than three paragraphs is cut as ``fixed``, not ``paragraph``.
        chunk_size: wanted length of a chunk in characters.
        chunk_overlap: characters that neighbours share where the cut is ``fixed``.

    Raises:
        InvalidInput: the overlap is not less than the size, or ``max_tokens`` leaves no room
            beside the heading prefix.
    """
    if not 0 <= chunk_overlap < chunk_size:
        raise InvalidInput(
            f"Chunks of {chunk_size} characters cannot overlap by {chunk_overlap}; "
            "choose an overlap below the size."
        )
    if strategy == "paragraph" and paragraph.has_no_paragraphs(parsed, chunk_size):
        strategy = "fixed"
    chunks: list[ChunkSpan] = []
    budget = TokenBudget(count_tokens, max_tokens)
    for region in regions(parsed):
        prefix = heading_prefix(region.path, parsed.title)
        packer = Packer(parsed.text, region, prefix, budget, chunk_size)
        for start, end in _spans(packer, strategy, chunk_overlap):
            chunks.append(
                ChunkSpan(
                    start=start,
                    end=end,
                    section=region.label,
                    heading_path=region.path,
                    page=_page(parsed.pages, start),
                    page_end=_page(parsed.pages, end - 1),
                )
            )
    return chunks


def _spans(packer: Packer, strategy: ChunkStrategy, overlap: int) -> Iterator[Span]:
    match strategy:
        case "paragraph":
            return paragraph.cut(packer)
        case "sentence":
            return packer.pack(sentence_parts(packer.text, packer.span))
        case "fixed":
            return fixed.cut(packer, overlap)
        case "semantic":
            return semantic.cut(packer)


def _page(pages: Sequence[int], offset: int) -> int | None:
    return bisect_right(pages, offset) if pages else None
