"""All that a text says, section by section, in batches that a model can read at a time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final, TypeVar

from agent.reading.sections import Section, SectionBuilder
from services.domain import Passage

T = TypeVar("T")
UNCUT: Final = 10**9


def all_sections(
    builder: SectionBuilder, passages: Sequence[Passage], room: int
) -> Iterator[Section]:
    """Yield the sections of passages, in pieces that end with a passage where one is too long.

    Args:
        builder: of the sections.
        passages: in the order of their text.
        room: tokens that a piece has at most, unless a passage alone has more.
    """
    for group in builder.by_section(passages):
        section = builder.section(group, UNCUT, 0)
        if section is not None:
            yield from _pieces(builder, section, passages, room)


def _pieces(
    builder: SectionBuilder, section: Section, passages: Sequence[Passage], room: int
) -> Iterator[Section]:
    def piece(start: int, end: int) -> Section:
        excerpt = section.excerpt.model_copy(update={"pieces": ((start, end),)})
        return builder.with_text(excerpt)

    start = end = section.start
    for passage in passages if section.tokens > room else ():
        if section.text_id == passage.text_id and section.start < passage.end <= section.end:
            if end > start and piece(start, passage.end).tokens > room:
                yield piece(start, end)
                start = end
            end = passage.end
    yield piece(start, section.end)


def packed(items: Iterable[T], tokens: Callable[[T], int], room: int) -> Iterator[list[T]]:
    """Yield items in order, as many at a time as have room."""
    group: list[T] = []
    left = room
    for item in items:
        if group and tokens(item) > left:
            yield group
            group, left = [], room
        group.append(item)
        left -= tokens(item)
    if group:
        yield group
