"""Gather: the sections that a model reads, whole and best first, as many as there is room for."""

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import cache, cached_property
from itertools import zip_longest
from typing import Final, NamedTuple, TypeVar

from agent.context import Context
from agent.reading.sections import SEARCHED, Cutter, Key, Section
from agent.reading.values import How, Way
from agent.sources import short_name
from services.catalog import Alias
from services.domain import DetectedReference, Language, Passage
from services.domain.notices import Notice
from services.retrieval.named import by_name
from services.retrieval.scoring import reciprocal_rank

WHOLE: Final = 2
"""A section is shown whole up to this part of the room; a longer one is cut around its hits."""
SHARE: Final = 3
"""A section that is cut has this part of the room."""
NAMING: Final = 10
"""What names a section that was found has this part of the room."""
FOR_REFERENCES: Final = 0.25
"""Share of the room that is kept for what the best sections refer to."""
BEST: Final = 3
"""Sections that are taken whatever is kept for references."""
REACH: Final = 400
"""Characters within which the next section begins."""

Led = tuple[Sequence[Passage], Way]
"""Passages of a section, and how it came to them."""


class Followed(NamedTuple):
    """A reference of a section that was read, and where it leads; ``reason`` says why nowhere."""

    source: Section
    reference: DetectedReference
    depth: int
    name: str
    key: Key | None
    reason: Notice | None


class Gathered(NamedTuple):
    """Sections to be read, and the references that were followed to fill the room."""

    sections: list[Section]
    followed: list[Followed]


P = TypeVar("P", bound=Passage)


def fused(rankings: Sequence[Sequence[P]]) -> list[P]:
    """One ranking out of those of several searches, each passage once."""
    passages = {each.chunk_id: each for ranking in rankings for each in ranking}
    ranked = {str(n): [(each.chunk_id, 0.0) for each in one] for n, one in enumerate(rankings)}
    return [passages[chunk_id] for chunk_id, _ in reciprocal_rank(ranked, {})]


class Gatherer:
    """Makes sections of what searches found, for one question.

    Args:
        question: that is to be answered.
        context: of the turn.
        count: tokens of a text.
        language: of the reader.
        depth: references that are followed one after the other; from two on also the other way,
            to what names a section.
    """

    def __init__(
        self,
        question: str,
        context: Context,
        count: Callable[[str], int],
        language: Language,
        depth: int = 1,
    ) -> None:
        self._question, self._context, self._depth = question, context, depth
        self._cutter = Cutter(context, count, language)
        self._names = cache(self._read_names)

    def gathered(
        self,
        ranked: Sequence[Passage],
        room: int,
        *,
        whole: Sequence[str] = (),
        but: Iterable[Section] = (),
    ) -> Gathered:
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
        groups = _in_turn(self._cutter.by_section(ranked), whole)
        documents = [self._sections_of(each) for each in whole]
        filled = self._filled(groups, documents, room, room // WHOLE, taken)
        if filled.left > room // SHARE and any(each.is_cut for each in filled.found.values()):
            filled = self._filled(groups, documents, room, room, taken)
        return Gathered(list(filled.found.values()), filled.followed)

    def _filled(
        self,
        groups: Sequence[Sequence[Passage]],
        documents: Sequence[Sequence[Sequence[Passage]]],
        room: int,
        whole: int,
        but: Set[Key],
    ) -> "_Filling":
        """As many sections as fit; those of more tokens than ``whole`` are cut."""
        filling = _Filling(self._cutter, room, whole, but)
        filling.add_whole(documents)
        for number, hits in enumerate(groups):
            if filling.left < room * FOR_REFERENCES and number >= BEST:
                break
            if (section := filling.add(hits)) is not None:
                filling.add_all(self._changing(section))
        hits_shown = list(filling.found.values())
        self._follow(hits_shown, filling)
        filling.add_all((hits, SEARCHED) for hits in groups)
        around = hits_shown
        while around and filling.left > 0:
            around = filling.add_all(led for each in around for led in self._beside(each))
        return filling

    def _follow(self, sections: Sequence[Section], filling: "_Filling") -> None:
        """Adds what sections refer to, and what that refers to, as deep as it may go."""
        for depth in range(1, self._depth + 1):
            if filling.left <= 0:
                return
            led = [to for each in sections for to in self._referred_to(each, depth, filling)]
            added = filling.add_all(self._nearest(led))
            if self._depth > 1:
                led = [to for each in sections for to in self._naming(each, depth)]
                added += filling.add_all(self._nearest(led), small=True)
            sections = added

    def _nearest(self, led: Sequence[Led]) -> list[Led]:
        """Where references lead, what is nearest to the question first."""
        ids = [passage.chunk_id for hits, _ in led for passage in hits]
        relevances = self._context.retriever.relevances
        near = relevances(self._question, list(dict.fromkeys(ids)), scope=self._context.scope)
        return sorted(led, key=lambda to: -max(near[passage.chunk_id] for passage in to[0]))

    def _sections_of(self, document_id: str) -> list[list[Passage]]:
        """The passages of a document, by section."""
        chunks = self._context.catalog.chunks
        return self._cutter.by_section(chunks.of_document(document_id, scope=self._context.scope))

    def _referred_to(self, section: Section, depth: int, filling: "_Filling") -> Iterator[Led]:
        """The sections that one names, in the order in which it names them."""
        registry = self._context.registry
        for each in self._references(section):
            meant = registry.resolve(each, from_document_id=section.document_id)
            groups: Sequence[Sequence[Passage]] = ()
            if meant.document_id is not None and meant.label is not None:
                groups = self._cutter.by_section(
                    self._cutter.labelled(meant.document_id, meant.label)
                )
            way = self._way("reference", section, depth, each.text)
            yield from ((hits, way) for hits in groups)
            key = self._cutter.key(groups[0][0]) if groups else None
            if key != section.key:
                name = " ".join(filter(None, (meant.name, meant.label)))
                filling.followed.append(Followed(section, each, depth, name, key, meant.reason))

    def _references(self, section: Section) -> Iterator[DetectedReference]:
        """What a section names, each target once."""
        seen: set[str] = set()
        for start, end in section.pieces:
            for each in self._context.catalog.references.within(section.document_id, start, end):
                if each.target not in seen:
                    seen.add(each.target)
                    yield each

    def _naming(self, section: Section, depth: int) -> Iterator[Led]:
        """What names a section, in the order of texts."""
        if not section.label:
            return
        references, registry = self._context.catalog.references, self._context.registry
        for source, each in references.naming([section.label], self._context.scope):
            meant = registry.resolve(each, from_document_id=source).document_id
            if meant != section.document_id:
                continue
            for hits in self._between(source, each.start, each.end):
                yield hits, self._way("named by", section, depth, each.text)

    def _way(self, how: How, section: Section, depth: int = 0, text: str = "") -> Way:
        """The way from a section to another one."""
        name = short_name(section.document_id, section.document, self._context)
        source = f"{name} {section.label}".strip() if section.label != name else name
        where = {"document": section.document, "label": section.label}
        return Way(how=how, depth=depth, source=source, text=text, **where)

    def _changing(self, section: Section) -> Iterator[Led]:
        """What later documents say of a section: newer versions of its document, and those that
        name both."""
        if not section.label:
            return
        way = self._way("change", section)
        for version in self.newer(section.document_id):
            for hits in self._cutter.by_section(self._cutter.labelled(version, section.label)):
                yield hits, way
        naming = self._context.catalog.references.naming([section.label], self._context.scope)
        for source, reference in naming:
            if self._may_change(source, section.document_id) and self._means(
                source, reference, section.document_id
            ):
                way = self._way("named by", section, 1, reference.text)
                for hits in self._between(source, reference.start, reference.end):
                    yield hits, way

    def _means(self, source: str, reference: DetectedReference, document_id: str) -> bool:
        """Whether a reference in one document may mean a section of another.

        One that names no known document does where its own document names the other.
        """
        meant = self._context.registry.resolve(reference, from_document_id=source).document_id
        if meant not in (None, source):
            return meant == document_id
        return self._names(source, document_id)

    def _read_names(self, source: str, document_id: str) -> bool:
        """Whether the text of one document names another."""
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
        chunks, scope = self._context.catalog.chunks, self._context.scope
        found = chunks.of_document(document_id, scope=scope, start=start, end=end)
        return self._cutter.by_section(found)

    def _beside(self, section: Section) -> Iterator[Led]:
        """The sections that follow and precede one in its document."""
        way = self._way("beside", section)
        after = self._between(section.document_id, section.end, section.end + REACH)
        before = self._between(section.document_id, max(0, section.start - REACH), section.start)
        yield from ((hits, way) for hits in (*after[:1], *before[-1:]))


class _Filling:
    """Sections that are chosen one after the other, while there is room."""

    def __init__(self, cutter: Cutter, room: int, whole: int, but: Set[Key]) -> None:
        self.found: dict[Key, Section] = {}
        self.followed: list[Followed] = []
        self.left = room
        self._cutter, self._whole, self._but = cutter, whole, but
        self._share, self._small = whole * WHOLE // SHARE, room // NAMING

    def add(
        self, hits: Sequence[Passage], way: Way = SEARCHED, *, small: bool = False
    ) -> Section | None:
        """Takes the section of some passages, unless it is there or has no room.

        Of a ``small`` one no more than what stands around the passages.
        """
        key = self._cutter.key(hits[0])
        if key in self._but or key in self.found or self.left <= 0:
            return None
        whole, share = (self._small,) * 2 if small else (self._whole, self._share)
        section = self._cutter.section(hits, min(self.left, whole), share, way)
        if section is not None:
            self.found[key] = section
            self.left -= section.tokens
        return section

    def add_all(self, several: Iterable[Led], *, small: bool = False) -> list[Section]:
        """Takes as many as have room; those that are new."""
        added = (self.add(hits, way, small=small) for hits, way in several)
        return [section for section in added if section is not None]

    def add_whole(self, documents: Iterable[Sequence[Sequence[Passage]]]) -> None:
        """Takes all sections of each document that fits as a whole."""
        way = Way(how="whole")
        for groups in documents:
            made = (self._cutter.section(hits, self.left, 0, way) for hits in groups)
            sections = [each for each in made if each is not None and each.key not in self._but]
            if sum(each.tokens for each in sections) <= self.left:
                self.found |= {each.key: each for each in sections}
                self.left -= sum(each.tokens for each in sections)


def _in_turn(groups: Sequence[list[Passage]], documents: Sequence[str]) -> list[list[Passage]]:
    """Sections as ranked; of the documents that are asked about, one of each in turn, first."""
    of_each = [[hits for hits in groups if hits[0].document_id == each] for each in documents]
    first = [hits for row in zip_longest(*of_each) for hits in row if hits is not None]
    return [*first, *(hits for hits in groups if hits[0].document_id not in documents)]
