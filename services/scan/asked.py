"""What a question narrows a scan to: the documents, sections and kinds of section it names."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from services.catalog import Alias, Catalog
from services.ingestion.references import detect_references
from services.ingestion.registry import Registry
from services.named_sections import NamedSections
from services.scan.scanner import MOST_PLACES, Scanner
from services.scan.values import ScanResult
from services.types import Language, Scope, SearchFilter

_LABELS: Final = (
    ("§", re.compile(r"\b(?:paragraphen|paragraf\w*|paragraph\w*|párrafos?)\b|§§?(?!\s*\d)", re.I)),
    ("Art", re.compile(r"\b(?:artikeln?|articles?|artículos?)\b(?!\s*\d)", re.I)),
    ("Anlage", re.compile(r"\banlagen?\b(?!\s*\d)", re.I)),
    ("Anhang", re.compile(r"\banh[aä]ng\w*(?!\s*\d)", re.I)),
)
"""How labels of the kinds of section begin that questions ask for."""


@dataclass(frozen=True)
class Named:
    """Documents by id that a question names, and names that mean none or several of them."""

    documents: tuple[str, ...]
    missing: tuple[str, ...]


def named_documents(question: str, *, scope: Scope, catalog: Catalog) -> Named:
    """The documents that a question names, by title, abbreviation, number or file name."""
    aliases = catalog.references.aliases(scope)
    registry = Registry(aliases)
    found = dict.fromkeys(_by_alias(question, aliases))
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


def scan_asked(
    scanner: Scanner,
    catalog: Catalog,
    question: str,
    term: str,
    *,
    scope: Scope,
    languages: Sequence[Language] = (),
    only: SearchFilter | None = None,
    most_places: int = MOST_PLACES,
) -> ScanResult:
    """Scan what a question asks about: ``In wie vielen Paragraphen des Atomgesetzes …``.

    Args:
        scanner: does the counting.
        catalog: knows the names of documents.
        question: may name documents, one section, or a kind of section; the term itself is no
            such name.
        term: the word or phrase to look for.
        scope: what may be read.
        languages: that of the question.
        only: narrows the scan further; its documents count before those of the question.
        most_places: how many places are returned.

    Raises:
        InvalidInput: the term has no letter or digit, or is too long.
    """
    narrowed = only or SearchFilter()
    rest = re.sub(re.escape(term), " ", question, flags=re.IGNORECASE)
    named = Named((), ())
    if not narrowed.documents:
        named = named_documents(rest, scope=scope, catalog=catalog)
        narrowed = narrowed.model_copy(update={"documents": named.documents})
    if not narrowed.sections:
        sections = NamedSections(catalog)(rest, scope)
        narrowed = narrowed.model_copy(
            update={"sections": tuple(dict.fromkeys(label for _, label in sections))}
        )

    def scan(labels: str) -> ScanResult:
        return scanner.scan(
            term,
            scope=scope,
            languages=languages,
            only=narrowed,
            labels=labels,
            most_places=most_places,
        )

    kinds = [] if narrowed.sections else [kind for kind, words in _LABELS if words.search(rest)]
    results = (scan(kind) for kind in kinds)
    result = next((each for each in results if each.sections_searched), None) or scan("")
    names = {each.document_id: each.document for each in catalog.corpus.documents(scope, narrowed)}
    shown = tuple(names[each] for each in named.documents if each in names)
    return result.model_copy(update={"named": shown, "missing": named.missing})


def _by_alias(question: str, aliases: Iterable[Alias]) -> Iterable[str]:
    """Documents whose names stand in the question as they are.

    A single ordinary word is a name only with its file's ending: ``report`` is not ``report.pdf``.
    """
    lowered = question.lower()
    for alias in aliases:
        if _stands(alias.document.lower(), lowered):
            yield alias.document_id
        elif len(alias.alias.split()) > 1:
            if _stands(alias.alias.lower(), lowered):
                yield alias.document_id
        elif sum(letter.isupper() for letter in alias.alias) > 1 and _stands(alias.alias, question):
            yield alias.document_id


def _stands(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
