"""The rows of a grid or a sweep, and the keys under which their readings are kept."""

import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

from agent.context import Context
from agent.grid.models import GridOptions
from agent.sources import short_name
from services.catalog.corpus import CorpusDocument
from services.domain import SearchFilter
from services.domain.answers import Citation
from services.domain.grids import Column, GridRow
from services.library.relations import Relation
from services.models.base import digest_of
from services.retrieval.retriever import EVERYWHERE

PROMPTS: Final = "1"
"""Version of the prompts and of what is done with their replies."""
NO_READER: Final = "none"
FIRST_HITS: Final = 100
"""Passages of the search whose sections a sweep reads first."""


def list_rows(options: GridOptions, kind: str, question: str, context: Context) -> list[GridRow]:
    """Return the rows in the order in which they are read; a sweep's are sections."""
    documents = context.catalog.corpus.documents(context.scope, SearchFilter())
    if kind == "sweep":
        return _best_first(question, _sections(documents, context), context)
    if options.rows == "sections":
        return _sections(documents, context)
    if options.rows == "sweep":
        return _listed(options, context)
    lengths = context.catalog.corpus.lengths(context.scope)
    return [
        GridRow(
            id=document.document_id,
            name=document.document,
            document_id=document.document_id,
            text_id=document.text_id,
            start=0,
            end=lengths[document.text_id],
        )
        for document in documents
    ]


def _sections(documents: Sequence[CorpusDocument], context: Context) -> list[GridRow]:
    rows: list[GridRow] = []
    for document in documents:
        lines = context.catalog.corpus.sections(document.text_id)
        spans = [(line.start, line.end, line.label or line.title) for line in lines]
        first = spans[0][0] if spans else len(context.catalog.documents.text_of(document.text_id))
        name = short_name(document.document_id, document.document, context)
        for start, end, label in [(0, first, ""), *spans]:
            if context.catalog.documents.text_of(document.text_id)[start:end].strip():
                rows.append(
                    GridRow(
                        id=f"{document.text_id}:{start}",
                        name=f"{name} {label}".rstrip(),
                        document_id=document.document_id,
                        text_id=document.text_id,
                        start=start,
                        end=end,
                    )
                )
    return rows


def _best_first(question: str, rows: Sequence[GridRow], context: Context) -> list[GridRow]:
    """Return the sections that a search finds, best first, then the others in their order."""
    search = context.retriever.search
    hits = search(question, scope=context.scope, k=FIRST_HITS, only=EVERYWHERE)
    around = context.catalog.documents.section_around
    found_in = (f"{hit.text_id}:{around(hit.text_id, hit.start)[0]}" for hit in hits)
    ranks = {row_id: n for n, row_id in enumerate(dict.fromkeys(found_in))}
    return sorted(rows, key=lambda row: ranks.get(row.id, len(ranks)))


def _listed(options: GridOptions, context: Context) -> list[GridRow]:
    """Return a row for each thing that a sweep listed; those of the same value say for what."""
    report: dict[str, Any] = (
        context.catalog.runs.report(context.principal, options.sweep or "") or {}
    )
    rows: dict[str, GridRow] = {}
    groups = report.get("groups", ())
    times = Counter(group["value"] for group in groups)
    for group in groups:
        citation = Citation.model_validate(group["findings"][0]["citations"][0])
        name = str(group["value"])
        if times[name] > 1:
            name = f"{name}: {group['text']}"
        span = citation.model_dump(include={"document_id", "start", "end"})
        rows.setdefault(name, GridRow(id=_hash(name)[:16], name=name, **span))
    return list(rows.values())


def reader_id(context: Context, *, reads: bool) -> str:
    """Return what names the model that reads, with the version of its prompts."""
    model = context.tasks.model
    if model is None or not reads:
        return NO_READER
    return f"{model.name} {digest_of(model)} {PROMPTS}"


def keys_of(
    row: GridRow, columns: Sequence[Column], options: GridOptions, reader: str, context: Context
) -> list[tuple[int, str]]:
    """Return the key of the reading of each column: it changes with all that its result depends on.

    That is the file, which proves it, and its text, the question and its form, the language, and
    which documents change the row's; for a row without a document all that its scope holds; and
    behind a colon the model.
    """
    if row.text_id:
        changes = (f"{c.document_id} {c.start}" for c in changes_of(row.document_id, context))
        file = (row.document_id, context.registry.file_of(row.document_id))
        read = (*file, row.text_id, str(row.start), str(row.end), *changes)
    else:
        read = (row.name, *context.scope.collections, *map(str, context.versions()))
    model = _hash(reader)[:16]
    return [
        (c.id, f"{_hash(options.language, options.counts, c.form, c.question, *read)}:{model}")
        for c in columns
    ]


def changes_of(document_id: str, context: Context) -> list[Relation]:
    return list(context.relations.to(document_id))


def _hash(*values: str) -> str:
    return hashlib.sha256("\0".join(values).encode()).hexdigest()
