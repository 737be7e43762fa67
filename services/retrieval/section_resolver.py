"""Sections that a query names: "§ 78 StrlSchG" leads straight to that section."""

from collections.abc import Sequence

from services.catalog import Catalog
from services.domain import DetectedReference, Scope
from services.ingestion.references import detect_references
from services.ingestion.registry import Registry


class SectionResolver:
    """Finds them with what finds references in documents, inside the scope of a request."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def __call__(self, query: str, scope: Scope) -> list[tuple[str, str]]:
        """Document ids and section labels that a query names, each pair once.

        A label without a document ("§ 78") means that section of every document that has it.
        What lies outside the scope, is ambiguous or does not exist gives nothing.
        """
        named = [reference for reference in detect_references(query) if reference.label]
        if not named:
            return []
        registry = Registry(self._catalog.references.aliases(scope))
        found = (
            (document_id, reference.label or "")
            for reference in named
            for document_id in self._documents(reference, registry, scope)
        )
        return list(dict.fromkeys(found))

    def _documents(
        self, reference: DetectedReference, registry: Registry, scope: Scope
    ) -> Sequence[str]:
        having = self._catalog.documents.with_section(reference.label or "", scope)
        if reference.document is None:
            return having
        meant = registry.resolve(reference, from_document_id="").document_id
        return [document_id for document_id in having if document_id == meant]
