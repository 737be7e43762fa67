"""Sections related to those that an answer cites: what they refer to, and what refers to them.

They come from the references in the catalog, the same that the knowledge graph has as ``cites``,
so no graph need be built or loaded.
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
from services.references.registry import Registry


def neighbourhood_of(
    citations: Sequence[Mapping[str, Any]], catalog: Catalog, scope: Scope
) -> Neighbourhood:
    """Return the cited sections and those one reference away, in either direction.

    A document outside the scope, which is what may be read now, has no neighbours.
    """
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
        """Return the pairs of citing and cited section of which one is in ``cited``."""
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
        """Return the references from the first to the last cited section of a document."""
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
        """Return the label of the section around a character, "" if there is none."""
        sections = self._sections(document_id)
        n = bisect_right(sections, offset, key=lambda section: section.start) - 1
        return "" if n < 0 or offset >= sections[n].end else sections[n].label

    def _sections_of(self, document_id: str) -> list[SectionLine]:
        return self._catalog.corpus.sections(self._documents[document_id].text_id)
