"""Documents and sections that a question names, found by what finds references in documents."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from services.catalog import Alias, Catalog
from services.domain import Scope
from services.ingestion.references import detect_references
from services.ingestion.registry import Registry


@dataclass(frozen=True)
class Named:
    """Documents by id that a question names, and names that mean none or several of them."""

    documents: tuple[str, ...]
    missing: tuple[str, ...]


def named_documents(question: str, *, scope: Scope, catalog: Catalog) -> Named:
    """The documents that a question names, by title, abbreviation, number or file name."""
    aliases = catalog.references.aliases(scope)
    registry = Registry(aliases)
    found = dict.fromkeys(by_name(question, aliases))
    missing: dict[str, None] = {}
    for reference in detect_references(question):
        if reference.document is None or reference.type == "external":
            continue
        meant = registry.resolve(reference, from_document_id="").document_id
        if meant is None:
            missing[reference.document] = None
        else:
            found[meant] = None
    return Named(tuple(found), tuple(missing))


def named_sections(query: str, scope: Scope, catalog: Catalog) -> list[tuple[str, str]]:
    """Document ids and section labels that a query names, each pair once.

    A label without a document ("§ 78") means that section of every document that has it. What
    lies outside the scope, is ambiguous or does not exist gives nothing.
    """
    named = [reference for reference in detect_references(query) if reference.label]
    with_document = any(reference.document is not None for reference in named)
    registry = Registry(catalog.references.aliases(scope) if with_document else ())
    found: dict[tuple[str, str], None] = {}
    for reference in named:
        label = reference.label or ""
        having = catalog.documents.with_section(label, scope)
        if reference.document is not None:
            meant = registry.resolve(reference, from_document_id="").document_id
            having = [document_id for document_id in having if document_id == meant]
        found |= dict.fromkeys((document_id, label) for document_id in having)
    return list(found)


def by_name(text: str, aliases: Iterable[Alias]) -> Iterable[str]:
    """Ids of the documents whose names stand in a text as they are.

    A single ordinary word is a name only with its file's ending: ``report`` is not ``report.pdf``.
    """
    lowered = text.lower()
    for alias in aliases:
        if _stands(alias.document.lower(), lowered):
            yield alias.document_id
        elif len(alias.alias.split()) > 1:
            if _stands(alias.alias.lower(), lowered):
                yield alias.document_id
        elif sum(letter.isupper() for letter in alias.alias) > 1 and _stands(alias.alias, text):
            yield alias.document_id


def _stands(name: str, text: str) -> bool:
    return name in text and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
