"""Gather the sections that a model reads, best first, as many as there is room for."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import zip_longest
from math import inf
from typing import Final, NamedTuple, TypeVar

from agent.context import Context
from agent.reading.sections import BY_SEARCH, UNCUT, Section, SectionBuilder, SectionKey
from agent.reading.values import How, Provenance
from agent.sources import short_name
from services.catalog import Alias
from services.domain import DetectedReference, Language, Passage
from services.domain.notices import Notice
from services.retrieval.named import ids_of_named
from services.retrieval.scoring import reciprocal_rank

WHOLE_DIVISOR: Final = 2
"""A section is shown whole up to this fraction of the room; a longer one is cut around its hits."""
CUT_DIVISOR: Final = 3
"""A section that is cut has this fraction of the room."""
NAMING_DIVISOR: Final = 10
"""A section that names another one has this fraction of the room."""
FOR_REFERENCES: Final = 0.25
"""Share of the room that is kept for what the best sections refer to."""
BEST: Final = 3
"""Sections that are taken whatever is kept for references."""
LIKELY: Final = 8
"""Sections that most rooms hold: the references to them are read at once."""
REACH: Final = 400
"""Characters within which the next section begins."""

Lead = tuple[Sequence[Passage], Provenance]
"""Passages of a section that another one leads to, and how."""


class Followed(NamedTuple):
    """A reference of a section that was read, and its target; ``reason`` says why there is none."""

    source: Section
    reference: DetectedReference
    hops: int
    name: str
    key: SectionKey | None
    reason: Notice | None


class Gathered(NamedTuple):
    """Sections to be read, and the references that were followed to fill the room."""

    sections: list[Section]
    followed: list[Followed]


P = TypeVar("P", bound=Passage)


def fuse_rankings(rankings: Sequence[Sequence[P]]) -> list[P]:
    """Merge the rankings of several searches into one, each passage once."""
    passages = {passage.chunk_id: passage for ranking in rankings for passage in ranking}
    ranked = {
        str(n): [(passage.chunk_id, 0.0) for passage in ranking]
        for n, ranking in enumerate(rankings)
    }
    return [passages[chunk_id] for chunk_id, _ in reciprocal_rank(ranked, {})]


class Gatherer:
    """Gathers sections for one question; it follows up to ``hops`` references one after the other,
    from two on also backwards, to the sections that refer to one."""

    def __init__(self, question: str, context: Context, language: Language, hops: int = 1) -> None:
        self._question, self._context, self._hops = question, context, hops
        self._builder = SectionBuilder(context, language, question)
        self._names = cache(self._read_names)
        self._references_to: dict[str, list[tuple[str, DetectedReference]]] = {}

    def gather(
        self,
        ranked: Sequence[Passage],
        room: int,
        *,
        named: Sequence[str] = (),
        chosen: Sequence[str] = (),
        already_read: Sequence[Section] = (),
    ) -> Gathered:
        """Return as many sections as fit into ``room`` tokens, without passages shown before.

        The documents that are asked about come whole if all of them fit: those that the question
        names, else those that a person chose. Then come the sections of the passages, those of the
        named documents first, each with what changes it, what these refer to, and their neighbours.
        """
        groups = _in_turn(self._builder.by_section(ranked), named)
        wholes = self._wholes(named or chosen, room, already_read)
        self._read_references_to(hits[0].section for hits in groups[:LIKELY])
        filling = self._fill(groups, wholes, room, room // WHOLE_DIVISOR, already_read)
        sections = filling.sections.values()
        is_short = not sections or any(section.is_cut for section in sections)
        if is_short and filling.left > room // CUT_DIVISOR:
            filling = self._fill(groups, wholes, room, room, already_read)
        return Gathered(list(filling.sections.values()), filling.followed)

    def _wholes(
        self, documents: Sequence[str], room: int, already_read: Sequence[Section]
    ) -> list[Section]:
        """Return the sections of documents that were not read; none if they do not all fit."""
        sections: list[Section] = []
        for hits in (hits for name in documents for hits in self._between(name)):
            if not _unread(hits, already_read):
                continue
            if section := self._builder.section(hits, UNCUT, 0, Provenance(how="whole")):
                sections.append(section)
                room -= section.tokens
            if room < 0:
                return []
        return sections

    def _fill(
        self,
        groups: Sequence[Sequence[Passage]],
        wholes: Sequence[Section],
        room: int,
        limit: int,
        already_read: Sequence[Section],
    ) -> "_Filling":
        filling = _Filling(self._builder, wholes, room, limit, already_read)
        for number, hits in enumerate(groups):
            if filling.left < room * FOR_REFERENCES and number >= BEST:
                break
            filling.add(hits)
            if section := filling.sections.get(self._builder.key(hits[0])):
                filling.add_all(self._changes_of(section))
        sections = list(filling.sections.values())
        self._follow(sections, filling)
        filling.add_all((hits, BY_SEARCH) for hits in groups)
        frontier = sections
        while frontier and filling.left > 0:
            frontier = filling.add_all(
                lead for section in frontier for lead in self._neighbours(section)
            )
        return filling

    def _follow(self, sections: Sequence[Section], filling: "_Filling") -> None:
        for hops in range(1, self._hops + 1):
            if filling.left <= 0:
                return
            leads = list(self._targets(sections, hops, filling))
            added = filling.add_all(self._nearest(leads))
            if self._hops > 1:
                self._read_references_to(section.label for section in sections)
                leads = [lead for section in sections for lead in self._naming(section, hops)]
                added += filling.add_all(self._nearest(leads), small=True)
            sections = added

    def _nearest(self, leads: Sequence[Lead]) -> list[Lead]:
        ids = [passage.chunk_id for hits, _ in leads for passage in hits]
        relevances = self._context.retriever.relevances
        near = relevances(self._question, list(dict.fromkeys(ids)), scope=self._context.scope)
        return sorted(leads, key=lambda lead: -max(near[passage.chunk_id] for passage in lead[0]))

    def _targets(
        self, sections: Sequence[Section], hops: int, filling: "_Filling"
    ) -> Iterator[Lead]:
        resolve, passages = self._context.registry.resolve, self._context.passages
        targets = [
            (section, reference, resolve(reference, from_document_id=section.document_id))
            for section, reference in self._references(sections)
        ]
        passages.of_documents(target.document_id for *_, target in targets if target.label)
        for section, reference, target in targets:
            groups: Sequence[Sequence[Passage]] = ()
            if target.document_id is not None and target.label is not None:
                groups = self._builder.by_section(
                    passages.of_section(target.document_id, target.label)
                )
            provenance = self._provenance("reference", section, hops, reference.text)
            yield from ((hits, provenance) for hits in groups)
            key = self._builder.key(groups[0][0]) if groups else None
            if key != section.key:
                name = " ".join(filter(None, (target.name, target.label)))
                filling.followed.append(
                    Followed(section, reference, hops, name, key, target.reason)
                )

    def _references(
        self, sections: Sequence[Section]
    ) -> Iterator[tuple[Section, DetectedReference]]:
        spans = [
            (section.text_id, section.pieces[0][0], section.pieces[-1][1]) for section in sections
        ]
        references = self._context.catalog.references.of_spans(spans)
        for section in sections:
            targets: set[str] = set()
            for text_id, reference in references:
                inside = any(start <= reference.start < end for start, end in section.pieces)
                if text_id == section.text_id and inside and reference.target not in targets:
                    targets.add(reference.target)
                    yield section, reference

    def _read_references_to(self, labels: Iterable[str]) -> None:
        if unread := set(labels) - self._references_to.keys() - {""}:
            self._references_to |= {label: [] for label in unread}
            references = self._context.catalog.references
            for source, reference in references.naming(sorted(unread), self._context.scope):
                self._references_to[reference.label or ""].append((source, reference))

    def _naming(self, section: Section, hops: int) -> Iterator[Lead]:
        """Yield the sections that refer to one, in the order of texts."""
        if not section.label:
            return
        registry = self._context.registry
        for source, reference in self._references_to[section.label]:
            target = registry.resolve(reference, from_document_id=source).document_id
            if target == section.document_id:
                yield from self._naming_section(section, hops, source, reference)

    def _naming_section(
        self, section: Section, hops: int, source: str, reference: DetectedReference
    ) -> Iterator[Lead]:
        provenance = self._provenance("named by", section, hops, reference.text)
        for hits in self._between(source, reference.start, reference.end):
            yield hits, provenance

    def _provenance(self, how: How, section: Section, hops: int = 0, text: str = "") -> Provenance:
        name = short_name(section.document_id, section.document, self._context)
        return Provenance(
            how=how,
            depth=hops,
            source=f"{name} {section.label}".strip() if section.label != name else name,
            document=section.document,
            label=section.label,
            text=text,
        )

    def _changes_of(self, section: Section) -> Iterator[Lead]:
        """Yield what replaces, amends or repeals a section, and what later documents say of it."""
        provenance = self._provenance("change", section)
        for relation in self._context.relations.on(section.document_id, section.label):
            groups: list[list[Passage]] = []
            if section.label and not relation.label:
                same = self._context.passages.of_section(relation.document_id, section.label)
                groups = self._builder.by_section(same)
            if not groups and relation.quote:
                groups = self._between(relation.document_id, relation.start, relation.end)
            yield from ((hits, provenance) for hits in groups)
        if not section.label:
            return
        self._read_references_to([section.label])
        for source, reference in self._references_to[section.label]:
            if self._may_change(source, reference, section.document_id):
                yield from self._naming_section(section, 1, source, reference)

    def _may_change(self, source: str, reference: DetectedReference, document_id: str) -> bool:
        """Return whether a reference may mean a document, and its source is not known as older."""
        day = self._context.passages.day
        if source == document_id or (day(source) and day(source) < day(document_id)):
            return False
        target = self._context.registry.resolve(reference, from_document_id=source).document_id
        if target not in (None, source):
            return target == document_id
        return self._names(source, document_id)

    def _read_names(self, source: str, document_id: str) -> bool:
        names = [alias for alias in self._aliases if alias.document_id == document_id]
        return any(ids_of_named(self._context.catalog.documents.text(source), names))

    @cached_property
    def _aliases(self) -> list[Alias]:
        return self._context.catalog.references.aliases(self._context.scope)

    def _between(self, document_id: str, start: int = 0, end: float = inf) -> list[list[Passage]]:
        return self._builder.by_section(self._context.passages.between(document_id, start, end))

    def _neighbours(self, section: Section) -> Iterator[Lead]:
        """Yield the sections that follow and precede one in its document."""
        provenance = self._provenance("beside", section)
        after = self._between(section.document_id, section.end, section.end + REACH)
        before = self._between(section.document_id, max(0, section.start - REACH), section.start)
        yield from ((hits, provenance) for hits in (*after[:1], *before[-1:]))


class _Filling:
    """Sections that are chosen one after the other, while there is room."""

    def __init__(
        self,
        builder: SectionBuilder,
        wholes: Iterable[Section],
        room: int,
        limit: int,
        already_read: Sequence[Section],
    ) -> None:
        self.sections = {section.key: section for section in wholes}
        self.followed: list[Followed] = []
        self.left = room - sum(section.tokens for section in self.sections.values())
        self._builder, self._limit, self._already_read = builder, limit, already_read
        self._cut, self._small = limit * WHOLE_DIVISOR // CUT_DIVISOR, room // NAMING_DIVISOR

    def add(
        self, hits: Sequence[Passage], provenance: Provenance = BY_SEARCH, *, small: bool = False
    ) -> Section | None:
        """Add the section of some passages, unless it is there or does not fit.

        One that is there and changes another is marked. A ``small`` one shows their surroundings.
        """
        key = self._builder.key(hits[0])
        if (section := self.sections.get(key)) is not None:
            if provenance.how == "change" and section.way.how != "change":
                self.sections[key] = section.model_copy(update={"way": provenance})
            return None
        hits = _unread(hits, self._already_read)
        if not hits or self.left <= 0:
            return None
        limit, cut = (self._small,) * 2 if small else (self._limit, self._cut)
        section = self._builder.section(hits, min(self.left, limit), cut, provenance)
        if section is not None:
            self.sections[key] = section
            self.left -= section.tokens
        return section

    def add_all(self, leads: Iterable[Lead], *, small: bool = False) -> list[Section]:
        """Add as many as fit and return those that are new."""
        added = (self.add(hits, provenance, small=small) for hits, provenance in leads)
        return [section for section in added if section is not None]


def _unread(hits: Iterable[P], sections: Sequence[Section]) -> list[P]:
    return [hit for hit in hits if not any(section.shows_all_of(hit) for section in sections)]


def _in_turn(groups: Sequence[list[Passage]], documents: Sequence[str]) -> list[list[Passage]]:
    """Return ranked sections; first those of some documents, one of each in turn."""
    columns = [
        [hits for hits in groups if hits[0].document_id == document_id] for document_id in documents
    ]
    first = [hits for row in zip_longest(*columns) for hits in row if hits is not None]
    return [*first, *(hits for hits in groups if hits[0].document_id not in documents)]
