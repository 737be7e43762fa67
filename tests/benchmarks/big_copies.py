"""Copies of everything that a collection holds, row by row: the second stage of ``big_home``."""

from collections.abc import Iterable, Iterator

import numpy as np
from sqlalchemy import text

from services.build import Services
from services.domain import Principal
from services.ingestion.indexing import keywords
from tests.benchmarks import common

OWN_WORD = "kind in ('word', 'term', 'entity', 'abbreviation') and length(name) % 2 = 0"
"""Half of what texts speak of is other things in each copy."""
PARTS = 100_000
"""Parts of a copy are numbered this far from those of the copy before."""


FIRST = "in (select text_id from first_texts)"
"""What is copied: the rows of the first stage."""


def of_catalog(copy: int, collection: str) -> Iterator[str]:
    """SQL that copies the rows of the first stage, but for the graph."""
    letters, first = letters_of(copy), FIRST

    def key(column: str) -> str:
        return f"'z{copy:03d}' || substr({column}, 5)"

    yield f"""insert into texts select {key("text_id")}, parser_version, title || ' {letters}',
        language, sections, complete, created_at, pages, text from texts where text_id {first}"""
    yield f"""insert into contents select {key("content_id")}, size, {key("text_id")}, created_at,
        stated from contents where text_id {first}"""
    yield f"""insert into extractions select {key("content_id")}, {key("text_id")}
        from extractions where text_id {first}"""
    yield f"""insert into "references" select {key("text_id")}, n, start, "end", text, type, label,
        subdivision, document, target from "references" where text_id {first}"""
    yield f"""insert into sections select {key("text_id")}, n, label, title, level, start, "end",
        heading_path from sections where text_id {first}"""
    yield f"""insert into chunkings select {key("text_id")}, chunking, chunks, complete
        from chunkings where text_id {first}"""
    yield f"""insert into chunks (chunk_id, text_id, n, start, "end", section, heading_path, page,
        page_end, chunking) select {key("chunk_id")}, {key("text_id")}, n, start, "end", section,
        heading_path, page, page_end, chunking from chunks where text_id {first}"""
    contents = f"in (select content_id from contents where text_id {first})"
    yield f"""insert into memberships (collection_id, content_id, document, source, status,
        ingested_at, chunking, date, edited) select collection_id, {key("content_id")},
        '{letters}-' || document, source, status, ingested_at, chunking, date, edited
        from memberships where collection_id = '{collection}' and content_id {contents}"""
    yield f"""insert into aliases select collection_id, {key("content_id")}, n,
        title || ' {letters}', alias || ' {letters}', kind, series, number || '{letters}'
        from aliases where collection_id = '{collection}' and content_id {contents}"""


def letters_of(copy: int) -> str:
    return chr(ord("a") + copy // 26) + chr(ord("a") + copy % 26)


def of_graph(copy: int) -> Iterator[str]:
    """SQL that copies the parts of the graph."""
    letters, first = letters_of(copy), FIRST
    yield f"""insert into graph_parts select part_id + {copy * PARTS},
        'z{copy:03d}' || substr(text_id, 5), builder, complete, built_at
        from graph_parts where text_id {first}"""
    part, parts = f"part_id + {copy * PARTS}", f"where part_id < {PARTS}"
    yield f"""insert into graph_nodes select {part}, n, case
        when kind = 'document' then 'document:z{copy:03d}' || substr(node_id, 14)
        when kind = 'section' then 'section:z{copy:03d}' || substr(node_id, 13)
        when {OWN_WORD} then node_id || '{letters}' else node_id end, kind,
        case when {OWN_WORD} then name || '{letters}' else name end, places
        from graph_nodes {parts}"""
    yield f"""insert into graph_mentions select {part}, n, node, start, "end"
        from graph_mentions {parts}"""
    yield f"""insert into graph_edges select {part}, n, source, target, kind, label, weight, start,
        "end" from graph_edges {parts}"""


def copy_rows(services: Services, statements: Iterable[str]) -> None:
    """Runs statements that copy the texts that are no copies."""
    with services.catalog._database.connection() as connection:
        first = "select text_id from texts where text_id not like 'z%'"
        connection.execute(text(f"create table first_texts as {first}"))
        for statement in statements:
            connection.execute(text(statement))
        connection.execute(text("drop table first_texts"))
        connection.execute(text("update collections set content_version = content_version + 1"))


def copy_all(services: Services, collection: str, copies: int, turn: float) -> None:
    """Copies catalog and graph ``copies`` times, and fills both indexes for the copies."""
    catalog = services.catalog
    members = [each.document_id for each in catalog.documents.list(scope_of(services, collection))]
    ids, vectors = common.stored_vectors(services, collection)
    place = {name[4:]: n for n, name in enumerate(ids)}
    numbers = range(1, copies + 1)
    copy_rows(services, (s for n in numbers for s in (*of_catalog(n, collection), *of_graph(n))))
    for copy in range(1, copies + 1):
        turned = common.turned(vectors, np.random.default_rng(copy), turn)
        documents = [
            keywords(chunk, catalog.documents.info(f"z{copy:03d}{member[4:]}").language)
            for member in members
            for chunk in catalog.chunks.of_member(collection, f"z{copy:03d}{member[4:]}")
        ]
        rows = [place[each.chunk_id[4:]] for each in documents]
        services.vectors.upsert(collection, [each.chunk_id for each in documents], turned[rows])
        services.lexical.upsert(collection, documents)
        print(f"copy {copy} of {copies}: {services.vectors.count(collection)} chunks", flush=True)


def scope_of(services: Services, collection: str):
    return services.catalog.collections.scope(Principal(), [collection])
