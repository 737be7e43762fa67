"""Sections around those that an answer cites: what they refer to, and what refers to them.

Read off the references that the catalog keeps, so no graph is loaded for it and none has to be
built; they are the same that the knowledge graph has as ``cites``.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cache
from pathlib import PurePath
from typing import Any

from services.catalog import Catalog
from services.catalog.corpus import SectionLine
from services.domain import DetectedReference, Scope, SearchFilter
from services.export.neighbourhood import Link, Neighbourhood, nearest
from services.export.texts import one_line
from services.ingestion.registry import Registry


def neighbourhood_of(
    citations: Sequence[Mapping[str, Any]], catalog: Catalog, scope: Scope
) -> Neighbourhood:
    """The sections that are cited, and those one reference away, in either direction.

    A document that is not in the scope, which is what may be read now, has no neighbours.
    """
    references = _References(catalog, scope)
    cited = {
        references.section(each["document_id"], each["section"], each["document"])
        for each in citations
    }
    return nearest(cited, references.touching(cited, citations))


class _References:
    """References of a scope by the sections at their ends."""

    def __init__(self, catalog: Catalog, scope: Scope) -> None:
        self._catalog = catalog
        self._scope = scope
        self._registry = Registry(catalog.references.aliases(scope))
        documents = catalog.corpus.documents(scope, SearchFilter())
        self._documents = {each.document_id: each for each in documents}
        self._sections = cache(self._sections_of)

    def section(self, document_id: str, label: str | None, document: str = "") -> str:
        """A section by its name; what has no label of its own goes by the name of its document."""
        known = self._documents.get(document_id)
        file = known.document if known else document
        short = one_line(self._registry.name_of(document_id) or PurePath(file).stem)
        rest = one_line((label or "").removeprefix(short))
        return f"{short} {rest}" if rest else short

    def touching(self, cited: Set[str], citations: Sequence[Mapping[str, Any]]) -> Iterator[Link]:
        """Who refers to whom, where one of both is cited."""
        here = {each["document_id"] for each in citations} & self._documents.keys()
        labels = {each["section"] for each in citations if each["section"]}
        documents = {
            self.section(each["document_id"], None, each["document"]) for each in citations
        }
        whole = not cited.isdisjoint(documents)
        from_cited = (
            (document_id, reference)
            for document_id in sorted(here)
            for reference in self._from(document_id, cited)
        )
        to_cited = self._catalog.references.naming(labels, self._scope, whole=whole)
        for document_id, reference in (*from_cited, *to_cited):
            pair = self._ends(document_id, reference)
            if pair is not None and not cited.isdisjoint(pair):
                yield pair

    def _from(self, document_id: str, cited: Set[str]) -> Sequence[DetectedReference]:
        """References from the first to the last cited section of a document."""
        lines = [
            each
            for each in self._sections(document_id)
            if self.section(document_id, each.label) in cited
        ]
        if not lines:
            return ()
        start, end = min(each.start for each in lines), max(each.end for each in lines)
        return self._catalog.references.within(document_id, start, end)

    def _ends(self, document_id: str, reference: DetectedReference) -> Link | None:
        """Where a reference stands and what it leads to, None where that is not in the scope."""
        way = self._registry.resolve(reference, from_document_id=document_id)
        if way.document_id not in self._documents or not self._has(way.document_id, way.label):
            return None
        source = self.section(document_id, self._label_at(document_id, reference.start))
        return source, self.section(way.document_id, way.label)

    def _has(self, document_id: str, label: str | None) -> bool:
        return label is None or any(each.label == label for each in self._sections(document_id))

    def _label_at(self, document_id: str, offset: int) -> str:
        """The label of the section that holds a character, "" where none does."""
        lines = self._sections(document_id)
        n = bisect_right(lines, offset, key=lambda each: each.start) - 1
        return "" if n < 0 or offset >= lines[n].end else lines[n].label

    def _sections_of(self, document_id: str) -> list[SectionLine]:
        return self._catalog.corpus.sections(self._documents[document_id].text_id)
