"""Gather: the sections that a model reads, whole and best first, as many as there is room for."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cached_property
from itertools import zip_longest
from typing import Final

from agent.context import Context
from agent.prompts import say
from agent.sources import full_title, short_name
from services.catalog import Alias
from services.domain import DetectedReference, Language, Passage, Value
from services.evidence.units import quotable_units
from services.retrieval.named import by_name
from services.retrieval.scoring import reciprocal_rank

WHOLE: Final = 2
"""A section is shown whole up to this part of the room; a longer one is cut around its hits."""
SHARE: Final = 3
"""A section that is cut has this part of the room."""
FOR_REFERENCES: Final = 0.25
"""Share of the room that is kept for what the best sections refer to."""
BEST: Final = 3
"""Sections that are taken whatever is kept for references."""
LONGEST_HEADING: Final = 300
"""Characters in which a section says its heading."""
REACH: Final = 400
"""Characters within which the next section begins."""
LEFT_OUT: Final = "[…]"

_NUMBERED: Final = re.compile(r"^(?=\[\d+\])", re.MULTILINE)
"""Lines of a document that begin as passages of a prompt do."""


class Section(Value):
    """A section of a document as a model reads it.

    ``place`` names document, headings, page and day. ``pieces`` are the spans of the document's
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
    return "\n\n".join(_numbered(n, each) for n, each in enumerate(sections, start=1))


def _numbered(number: int, section: Section) -> str:
    """A section behind its number; that it goes on before or after its text is shown."""
    before = f"{LEFT_OUT}\n" if section.pieces[0][0] > section.start else ""
    after = f"\n{LEFT_OUT}" if section.pieces[-1][1] < section.end else ""
    return f"[{number}] {section.place}\n{before}{_NUMBERED.sub(' ', section.text)}{after}"


def fused(rankings: Sequence[Sequence[Passage]]) -> list[Passage]:
    """One ranking out of those of several searches, each passage once."""
    passages = {each.chunk_id: each for ranking in rankings for each in ranking}
    ranked = {str(n): [(each.chunk_id, 0.0) for each in one] for n, one in enumerate(rankings)}
    return [passages[chunk_id] for chunk_id, _ in reciprocal_rank(ranked, {})]


class Gatherer:
    """Makes sections of what searches found, for one question."""

    def __init__(self, context: Context, count: Callable[[str], int], language: Language) -> None:
        self._context, self._count, self._language = context, count, language

    def sections(
        self,
        ranked: Sequence[Passage],
        room: int,
        *,
        whole: Sequence[str] = (),
        but: Iterable[Section] = (),
    ) -> list[Section]:
        """The sections to be read, as many as fit.

        Documents that are asked about come whole where they fit; then the sections of the passages,
        each with what changes it, what these refer to, and what stands beside them.

        Args:
            ranked: passages, best first.
            room: tokens.
            whole: ids of documents that the question is about.
            but: sections that were shown already.
        """
        taken = frozenset(each.key for each in but)
        groups = _in_turn(self._by_section(ranked), whole)
        documents = [self._sections_of(each) for each in whole]
        filled = self._fill(groups, documents, room, room // WHOLE, taken)
        if filled.left > room // SHARE and any(each.is_cut for each in filled.found.values()):
            filled = self._fill(groups, documents, room, room, taken)
        return list(filled.found.values())

    def _fill(
        self,
        groups: Sequence[Sequence[Passage]],
        documents: Sequence[Sequence[Sequence[Passage]]],
        room: int,
        whole: int,
        but: Set[tuple[str, int]],
    ) -> "_Filling":
        """As many sections as fit; those of more tokens than ``whole`` are cut."""
        filling = _Filling(self, room, whole, but)
        filling.add_whole(documents)
        for number, hits in enumerate(groups):
            if filling.left < room * FOR_REFERENCES and number >= BEST:
                break
            if (section := filling.add(hits)) is not None:
                filling.add_all(self._changing(section))
        hits_shown = list(filling.found.values())
        for section in hits_shown:
            filling.add_all(self._referred_to(section))
        filling.add_all(groups)
        around = hits_shown
        while around and filling.left > 0:
            around = filling.add_all(hits for each in around for hits in self._beside(each))
        return filling

    def _by_section(self, ranked: Sequence[Passage]) -> list[list[Passage]]:
        """The passages of each section, in the order of the best of each."""
        groups: dict[tuple[str, int], list[Passage]] = {}
        for each in ranked:
            groups.setdefault(self.key(each), []).append(each)
        return list(groups.values())

    def key(self, passage: Passage) -> tuple[str, int]:
        """The key of the section that a passage begins in."""
        documents = self._context.catalog.documents
        return passage.text_id, documents.section_around(passage.text_id, passage.start)[0]

    def section(self, hits: Sequence[Passage], whole: int, cut: int) -> Section | None:
        """The section of some passages, or what of it says something.

        Args:
            hits: passages of the section, best first.
            whole: tokens up to which it is shown as it is.
            cut: tokens of what is shown of a longer one, around the hits.

        Returns:
            None where there is no room for any of the hits, or nothing but a heading to show.
        """
        first, documents = hits[0], self._context.catalog.documents
        start, end = documents.section_around(first.text_id, first.start)
        text = documents.text_of(first.text_id)
        end = start + len(text[start:end].rstrip())
        if _is_heading(text[start:end], first.heading_path):
            return None
        pieces = [(start, end)]
        place = self._place(first, text[start:end])
        around = self._count(f"[99] {place}\n\n\n")
        if self._count(text[start:end]) > whole - around:
            place = self._place(first, "")
            pieces = self._around(hits, text, (start, end), min(whole, cut) - around)
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
            tokens=self._count(f"[99] {place}\n{shown}\n\n"),
        )

    def _place(self, passage: Passage, text: str) -> str:
        """Title, headings, page and day; without the heading that the text begins with."""
        headings, words = passage.heading_path, " ".join(text[:LONGEST_HEADING].split())
        if headings and " ".join(headings[-1].split()) in words:
            headings = headings[:-1]
        name = short_name(passage.document_id, passage.document, self._context)
        title = full_title(passage.title, name)
        page = "" if passage.page is None else say(self._language, "page", passage.page)
        day = self._context.passages.day(passage.document_id)
        above = " › ".join(each for each in headings if each not in (title, name, passage.title))
        return ", ".join(filter(None, (title, above, page, day)))

    def _around(
        self, hits: Sequence[Passage], text: str, section: tuple[int, int], room: int
    ) -> list[tuple[int, int]]:
        """Spans of a section that fit: what its hits say, then what stands beside the best."""
        inside = [each for each in self._of_section(hits[0]) if section[0] <= each.start]
        beside = sorted(inside, key=lambda each: abs(each.start - hits[0].start))
        chosen: list[tuple[int, int]] = []
        for each in [*hits, *beside]:
            spans = _joined([*chosen, *_said(each, text, section)], text)
            if self._count(_SEPARATOR.join(text[a:b] for a, b in spans)) <= room:
                chosen = spans
        return chosen

    def _of_section(self, passage: Passage) -> list[Passage]:
        """The passages of the section that one begins in."""
        key = self.key(passage)
        named = self._passages(passage.document_id, passage.section)
        return [each for each in named if self.key(each) == key]

    def _passages(self, document_id: str, label: str) -> list[Passage]:
        """The passages under a label of a document."""
        return self._context.catalog.chunks.of_section(
            document_id, label, scope=self._context.scope
        )

    def _sections_of(self, document_id: str) -> list[list[Passage]]:
        """The passages of a document, by section."""
        return self._by_section(
            self._context.catalog.chunks.of_document(document_id, scope=self._context.scope)
        )

    def _referred_to(self, section: Section) -> Iterator[list[Passage]]:
        """The sections that one names, in the order in which it names them."""
        catalog, registry = self._context.catalog, self._context.registry
        for start, end in section.pieces:
            for each in catalog.references.within(section.document_id, start, end):
                meant = registry.resolve(each, from_document_id=section.document_id)
                if meant.document_id is not None and meant.label is not None:
                    yield from self._by_section(self._passages(meant.document_id, meant.label))

    def _changing(self, section: Section) -> Iterator[list[Passage]]:
        """What later documents say of a section: newer versions of its document, and those that
        name both."""
        catalog = self._context.catalog
        if not section.label:
            return
        for version in self.newer(section.document_id):
            yield from self._by_section(self._passages(version, section.label))
        for source, reference in catalog.references.naming([section.label], self._context.scope):
            if self._may_change(source, section.document_id) and self._means(
                source, reference, section.document_id
            ):
                yield from self._between(source, reference.start, reference.end)

    def _means(self, source: str, reference: DetectedReference, document_id: str) -> bool:
        """Whether a reference in one document may mean a section of another.

        One that names no known document does where its own document names the other.
        """
        meant = self._context.registry.resolve(reference, from_document_id=source).document_id
        if meant not in (None, source):
            return meant == document_id
        names = [each for each in self._aliases if each.document_id == document_id]
        return any(by_name(self._context.catalog.documents.text(source), names))

    @cached_property
    def _aliases(self) -> list[Alias]:
        return self._context.catalog.references.aliases(self._context.scope)

    def newer(self, document_id: str) -> list[str]:
        """The newer versions of a document, the newest first."""
        versions = self._context.registry.versions(document_id)
        later = (each for each in versions if self._is_later(each, document_id))
        return sorted(later, key=self._context.passages.day, reverse=True)

    def _may_change(self, document_id: str, other_id: str) -> bool:
        """Whether one document is another one, and not known to be of an earlier day."""
        day = self._context.passages.day
        return document_id != other_id and not (
            day(document_id) and day(document_id) < day(other_id)
        )

    def _is_later(self, document_id: str, other_id: str) -> bool:
        """Whether a document is of a later day than another, where both have one."""
        day = self._context.passages.day
        return bool(day(other_id)) and day(document_id) > day(other_id)

    def _between(self, document_id: str, start: int, end: int) -> list[list[Passage]]:
        """The passages in a span of a document, by section."""
        chunks = self._context.catalog.chunks
        return self._by_section(
            chunks.of_document(document_id, scope=self._context.scope, start=start, end=end)
        )

    def _beside(self, section: Section) -> Iterator[list[Passage]]:
        """The sections that follow and precede one in its document."""
        after = self._between(section.document_id, section.end, section.end + REACH)
        before = self._between(section.document_id, max(0, section.start - REACH), section.start)
        yield from (*after[:1], *before[-1:])


class _Filling:
    """Sections that are chosen one after the other, while there is room."""

    def __init__(
        self, gatherer: Gatherer, room: int, whole: int, but: Set[tuple[str, int]]
    ) -> None:
        self.found: dict[tuple[str, int], Section] = {}
        self.left = room
        self._gatherer, self._whole, self._but = gatherer, whole, but
        self._share = whole * WHOLE // SHARE

    def add(self, hits: Sequence[Passage]) -> Section | None:
        """Takes the section of some passages, unless it is there or has no room."""
        key = self._gatherer.key(hits[0])
        if key in self._but or key in self.found or self.left <= 0:
            return None
        section = self._gatherer.section(hits, min(self.left, self._whole), self._share)
        if section is not None:
            self.found[key] = section
            self.left -= section.tokens
        return section

    def add_all(self, several: Iterable[Sequence[Passage]]) -> list[Section]:
        """Takes as many as have room; those that are new."""
        return [section for hits in several if (section := self.add(hits)) is not None]

    def add_whole(self, documents: Iterable[Sequence[Sequence[Passage]]]) -> None:
        """Takes all sections of each document that fits as a whole."""
        for groups in documents:
            made = (self._gatherer.section(hits, self.left, 0) for hits in groups)
            sections = [each for each in made if each is not None and each.key not in self._but]
            if sum(each.tokens for each in sections) <= self.left:
                self.found |= {each.key: each for each in sections}
                self.left -= sum(each.tokens for each in sections)


def _is_heading(text: str, path: Sequence[str]) -> bool:
    """Whether a text says no more than the heading above it."""
    words = re.findall(r"\w+", path[-1] if path else "")
    return re.findall(r"\w+", text) in ([], words)


def _in_turn(groups: Sequence[list[Passage]], documents: Sequence[str]) -> list[list[Passage]]:
    """Sections as ranked; of the documents that are asked about, one of each in turn, first."""
    of_each = [[hits for hits in groups if hits[0].document_id == each] for each in documents]
    first = [hits for row in zip_longest(*of_each) for hits in row if hits is not None]
    return [*first, *(hits for hits in groups if hits[0].document_id not in documents)]


def _said(passage: Passage, text: str, section: tuple[int, int]) -> list[tuple[int, int]]:
    """The sentences, items and rows that a passage touches, with what leads into each."""
    spans = [(passage.start, min(passage.end, section[1]))]
    for unit in quotable_units(text, passage.start, passage.end, section):
        spans.append((unit.start, unit.end))
        if unit.case is not None:
            spans.append(unit.case)
    return spans


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
