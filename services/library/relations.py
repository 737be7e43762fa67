"""How documents and sections relate: what replaces, amends or repeals what, and what cites what.

Documents state changes themselves (`services.references.relations`), or one has the title of
another but for its year, date or version, and a later date. Both are resolved within what may be
read, whenever they are asked for: either document may come first, and either may go. They come from
the references in the catalog, so no graph need be built or loaded.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import cache, cached_property, lru_cache
from pathlib import PurePath
from typing import Any, Final, Literal

from services.catalog import Catalog
from services.catalog.corpus import SectionLine
from services.domain import DetectedReference, DocumentSpan, RelationKind, Scope, SearchFilter
from services.domain.notices import Notice
from services.domain.value import Span
from services.export.neighbourhood import Link, Neighbourhood, nearest
from services.language.text.normal import one_line
from services.language.text.sentences import sentences
from services.references.registry import Registry

CACHED_SCOPES: Final = 8
Statement = tuple[str, DetectedReference, str]
"""The id of a document, what it says, and the id of the document that it says it of."""

CHANGED: Final[dict[RelationKind, Notice]] = {
    "replaces": Notice.of("replaced"),
    "amends": Notice.of("amended"),
    "repeals": Notice.of("repealed"),
}


class Relation(DocumentSpan):
    """What a document does to another one, the target, or to its section ``label``.

    A ``newer`` one is a later version: the same file ingested later, or the same title with a later
    date. Otherwise the ``quote`` says it: the words of the document at ``start``/``end``, in its
    ``section``. Where it amends clause by clause, its ``introduction`` says so, often from when on.
    """

    kind: RelationKind | Literal["newer"]
    document: str
    target_id: str
    target: str
    label: str = ""
    section: str = ""
    quote: str = ""
    introduction: str = ""

    @property
    def notice(self) -> Notice:
        """What to tell a reader of the target."""
        target = f"{self.target} {self.label}".rstrip()
        if self.kind == "newer":
            return Notice.of(
                "{target} has a later version: {document}", target=target, document=self.document
            )
        return Notice.of(
            "{target} is {changed} by {document}: “{quote}”",
            target=target,
            changed=CHANGED[self.kind],
            document=self.document,
            quote=self.quote,
        )

    def concerns(self, section: str) -> bool:
        """Return whether it is about a section of the target; one without a label is about all."""
        return self.label in ("", section) or self.label.startswith(f"{section}.")


def cache_relations(catalog: Catalog) -> Callable[[Scope], "Relations"]:
    """Return a function that makes the relations of a scope, cached until its content changes."""
    make = lru_cache(CACHED_SCOPES)(lambda scope, versions: Relations(catalog, scope))

    def relations(scope: Scope) -> Relations:
        cached: Relations = make(scope, catalog.collections.versions(scope))
        return cached

    return relations


class Relations:
    """The relations between the documents of a scope."""

    def __init__(self, catalog: Catalog, scope: Scope) -> None:
        self._catalog, self._scope = catalog, scope
        self._registry = Registry(catalog.references.aliases(scope))
        self._changes, self._day = cache(self._read_changes), cache(self._read_day)

    def of(self, document_id: str) -> list[Relation]:
        """Return what a document does to others, and what others do to it."""
        targets = dict.fromkeys(
            target for source, _, target in self._stated if source == document_id
        )
        others = (*targets, *self._registry.versions(document_id))
        relations = [relation for other in others for relation in self._changes(other)]
        made = [relation for relation in relations if relation.document_id == document_id]
        return list(dict.fromkeys([*made, *self._changes(document_id)]))

    def to(self, document_id: str) -> tuple[Relation, ...]:
        return self._changes(document_id)

    def on(self, document_id: str, section: str) -> list[Relation]:
        return [change for change in self._changes(document_id) if change.concerns(section)]

    def _read_changes(self, document_id: str) -> tuple[Relation, ...]:
        """Return what other documents do to one; words that say so count before dates."""
        stated = [
            self._relation(source, reference, target)
            for source, reference, target in self._stated
            if target == document_id
        ]
        replacing = {change.document_id for change in stated if change.kind == "replaces"}
        newer = self._newer_than(document_id)
        return (*stated, *(version for version in newer if version.document_id not in replacing))

    @cached_property
    def _stated(self) -> list[Statement]:
        """The statements without those that introduce others."""
        return [
            (source, reference, target)
            for source, reference, target in self._statements
            if reference not in self._general.get((source, target), ())
        ]

    @cached_property
    def _general(self) -> dict[tuple[str, str], list[DetectedReference]]:
        """What documents say of the whole of others of which they amend clauses."""
        general: dict[tuple[str, str], list[DetectedReference]] = {}
        for source, reference, target in self._statements:
            if reference.relation == "amends" and not reference.label:
                general.setdefault((source, target), []).append(reference)
        clauses = {(source, target) for source, one, target in self._statements if one.label}
        return {pair: general[pair] for pair in clauses & general.keys()}

    @cached_property
    def _statements(self) -> list[Statement]:
        stated = []
        for document_id, reference in self._catalog.references.relations(self._scope):
            target = self._registry.resolve(reference, from_document_id=document_id).document_id
            if target not in (None, document_id) and not self._is_later(target, document_id):
                stated.append((document_id, reference, target))
        return stated

    def _relation(self, document_id: str, reference: DetectedReference, target: str) -> Relation:
        assert reference.relation is not None
        texts = self._catalog.documents
        section = texts.section_of(document_id, reference.start)
        text = texts.text(document_id)
        start, end = statement(text, reference, section)
        chunks = self._catalog.chunks.of_documents([document_id], scope=self._scope)
        passages = chunks[document_id].between(start, end) if chunks else []
        return Relation(
            kind=reference.relation,
            document_id=document_id,
            document=self._registry.file_of(document_id),
            target_id=target,
            target=self._registry.file_of(target),
            label=reference.label or "",
            section=passages[0].section if passages else "",
            start=start,
            end=end,
            quote=" ".join(text[start:end].split()),
            introduction=self._introduction(document_id, target),
        )

    def _introduction(self, document_id: str, target: str) -> str:
        """Return the sentence before the first amended clause, which often says from when on."""
        if not (general := self._general.get((document_id, target))):
            return ""
        clauses = [
            reference.start
            for source, reference, to in self._statements
            if reference.label and (source, to) == (document_id, target)
        ]
        texts = self._catalog.documents
        end = texts.section_of(document_id, min(clauses))[0]
        before = texts.text(document_id)[general[0].start : end]
        return " ".join(before[slice(*next(reversed(list(sentences(before))), (0, 0)))].split())

    def _newer_than(self, document_id: str) -> list[Relation]:
        """Return the documents of the same title with a later date, or the newer file."""
        others = self._registry.versions(document_id)
        later = [other for other in others if self._is_later(other, document_id)]
        files = [
            (other, self._registry.file_of(other), self._registry.file_of(document_id))
            for other in sorted(later, key=self._day, reverse=True)
        ]
        if self._registry.name_of(document_id) is None:
            files = self._newer_file(document_id)
        return [
            Relation(
                kind="newer",
                document_id=other,
                start=0,
                end=0,
                document=document,
                target_id=document_id,
                target=target,
            )
            for other, document, target in files
        ]

    def _newer_file(self, document_id: str) -> list[tuple[str, str, str]]:
        """Return id and name of the file that took the place of a retired one, and its own name.

        Files of one name in different folders are no versions of each other: it is the one of the
        same path or, for a file that was moved, the only one.
        """
        documents, chosen = self._catalog.documents, self._scope.documents
        for collection_id in self._scope.collections:
            old = documents.member(collection_id, document_id)
            if old is None or old.status != "retired":
                continue
            namesakes = [
                member
                for member in documents.namesakes(collection_id, old.document, document_id)
                if member.status == "indexed" and (chosen is None or member.document_id in chosen)
            ]
            newer = [member for member in namesakes if member.source == old.source] or namesakes
            if len(newer) == 1:
                return [(newer[0].document_id, newer[0].document, old.document)]
        return []

    def _is_later(self, document_id: str, other_id: str) -> bool:
        return bool(self._day(other_id)) and self._day(document_id) > self._day(other_id)

    def _read_day(self, document_id: str) -> str:
        return self._catalog.filters.dates([document_id], scope=self._scope).get(document_id, "")


def statement(text: str, reference: DetectedReference, section: Span) -> Span:
    """Return the sentence of a reference, with the next one where its new words follow."""
    first, last = section
    spans = [(first + start, first + end) for start, end in sentences(text[first:last])]
    n = bisect_right(spans, (reference.start, last)) - 1
    start, end = spans[n] if n >= 0 else (reference.start, reference.end)
    follows = n + 1 < len(spans) and text[start:end].endswith(":")
    return start, spans[n + 1][1] if follows else end


def neighbourhood_of(
    citations: Sequence[Mapping[str, Any]], catalog: Catalog, scope: Scope
) -> Neighbourhood:
    """Return the cited sections and those one reference away, within the scope."""
    references = _References(catalog, scope)
    cited = {
        references.section(citation["document_id"], citation["section"], citation["document"])
        for citation in citations
    }
    return nearest(cited, references.touching(cited, citations))


class _References:
    """References of a scope by the sections at their ends."""

    def __init__(self, catalog: Catalog, scope: Scope) -> None:
        self._catalog = catalog
        self._scope = scope
        self._registry = Registry(catalog.references.aliases(scope))
        documents = catalog.corpus.documents(scope, SearchFilter())
        self._documents = {document.document_id: document for document in documents}
        self._sections = cache(self._sections_of)

    def section(self, document_id: str, label: str | None, document: str = "") -> str:
        """Return the name of a section; one without a label has the name of its document."""
        in_scope = self._documents.get(document_id)
        file = in_scope.document if in_scope else document
        short = one_line(self._registry.name_of(document_id) or PurePath(file).stem)
        suffix = one_line((label or "").removeprefix(short))
        return f"{short} {suffix}" if suffix else short

    def touching(self, cited: Set[str], citations: Sequence[Mapping[str, Any]]) -> Iterator[Link]:
        readable = {citation["document_id"] for citation in citations} & self._documents.keys()
        labels = {citation["section"] for citation in citations if citation["section"]}
        names = {
            self.section(citation["document_id"], None, citation["document"])
            for citation in citations
        }
        with_documents = not cited.isdisjoint(names)
        from_cited = (
            (document_id, reference)
            for document_id in sorted(readable)
            for reference in self._from(document_id, cited)
        )
        to_cited = self._catalog.references.naming(
            labels, self._scope, with_documents=with_documents
        )
        for document_id, reference in (*from_cited, *to_cited):
            pair = self._ends(document_id, reference)
            if pair is not None and not cited.isdisjoint(pair):
                yield pair

    def _from(self, document_id: str, cited: Set[str]) -> Sequence[DetectedReference]:
        sections = [
            section
            for section in self._sections(document_id)
            if self.section(document_id, section.label) in cited
        ]
        if not sections:
            return ()
        start = min(section.start for section in sections)
        end = max(section.end for section in sections)
        return self._catalog.references.within(document_id, start, end)

    def _ends(self, document_id: str, reference: DetectedReference) -> Link | None:
        """Return the sections at both ends of a reference, None if it leads out of the scope."""
        target = self._registry.resolve(reference, from_document_id=document_id)
        document = target.document_id
        if document not in self._documents or not self._has(document, target.label):
            return None
        source = self.section(document_id, self._label_at(document_id, reference.start))
        return source, self.section(document, target.label)

    def _has(self, document_id: str, label: str | None) -> bool:
        sections = self._sections(document_id)
        return label is None or any(section.label == label for section in sections)

    def _label_at(self, document_id: str, offset: int) -> str:
        sections = self._sections(document_id)
        n = bisect_right(sections, offset, key=lambda section: section.start) - 1
        return "" if n < 0 or offset >= sections[n].end else sections[n].label

    def _sections_of(self, document_id: str) -> list[SectionLine]:
        return self._catalog.corpus.sections(self._documents[document_id].text_id)
