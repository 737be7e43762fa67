"""By structure: a chunk ends where the text itself shows that a topic ends.

Beyond the sections that the parser found, a topic starts after a line of dashes or stars,
after several blank lines, and at a short line by itself that reads like a heading.
"""

import re
from collections.abc import Iterator
from typing import Final

from services.ingestion.chunking.packer import SCRAP, Packer
from services.ingestion.chunking.paragraph import LONG, pack_paragraphs
from services.ingestion.chunking.pieces import Span, paragraphs

_RULE = re.compile(r"(?:([-*_=~#])[ \t]*)(?:\1[ \t]*){2,}")
_GAP = re.compile(r"\f|\n[ \t]*\n[ \t]*\n")
_HEADING = re.compile(
    r"#{1,6} \S.*|\*\*[^*]+\*\*:?|(?:\d+(?:\.\d+)*[.)]? )?[^\W\d_a-zß-ÿ].*[^.!?;:,|]"
)
_LONGEST_HEADING: Final = 80


def cut(packer: Packer) -> Iterator[Span]:
    """The chunks of a region: a topic each, those beyond 1.5 times the wanted size in several."""
    for topic in _topics(packer):
        if topic[1] - topic[0] <= LONG * packer.size:
            yield from packer.fitted([topic])
        else:
            yield from pack_paragraphs(packer, topic)


def _topics(packer: Packer) -> Iterator[Span]:
    """Runs of paragraphs between breaks; what is too little to stand alone joins a neighbour."""
    runs: list[Span] = []
    for start, end in _runs(packer.text, paragraphs(packer.text, packer.span)):
        small = runs and _is_small(packer, runs[-1])
        if small or (runs and end == packer.region.end and _is_small(packer, (start, end))):
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    yield from runs


def _runs(text: str, blocks: list[Span]) -> Iterator[Span]:
    start = blocks[0][0]
    for number in range(1, len(blocks)):
        if _is_break(text, blocks, number):
            yield start, blocks[number - 1][1]
            start = blocks[number][0]
    yield start, blocks[-1][1]


def _is_small(packer: Packer, span: Span) -> bool:
    return span[1] - max(span[0], packer.region.heading_end) < SCRAP * packer.size


def _is_break(text: str, blocks: list[Span], number: int) -> bool:
    """Whether a new topic starts with the block of that number."""
    above, here = blocks[number - 1], blocks[number]
    if _RULE.fullmatch(text[slice(*here)]):
        return False
    if _RULE.fullmatch(text[slice(*above)]) or _GAP.search(text[above[1] : here[0]]):
        return True
    return number + 1 < len(blocks) and _is_heading(text[slice(*here)])


def _is_heading(block: str) -> bool:
    return len(block) <= _LONGEST_HEADING and _HEADING.fullmatch(block) is not None
