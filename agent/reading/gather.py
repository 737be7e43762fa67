"""Gather: the sections that a model reads, whole and best first, as many as there is room for."""

import re
from collections.abc import Callable, Iterable, Sequence, Set
from typing import Final

from agent.context import Context
from agent.sources import header
from services.domain import Language, Passage, Value
from services.retrieval.scoring import reciprocal_rank

SHARE: Final = 3
"""A section may take this part of the room; a longer one is cut around its hits."""
LEFT_OUT: Final = "[…]"

_NUMBERED: Final = re.compile(r"^(?=\[\d+\])", re.MULTILINE)
"""Lines of a document that begin as passages of a prompt do."""


class Section(Value):
    """A section of a document as a model reads it.

    ``place`` names document, section, page and day. ``pieces`` are the spans of the document's
    text that are shown, in order; between two of them something is left out.
    """

    document_id: str
    document: str
    text_id: str
    label: str
    heading_path: tuple[str, ...]
    language: Language
    place: str
    start: int
    end: int
    pieces: tuple[tuple[int, int], ...]
    text: str
    tokens: int

    @property
    def key(self) -> tuple[str, int]:
        """The same for all ways to cut the same section."""
        return self.text_id, self.start

    @property
    def is_cut(self) -> bool:
        """Whether something of the section is left out."""
        return self.pieces != ((self.start, self.end),)

    @property
    def headings(self) -> str:
        """What stands above the text: the place, and the headings from the outermost on."""
        return "\n".join((self.place, *self.heading_path))

    def holds(self, passage: Passage) -> bool:
        """Whether a passage, or a part of it, is shown."""
        inside = (start < passage.end and passage.start < end for start, end in self.pieces)
        return passage.text_id == self.text_id and any(inside)

    def offset(self, shown: int) -> int:
        """Where a character of ``text`` stands in the document's text."""
        for start, end in self.pieces:
            if shown <= end - start:
                return start + shown
            shown -= end - start + len(_SEPARATOR)
        raise ValueError(f"the section shows no character {shown}")


_SEPARATOR: Final = f"\n{LEFT_OUT}\n"


def numbered(sections: Iterable[Section]) -> str:
    """Sections as a prompt shows them: ``[N]`` with the place, then the text."""
    return "\n\n".join(
        f"[{n}] {each.place}\n{_NUMBERED.sub(' ', each.text)}"
        for n, each in enumerate(sections, start=1)
    )


def fused(rankings: Sequence[Sequence[Passage]]) -> list[Passage]:
    """One ranking out of those of several searches, each passage once."""
    passages = {each.chunk_id: each for ranking in rankings for each in ranking}
    ranked = {str(n): [(each.chunk_id, 0.0) for each in one] for n, one in enumerate(rankings)}
    return [passages[chunk_id] for chunk_id, _ in reciprocal_rank(ranked, {})]


class Gatherer:
    """Makes sections of what searches found."""

    def __init__(self, context: Context, count: Callable[[str], int], language: Language) -> None:
        self._context, self._count, self._language = context, count, language

    def sections(
        self, ranked: Sequence[Passage], room: int, *, but: Iterable[Section] = ()
    ) -> list[Section]:
        """Sections in the order of their best passages, then those that they refer to.

        Args:
            ranked: passages, best first.
            room: tokens.
            but: sections that were shown already.
        """
        taken = frozenset(each.key for each in but)
        found = self._fill(ranked, room, room // SHARE, taken)
        unused = room - sum(each.tokens for each in found)
        if unused > room // SHARE and any(each.is_cut for each in found):
            found = self._fill(ranked, room, room, taken)
        return found

    def _fill(
        self, ranked: Sequence[Passage], room: int, share: int, but: Set[tuple[str, int]]
    ) -> list[Section]:
        """As many sections as fit, none of more tokens than ``share``."""
        found: dict[tuple[str, int], Section] = {}

        def add(hits: Sequence[Passage]) -> None:
            nonlocal room
            key = self._key(hits[0])
            if key in but or key in found:
                return
            if (section := self._section(hits, min(room, share))) is not None:
                found[key] = section
                room -= section.tokens

        for hits in self._by_section(ranked):
            add(hits)
        for section in list(found.values()):
            for passages in self._referred_to(section):
                add(passages)
        return list(found.values())

    def _by_section(self, ranked: Sequence[Passage]) -> list[list[Passage]]:
        """The passages of each section, in the order of the best of each."""
        groups: dict[tuple[str, int], list[Passage]] = {}
        for each in ranked:
            groups.setdefault(self._key(each), []).append(each)
        return list(groups.values())

    def _key(self, passage: Passage) -> tuple[str, int]:
        """The key of the section that a passage begins in."""
        documents = self._context.catalog.documents
        return passage.text_id, documents.section_around(passage.text_id, passage.start)[0]

    def _section(self, hits: Sequence[Passage], room: int) -> Section | None:
        """The section of some passages, whole or cut around them; None where it has no room."""
        first, documents = hits[0], self._context.catalog.documents
        start, end = documents.section_around(first.text_id, first.start)
        text = documents.text_of(first.text_id)
        place = header(first, self._language, self._context)
        left = room - self._count(place)
        pieces = [(start, end)]
        if self._count(text[start:end]) > left:
            pieces = self._around(hits, text, (start, end), left)
        if not pieces:
            return None
        shown = _SEPARATOR.join(text[a:b] for a, b in pieces)
        return Section(
            document_id=first.document_id,
            document=first.document,
            text_id=first.text_id,
            label=first.section,
            heading_path=first.heading_path,
            language=documents.language_of(first.text_id),
            place=place,
            start=start,
            end=end,
            pieces=tuple(pieces),
            text=shown,
            tokens=self._count(f"{place}\n{shown}"),
        )

    def _around(
        self, hits: Sequence[Passage], text: str, section: tuple[int, int], room: int
    ) -> list[tuple[int, int]]:
        """Spans of the chunks of a section that fit: its hits, then what stands beside the best."""
        start, end = section
        chunks = self._context.catalog.chunks.of_section(
            hits[0].document_id, hits[0].section, scope=self._context.scope
        )
        inside = [each for each in chunks if start <= each.start < end]
        beside = sorted(inside, key=lambda each: abs(each.start - hits[0].start))
        chosen: list[tuple[int, int]] = []
        for each in [*hits, *beside]:
            spans = _joined([*chosen, (each.start, min(each.end, end))], text)
            if self._count(_SEPARATOR.join(text[a:b] for a, b in spans)) > room:
                break
            chosen = spans
        return chosen

    def _referred_to(self, section: Section) -> list[list[Passage]]:
        """The sections that one names, in the order in which it names them."""
        catalog, registry = self._context.catalog, self._context.registry
        found: list[list[Passage]] = []
        for start, end in section.pieces:
            for each in catalog.references.within(section.document_id, start, end):
                meant = registry.resolve(each, from_document_id=section.document_id)
                if meant.document_id is None or meant.label is None:
                    continue
                found.append(
                    catalog.chunks.of_section(
                        meant.document_id, meant.label, scope=self._context.scope
                    )
                )
        return [passages for passages in found if passages]


def _joined(spans: Iterable[tuple[int, int]], text: str) -> list[tuple[int, int]]:
    """Spans in order, in one where nothing but white space lies between them."""
    ordered = sorted(spans)
    joined = ordered[:1]
    for start, end in ordered[1:]:
        last_start, last_end = joined[-1]
        if start <= last_end or not text[last_end:start].strip():
            joined[-1] = (last_start, max(last_end, end))
        else:
            joined.append((start, end))
    return joined
