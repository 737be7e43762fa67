"""The knowledge graph in the catalog: a part for each text, and which nodes are merged."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Select, delete, func, insert, select, update
from sqlalchemy.orm import Session, aliased

from services.catalog import ids
from services.catalog.access import visible
from services.catalog.database import Database, Repository, batches, cached, one_of
from services.catalog.graph_facts import GraphFacts, GraphMerges
from services.catalog.graph_models import (
    GraphEdgeRow,
    GraphFactsRow,
    GraphMentionRow,
    GraphMergeRow,
    GraphNodeRow,
    GraphPartRow,
)
from services.catalog.models import Base, ChunkRow, ContentRow, MembershipRow, TextRow
from services.domain import Scope
from services.graph.values import (
    RESOLVED,
    EdgeKind,
    GraphPart,
    GraphStatus,
    Named,
    NodeKind,
    PassageFacts,
    node_id,
)

Rows = Iterator[Mapping[str, object]]
Stored = GraphNodeRow | GraphMentionRow | GraphEdgeRow

EDGE_KINDS: Final[tuple[EdgeKind, ...]] = tuple(sorted(get_args(EdgeKind)))
"""Kinds in the order of their names; arrays store their index."""
EDGE: Final = np.dtype(
    [
        ("source", np.int64),
        ("target", np.int64),
        ("kind", np.int64),
        ("label", object),
        ("weight", np.float64),
        ("document", np.int64),
        ("start", np.int64),
        ("end", np.int64),
        ("by_model", np.bool_),
    ]
)
"""``source`` and ``target`` are node numbers; ``document`` is the text's number in its scope, 0 in
a part.
"""


class PartRows(NamedTuple):
    """The stored part of one text. Nodes (id, kind, name, places) are numbered in the part."""

    text_id: str
    nodes: Sequence[tuple[str, NodeKind, str, int]]
    mentions: NDArray[np.int64]
    """Node, start, end: shape (n, 3)."""
    edges: NDArray[np.void]
    """Rows of `EDGE`."""


class Unbuilt(NamedTuple):
    """A current text of a scope that lacks a complete part of this builder version."""

    text_id: str
    document_id: str
    document: str


class Graph(Repository):
    """Stores a part for each text, independent of other texts."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self.merges = GraphMerges(database)
        self.facts = GraphFacts(database)

    def missing(self, scope: Scope, builder: str) -> list[Unbuilt]:
        """Return the texts of a scope whose part must be built, by file name, each once."""
        built = select(GraphPartRow.text_id).where(
            GraphPartRow.complete, GraphPartRow.builder == builder
        )
        query = (
            select(TextRow.text_id, MembershipRow.content_id, MembershipRow.document)
            .join(ContentRow, ContentRow.text_id == TextRow.text_id)
            .join(MembershipRow)
            .where(visible(scope), TextRow.text_id.not_in(built))
            .order_by(MembershipRow.document, TextRow.text_id)
        )
        unbuilt: dict[str, Unbuilt] = {}
        for row in self._database.rows(query):
            unbuilt.setdefault(row[0], Unbuilt(*row))
        return list(unbuilt.values())

    def store(self, text_part: GraphPart, builder: str) -> None:
        """Store the part of a text in place of an older, or interrupted, one."""
        row = GraphPartRow(
            text_id=text_part.text_id, builder=builder, complete=False, built_at=ids.now()
        )
        with self._database.write() as session:
            session.execute(delete(GraphPartRow).where(GraphPartRow.text_id == text_part.text_id))
            session.add(row)
            session.flush()
            part_id = row.part_id
        for model, rows in part_rows(text_part, part_id):
            for batch in batches(rows):
                with self._database.write() as session:
                    session.execute(insert(model), batch)
        done = update(GraphPartRow).where(GraphPartRow.part_id == part_id)
        self._database.execute(done.values(complete=True, built_at=ids.now()))

    def read(self, scope: Scope) -> Iterator[PartRows]:
        """Yield the parts of the scope's texts, by text id, with what models read in them."""
        with self._database.read() as session:
            built = _built_now(session, scope)
            facts = self.facts.read(session, built.values())
            for part_id, text_id in built.items():
                yield _read_part(session, part_id, text_id, facts.get(text_id, ()))

    @cached()
    def is_built(self, scope: Scope) -> bool:
        """Return whether a part of any current text of the scope has been built."""
        return bool(self._database.rows(built_parts(scope).order_by(None).limit(1)))

    @cached()
    def passages(self, scope: Scope) -> int:
        """Return the number of chunks of the texts whose parts are built."""
        built = select(built_parts(scope).subquery().c.text_id)
        count = select(func.count()).where(ChunkRow.text_id.in_(built))
        return self._database.scalar(count) or 0

    def names(self, scope: Scope) -> list[Named]:
        """Return the names of nodes that may be duplicates, with those that models read."""
        with self._database.read() as session:
            built = _built_now(session, scope)
            query = (
                select(GraphNodeRow.node_id, GraphNodeRow.kind, GraphNodeRow.name)
                .add_columns(func.sum(GraphNodeRow.places), TextRow.language)
                .join(GraphPartRow, GraphPartRow.part_id == GraphNodeRow.part_id)
                .join(TextRow, TextRow.text_id == GraphPartRow.text_id)
                .where(one_of(session, GraphNodeRow.part_id, built))
                .where(GraphNodeRow.kind.in_(RESOLVED))
                .group_by(GraphNodeRow.node_id, GraphNodeRow.kind, GraphNodeRow.name)
                .group_by(TextRow.language)
                .order_by(GraphNodeRow.node_id, GraphNodeRow.name, TextRow.language)
            )
            named = [Named(*row) for row in session.execute(query)]
            read = self.facts.read(session, built.values())
            those = select(TextRow.text_id, TextRow.language)
            those = those.where(one_of(session, TextRow.text_id, read))
            languages = dict(session.execute(those).all())
            return named + [
                Named(node_id("entity", entity.name), "entity", entity.name, 1, languages[text_id])
                for text_id, passages in read.items()
                for passage in passages
                for entity in passage.entities
            ]

    def short_forms(self, scope: Scope) -> list[tuple[str, str]]:
        """Return the ids of abbreviations and of what the texts say they stand for."""
        edge, source, target = GraphEdgeRow, aliased(GraphNodeRow), aliased(GraphNodeRow)
        query = (
            select(source.node_id, target.node_id)
            .select_from(edge)
            .join(source, (source.part_id == edge.part_id) & (source.n == edge.source))
            .join(target, (target.part_id == edge.part_id) & (target.n == edge.target))
            .order_by(source.node_id, target.node_id)
            .distinct()
        )
        with self._database.read() as session:
            those = one_of(session, edge.part_id, _built_now(session, scope))
            rows = session.execute(query.where(those, edge.kind == "abbreviates"))
            return [(short, long) for short, long in rows]

    @cached()
    def version(self, scope: Scope) -> str:
        """Return a hash that changes whenever ``read`` or ``merges.merged`` would."""
        of_parts = built_parts(scope).add_columns(GraphPartRow.built_at)
        of_facts = (
            select(GraphFactsRow.text_id, func.count(), func.max(GraphFactsRow.read_at))
            .group_by(GraphFactsRow.text_id)
            .order_by(GraphFactsRow.text_id)
        )
        of_merges = (
            select(GraphMergeRow.collection_id, GraphMergeRow.undone, func.count())
            .add_columns(func.max(GraphMergeRow.at))
            .where(GraphMergeRow.collection_id.in_(scope.collections))
            .group_by(GraphMergeRow.collection_id, GraphMergeRow.undone)
            .order_by(GraphMergeRow.collection_id, GraphMergeRow.undone)
        )
        with self._database.read() as session:
            part_versions = [tuple(row) for row in session.execute(of_parts)]
            texts = [text_id for _, text_id, _ in part_versions]
            named = of_facts.where(one_of(session, GraphFactsRow.text_id, texts))
            facts = [tuple(row) for row in session.execute(named)]
            merges = [tuple(row) for row in session.execute(of_merges)]
        return hashlib.sha256(json.dumps([part_versions, facts, merges]).encode()).hexdigest()

    def status(self, scope: Scope) -> GraphStatus:
        """Return how much of the scope's graph is built; communities are not counted here."""
        texts = current_texts(scope).with_only_columns(func.count(ContentRow.text_id.distinct()))
        with self._database.read() as session:
            built = _built_now(session, scope)
            of_texts = one_of(session, GraphFactsRow.text_id, built.values())
            read = select(func.count(GraphFactsRow.text_id.distinct())).where(of_texts)
            distinct = func.count(GraphNodeRow.node_id.distinct())
            return GraphStatus(
                documents=session.scalar(texts) or 0,
                built=len(built),
                facts=session.scalar(read) or 0,
                nodes=_count(session, GraphNodeRow, distinct, built),
                edges=_count(session, GraphEdgeRow, func.count(), built),
                merges=len(self.merges.merged(scope.collections)),
                communities=0,
            )


def _built_now(session: Session, scope: Scope) -> dict[int, str]:
    return dict(session.execute(built_parts(scope)).all())


def current_texts(scope: Scope) -> Select[str]:
    """Select the ids of the scope's current texts; one recurs if several documents share it."""
    return select(ContentRow.text_id).join(MembershipRow).where(visible(scope))


def built_parts(scope: Scope) -> Select[int, str]:
    """Select the complete parts of the scope's current texts with their text ids, in order."""
    return (
        select(GraphPartRow.part_id, GraphPartRow.text_id)
        .where(GraphPartRow.complete, GraphPartRow.text_id.in_(current_texts(scope)))
        .order_by(GraphPartRow.text_id)
    )


def _count(
    session: Session,
    model: type[GraphNodeRow | GraphEdgeRow],
    counted: ColumnElement[int],
    built: Mapping[int, str],
) -> dict[str, int]:
    query = select(model.kind, counted).where(one_of(session, model.part_id, built))
    return dict(session.execute(query.group_by(model.kind).order_by(model.kind)).all())


def part_rows(text_part: GraphPart, part_id: int) -> Iterator[tuple[type[Base], Rows]]:
    number = {node.node_id: n for n, node in enumerate(text_part.nodes)}
    tables: dict[type[Base], Rows] = {
        GraphNodeRow: (node.model_dump() for node in text_part.nodes),
        GraphMentionRow: (
            {"node": number[row.node_id], "start": row.start, "end": row.end}
            for row in text_part.mentions
        ),
        GraphEdgeRow: (
            row.model_dump(exclude={"by"})
            | {"source": number[row.source], "target": number[row.target]}
            for row in text_part.edges
        ),
    }
    for model, rows in tables.items():
        yield model, ({"part_id": part_id, "n": n, **row} for n, row in enumerate(rows))


def _read_part(
    session: Session, part_id: int, text_id: str, facts: Sequence[PassageFacts]
) -> PartRows:
    """Return a stored part, followed by the entities and relations that a model read."""
    connection, number = session.connection(), {kind: n for n, kind in enumerate(EDGE_KINDS)}

    def rows(model: type[Stored], *columns: Any) -> list[tuple[Any, ...]]:
        query = select(*columns).where(model.part_id == part_id).order_by(model.n)
        cursor = connection.execute(query).cursor  # faster than SQLAlchemy's Row objects
        return list(cursor.fetchall()) if cursor else []

    node, mention, edge = GraphNodeRow, GraphMentionRow, GraphEdgeRow
    ends = edge.source, edge.target, edge.kind, edge.label, edge.weight, edge.start, edge.end
    nodes = rows(node, node.node_id, node.kind, node.name, node.places)
    mentions = rows(mention, mention.node, mention.start, mention.end)
    edges = [
        (source, target, number[kind], label, weight, 0, start, end, False)
        for source, target, kind, label, weight, start, end in rows(edge, *ends)
    ]
    counts = Counter(node_id("entity", entity.name) for read in facts for entity in read.entities)
    named: dict[str, int] = {}
    for entity in (entity for read in facts for entity in read.entities):
        identity = node_id("entity", entity.name)
        if identity not in named:
            named[identity] = len(nodes)
            nodes.append((identity, "entity", entity.name, counts[identity]))
        mentions.append((named[identity], entity.start, entity.end))
    for fact in (fact for read in facts for fact in read.facts):
        source, target = (named[node_id("entity", end)] for end in (fact.subject, fact.object))
        relation = number["relates"], fact.relation, 1.0, 0, fact.start, fact.end, True
        edges.append((source, target, *relation))
    return PartRows(
        text_id=text_id,
        nodes=nodes,
        mentions=np.array(mentions, dtype=np.int64).reshape(-1, 3),
        edges=np.array(edges, dtype=EDGE),
    )
