"""Cut parsed documents into chunks, by one of four strategies.

Spans are offsets into the whole text, without outer white space.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Final

from services.domain import Chunking, ChunkSpan, ChunkStrategy, ParsedDocument
from services.domain.errors import InvalidInput
from services.domain.value import Span
from services.ingestion.parsers.extraction import label_ahead, letters
from services.retrieval.embedders import Embedder

SCRAP: Final = 0.2
"""Share of the wanted size below which a chunk is too little to stand alone."""
_BREAKS: Final = tuple(map(re.compile, (r"\n+", r"(?<=[;:|])\s+", r"(?<=,)\s+", r"\s+")))
"""Places for a cut inside a sentence, the best first."""
_MARGIN: Final = 0.25  # share of a text at either end where a cut is not wanted


def trimmed(text: str, start: int, end: int) -> Span:
    stretch = text[start:end]
    return start + len(stretch) - len(stretch.lstrip()), start + len(stretch.rstrip())


def paragraphs(text: str, span: Span) -> list[Span]:
    blank_lines = re.finditer(r"\n[ \t]*\n", text[slice(*span)])
    return _cut(text, span, (match.end() for match in blank_lines))


def sentence_parts(text: str, span: Span) -> list[Span]:
    """Return the sentences; headings, list items and rows of tables count as such."""
    from services.language.text.sentences import sentences

    return _cut(text, span, (start for start, _ in sentences(text[slice(*span)])))


def clause_parts(text: str, span: Span) -> list[Span]:
    """Return the items of a list within a sentence, and the words before the list."""
    from services.language.text.sentences import clauses

    return _cut(text, span, (start - span[0] for start, _ in clauses(text, *span)))


def halves(text: str, span: Span) -> list[Span]:
    """Return two halves, cut at the best break near the middle; one for a single character."""
    return _cut(text, span, [_best_cut(text[slice(*span)])])


def _best_cut(stretch: str) -> int:
    """Return the offset of the best break away from the ends, else any break, else the middle."""
    margin = int(_MARGIN * len(stretch))
    for low, high in ((margin, len(stretch) - margin), (0, len(stretch))):
        for pattern in _BREAKS:
            offsets = [m.end() for m in pattern.finditer(stretch) if low < m.end() < high]
            if offsets:
                return min(offsets, key=lambda offset: abs(offset - len(stretch) // 2))
    return len(stretch) // 2


def _cut(text: str, span: Span, offsets: Iterable[int]) -> list[Span]:
    """Return the trimmed pieces of a span between offsets, without empty ones."""
    start, end = span
    inside = {start + offset for offset in offsets if 0 < offset < end - start}
    borders = pairwise(sorted({start, end} | inside))
    return [trimmed(text, *piece) for piece in borders if text[slice(*piece)].strip()]


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of text that shares one label. ``heading_end`` is ``start`` without a heading."""

    start: int
    end: int
    label: str
    path: tuple[str, ...]
    heading_end: int


@dataclass(frozen=True, slots=True)
class Packer:
    """A region, the wanted ``size`` in characters, the ``prefix`` embedded with each chunk."""

    text: str
    region: Region
    prefix: str
    embedder: Embedder
    size: int

    @property
    def span(self) -> Span:
        return self.region.start, self.region.end

    def fits(self, span: Span) -> bool:
        text = self.prefix + self.text[slice(*span)]
        return self.embedder.count_tokens(text) <= self.embedder.max_tokens

    def pack(self, pieces: Sequence[Span], *, spill: float = 1.0) -> Iterator[Span]:
        """Yield chunks of whole pieces up to the wanted size; none is a scrap or a mere heading.

        The last chunk may take ``spill`` times the wanted size to leave no rest.
        """
        pieces = self._with_heading(pieces)
        current: list[Span] = []
        for number, piece in enumerate(pieces, start=1):
            limit = self.size * (spill if number == len(pieces) else 1)
            if current and self._is_enough(current) and piece[1] - current[0][0] > limit:
                yield from self.fitted(current)
                current = []
            current.append(piece)
        if current:
            yield from self.fitted(current)

    def fitted(self, pieces: Sequence[Span]) -> Iterator[Span]:
        """Yield one chunk of the pieces if the embedder can take it, else several."""
        span = (pieces[0][0], pieces[-1][1])
        if self.fits(span):
            yield span
        elif len(pieces) == 1:
            yield from self.fitted(self._finer(span))
        else:
            for half in self._halves(pieces):
                yield from self.fitted(half)

    def _halves(self, pieces: Sequence[Span]) -> tuple[Sequence[Span], Sequence[Span]]:
        """Split the pieces near the middle; where that leaves a scrap, cut the longest first."""
        middle = _middle(pieces)
        if not (self._is_enough(pieces[:middle]) and self._is_enough(pieces[middle:])):
            longest = max(range(len(pieces)), key=lambda n: pieces[n][1] - pieces[n][0])
            finer = self._finer(pieces[longest])
            pieces = [*pieces[:longest], *finer, *pieces[longest + 1 :]]
            middle = _middle(pieces)
        return pieces[:middle], pieces[middle:]

    def _is_enough(self, pieces: Sequence[Span]) -> bool:
        return pieces[-1][1] - pieces[0][0] >= SCRAP * self.size

    def _with_heading(self, pieces: Sequence[Span]) -> list[Span]:
        heading = sum(piece[1] <= self.region.heading_end for piece in pieces)
        if not heading or len(pieces) == heading:
            return list(pieces)
        return [(pieces[0][0], pieces[heading][1]), *pieces[heading + 1 :]]

    def _finer(self, span: Span) -> list[Span]:
        """Cut a piece: at sentences, else at the items of a list, else near the middle."""
        for split in (sentence_parts, clause_parts, halves):
            pieces = self._with_heading(split(self.text, span))
            if len(pieces) > 1:
                return pieces
        pieces = halves(self.text, span)
        if len(pieces) > 1:
            return pieces
        raise no_room()


def no_room() -> InvalidInput:
    return InvalidInput(
        "The headings alone reach the token limit of the embedding model; use an embedding model "
        "that accepts longer texts."
    )


def _middle(pieces: Sequence[Span]) -> int:
    """Return how many pieces are in the first half by length: at least one and not all."""
    centre = (pieces[0][0] + pieces[-1][1]) / 2
    before = sum(piece[1] <= centre for piece in pieces)
    return min(max(before, 1), len(pieces) - 1)


_LONG: Final = 1.5
"""Times the wanted size beyond which a paragraph is cut at the ends of its sentences."""
_SPILL: Final = 1.25
"""Times the wanted size that the last chunk of a section may take to leave no rest."""
_MASSIVE: Final = 10
"""Times the wanted size from which a text without paragraphs counts as very large."""
_FEW: Final = 3
_SPACE = re.compile(r"\s+")
_WORD = re.compile(r"\S")
_RULE = re.compile(r"(?:([-*_=~#])[ \t]*)(?:\1[ \t]*){2,}")
_WIDE_GAP = re.compile(r"\f|\n[ \t]*\n[ \t]*\n")
_HEADING = re.compile(
    r"#{1,6} \S.*|\*\*[^*]+\*\*:?|(?:\d+(?:\.\d+)*[.)]? )?[^\W\d_a-zß-ÿ].*[^.!?;:,|]"
)
_LONGEST_HEADING: Final = 80
_LONGEST_PREFIX: Final = 320
"""Characters of a heading prefix: about 80 tokens of the embedder's 512."""
_LONGEST_NAME: Final = 140
_JOINER: Final = " › "


def chunk(parsed: ParsedDocument, chunking: Chunking, embedder: Embedder) -> list[ChunkSpan]:
    """Cut a document into chunks in its order.

    Every character outside headings that is not white space lies in exactly one chunk, or,
    where chunks overlap, in at least one. No chunk crosses the border of a section; a heading
    that only introduces subsections gives none. What the embedder cannot take with its
    `heading_prefix` is cut at sentences, list items or words. A very large document with fewer
    than three paragraphs is cut as ``fixed``, not ``paragraph``.

    Raises:
        InvalidInput: the embedder leaves no room beside the heading prefix.
    """
    strategy, size = chunking.strategy, chunking.size
    if strategy == "paragraph" and _has_no_paragraphs(parsed.text, size):
        strategy = "fixed"
    return [
        ChunkSpan(
            start=start,
            end=end,
            section=region.label,
            heading_path=region.path,
            page=parsed.page_at(start),
            page_end=parsed.page_at(end - 1),
        )
        for region in regions(parsed)
        for prefix in [heading_prefix(region.path, parsed.title)]
        for packer in [Packer(parsed.text, region, prefix, embedder, size)]
        for start, end in _spans(packer, strategy, chunking.overlap)
    ]


def heading_prefix(heading_path: Sequence[str], title: str) -> str:
    """Return the title and headings that are embedded with a chunk; outer ones give way."""
    inner = [_shorten(name) for name in heading_path[-1:]]
    named = [_shorten(title)] if title else []
    left = _LONGEST_PREFIX - sum(len(name) + len(_JOINER) for name in [*named, *inner])
    outer: list[str] = []
    for name in map(_shorten, reversed(heading_path[:-1])):
        left -= len(name) + len(_JOINER)
        if left < 0:
            break
        outer.insert(0, name)
    names = [*named, *outer, *inner]
    return _JOINER.join(names) + "\n" if names else ""


def _shorten(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1].rstrip() + "…"


def regions(parsed: ParsedDocument) -> Iterator[Region]:
    """Yield the text before the first section, and all sections but mere headings of others."""
    text, sections = parsed.text, parsed.sections
    first = sections[0].start if sections else 0
    ahead = trimmed(text, 0, first if sections else len(text))
    if text[slice(*ahead)]:
        yield Region(*ahead, label_ahead(parsed.title, text, first, parsed.pages), (), 0)
    for section, below in zip_longest(sections, sections[1:]):
        start, end = trimmed(text, section.start, section.end)
        introduces = below is not None and below.level > section.level
        if introduces and letters(text[start:end]) == letters(section.title):
            continue
        if start < end:
            path = section.heading_path
            yield Region(start, end, section.label, path, _heading_end(text, start, end, path))


def _heading_end(text: str, start: int, end: int, path: tuple[str, ...]) -> int:
    title_letters = letters(path[-1]) if path else ""
    if not title_letters:
        return start
    heading_end, letters_read, line_start = start, "", start
    for line in text[slice(*paragraphs(text, (start, end))[0])].splitlines(keepends=True):
        letters_read += letters(line)
        if len(letters_read) > len(title_letters):
            break
        if letters_read == title_letters:
            heading_end = line_start + len(line.rstrip("\n"))
        line_start += len(line)
    return heading_end


def _spans(packer: Packer, strategy: ChunkStrategy, overlap: int) -> Iterator[Span]:
    match strategy:
        case "paragraph":
            return _by_paragraphs(packer, packer.span)
        case "sentence":
            return packer.pack(sentence_parts(packer.text, packer.span))
        case "fixed":
            return _by_length(packer, overlap)
        case "semantic":
            return _by_topics(packer)


def _by_paragraphs(packer: Packer, span: Span) -> Iterator[Span]:
    """Pack whole paragraphs up to the wanted size, overlong ones by sentences."""
    pieces: list[Span] = []
    for block in paragraphs(packer.text, span):
        long = block[1] - block[0] > _LONG * packer.size
        pieces.extend(sentence_parts(packer.text, block) if long else [block])
    return packer.pack(pieces, spill=_SPILL)


def _has_no_paragraphs(text: str, size: int) -> bool:
    return len(text) > _MASSIVE * size and len(paragraphs(text, (0, len(text)))) < _FEW


def _by_length(packer: Packer, overlap: int) -> Iterator[Span]:
    """Yield windows of the wanted size, whole words that repeat ``overlap`` characters."""
    text, (start, end) = packer.text, packer.span
    covered = start
    while True:
        stop = _window_stop(packer, start, covered)
        if stop <= covered:  # the token limit took away what is new: do without the overlap
            start = covered
            continue
        yield start, start + len(text[start:stop].rstrip())
        if stop >= end:
            return
        start = _next_word(text, _overlapping(text, start, stop, overlap), end)
        covered = _next_word(text, stop, end)


def _window_stop(packer: Packer, start: int, covered: int) -> int:
    """Return the end of a window, beyond its heading, that fits and cuts no word."""
    text, end = packer.text, packer.region.end
    heading = max(packer.region.heading_end - start, 0)
    room = packer.size + (heading if heading > (1 - SCRAP) * packer.size else 0)
    while True:
        stop = _between_words(text, max(start, covered), min(start + room, end), end)
        if packer.fits((start, stop)):
            return stop
        if room <= 1:
            raise no_room()
        room = min(room, stop - start) * 3 // 4 or 1


def _between_words(text: str, low: int, high: int, end: int) -> int:
    """Return the last white space after ``low`` up to ``high``, else ``high`` itself."""
    if high >= end or text[high].isspace():
        return high
    spaces = [match.end() for match in _SPACE.finditer(text, low + 1, high)] if low < high else []
    return spaces[-1] if spaces else high


def _overlapping(text: str, start: int, stop: int, overlap: int) -> int:
    """Return the start of the next window: a word, at least half a window further."""
    back = max(stop - overlap, (start + stop + 1) // 2)
    if back >= stop or text[back - 1].isspace():
        return back
    space = _SPACE.search(text, back, stop)
    return space.end() if space else back


def _next_word(text: str, position: int, end: int) -> int:
    match = _WORD.search(text, position, end)
    return match.start() if match else end


def _by_topics(packer: Packer) -> Iterator[Span]:
    """Yield a chunk for each topic, several for a long one; rules and headings part topics."""
    for topic in _topics(packer):
        if topic[1] - topic[0] <= _LONG * packer.size:
            yield from packer.fitted([topic])
        else:
            yield from _by_paragraphs(packer, topic)


def _topics(packer: Packer) -> list[Span]:
    """Runs of paragraphs between breaks; what is too little to stand alone joins a neighbour."""

    def is_small(span: Span) -> bool:
        return span[1] - max(span[0], packer.region.heading_end) < SCRAP * packer.size

    blocks = paragraphs(packer.text, packer.span)
    breaks = [n for n in range(1, len(blocks)) if _is_break(packer.text, blocks, n)]
    topics: list[Span] = []
    for first, stop in zip([0, *breaks], [*breaks, len(blocks)], strict=True):
        start, end = blocks[first][0], blocks[stop - 1][1]
        is_rest = stop == len(blocks) and is_small((start, end))
        if topics and (is_small(topics[-1]) or is_rest):
            topics[-1] = (topics[-1][0], end)
        else:
            topics.append((start, end))
    return topics


def _is_break(text: str, blocks: list[Span], number: int) -> bool:
    above, here = blocks[number - 1], blocks[number]
    block = text[slice(*here)]
    if _RULE.fullmatch(block):
        return False
    if _RULE.fullmatch(text[slice(*above)]) or _WIDE_GAP.search(text[above[1] : here[0]]):
        return True
    is_heading = len(block) <= _LONGEST_HEADING and _HEADING.fullmatch(block) is not None
    return is_heading and number + 1 < len(blocks)
