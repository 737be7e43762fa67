"""Documents that an item names: how they begin, and the fields of their heads that it asks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from agent.ask.context import AskContext
from services.evidence import EvidenceSentence
from services.extractive.questions import topic
from services.ingestion.references import detect_references
from services.structured.fields import asks_field, head_fields
from services.structured.wanted import wanted_answer
from services.text import stem_sequence
from services.types import Chunk, Language

OF_THE_BEGINNING: Final = 4
"""Passages in which a document says what it is, after its head."""

LONGEST_HEAD: Final = 8
"""Passages of a head at most."""

MOST_DOCUMENTS: Final = 2
"""Documents of an item whose beginnings are read."""


@dataclass(frozen=True)
class Named:
    """Ids of the documents that an item names; ``alone``: it says nothing but their names."""

    documents: tuple[str, ...] = ()
    alone: bool = False


@dataclass(frozen=True)
class Beginnings:
    """The passages with which the documents of an item begin; ``named``: the item names these."""

    chunks: tuple[Chunk, ...] = ()
    named: bool = False


def named_in(item: str, language: Language, context: AskContext) -> Named:
    """The documents that an item names without a section of them."""
    found: dict[str, None] = {}
    rest = item
    for reference in reversed(detect_references(item)):
        if reference.document is None or reference.label is not None:
            continue
        meant = context.registry.resolve(reference, from_document_id="").document_id
        if meant is not None:
            found[meant] = None
            rest = rest[: reference.start] + " " + rest[reference.end :]
    alone = bool(found) and not stem_sequence(topic(rest), language)
    return Named(tuple(reversed(found)), alone)


def beginnings_of(
    item: str, about: str, nearest: Sequence[str], language: Language, context: AskContext
) -> Beginnings:
    """Where to look besides what was found, for what an item asks of documents as such.

    Args:
        item: a piece of required information.
        about: the same with what it leans on.
        nearest: ids of the documents of the passages nearest to it, best first; the head of the
            first tells a time or a version that is asked for, where the item names no document.
        language: of the item.
        context: of the turn.
    """
    named = named_in(about, language, context)
    if not named.documents and wanted_answer(item) != "time":
        return Beginnings()
    documents = (named.documents or tuple(nearest[:1]))[:MOST_DOCUMENTS]
    if named.alone:
        first = [chunk for each in documents for chunk in _introduction(each, context)]
        return Beginnings(tuple(first), named=True)
    heads = [
        chunk
        for each in documents
        for chunk in context.catalog.chunks.opening(each, scope=context.scope, most=1)
        if fields_asked(item, about, chunk, language, context)
    ]
    return Beginnings(tuple(heads), named=bool(named.documents))


def _introduction(document_id: str, context: AskContext) -> list[Chunk]:
    """The first passages of a document after its head, if it has one."""
    most = LONGEST_HEAD + OF_THE_BEGINNING
    chunks = context.catalog.chunks.opening(document_id, scope=context.scope, most=most)
    if chunks and head_fields(chunks[0].text):
        chunks = [chunk for chunk in chunks if chunk.heading_path] or chunks
    return chunks[:OF_THE_BEGINNING]


def fields_asked(
    item: str, about: str, chunk: Chunk, language: Language, context: AskContext
) -> list[EvidenceSentence]:
    """The fields of the head of a document that an item asks for; none of another passage.

    ``about`` is the item with what it leans on, which may name the document.
    """
    fields = head_fields(chunk.text) if chunk.start == 0 else []
    if not fields:
        return []
    named = chunk.document_id in named_in(about, language, context).documents
    return [
        EvidenceSentence(
            document_id=chunk.document_id,
            document=chunk.document,
            section=chunk.section,
            page=chunk.page,
            start=each.start,
            end=each.end,
            text=chunk.text[each.start : each.end],
            context=chunk.text,
        )
        for each in fields
        if asks_field(item, each, language, named=named)
    ]
