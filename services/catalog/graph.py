"""The knowledge graph in the catalog: what every text says, and which nodes are one."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Select, delete, func, insert, select, update
from sqlalchemy.orm import Session, aliased

from services.catalog import ids
from services.catalog.access import visible
from services.catalog.cache import SizedCache
from services.catalog.database import Database, Repository, batches, one_of
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
from services.graph.columns import KIND_NUMBER, PartColumns, edge_rows, table, with_facts
from services.graph.names import node_id
from services.graph.values import RESOLVED, GraphPart, GraphStatus, Named

Rows = Iterator[Mapping[str, object]]
Stored = GraphNodeRow | GraphMentionRow | GraphEdgeRow
CAPACITY: Final = 4_000_000
"""Nodes, mentions and edges that are kept: some 150 long laws, 150 MB."""
VERSIONS_KEPT: Final = 64
"""Scopes whose version is not asked for again while the catalog stays as it is."""


class Unbuilt(NamedTuple):
    """A current text of a scope without a complete part of a builder."""

    text_id: str
    document_id: str
    document: str


class Graph(Repository):
    """Keeps a part for each text, which no other text changes.

    Merges belong to collections (``merges``), what models read to texts (``facts``).
    """

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._kept: SizedCache[int, PartColumns] = SizedCache(CAPACITY, len)
        self.version = database.kept(VERSIONS_KEPT, self._version)
        self.merges = GraphMerges(database)
        self.facts = GraphFacts(database)

    def missing(self, scope: Scope, builder: str) -> list[Unbuilt]:
        """The texts of a scope whose part is to be built, by file name, each once."""
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
        found: dict[str, Unbuilt] = {}
        for row in self._database.rows(query):
            found.setdefault(row[0], Unbuilt(*row))
        return list(found.values())

    def store(self, part: GraphPart, builder: str) -> None:
        """Keep the part of a text in place of an older one.

        Until its last row is written it does not count; what a broken off call left is replaced.
        """
        row = GraphPartRow(
            text_id=part.text_id, builder=builder, complete=False, built_at=ids.now()
        )
        with self._database.write() as session:
            session.execute(delete(GraphPartRow).where(GraphPartRow.text_id == part.text_id))
            session.add(row)
            session.flush()
            part_id = row.part_id
        for model, rows in part_rows(part, part_id):
            for batch in batches(rows):
                with self._database.write() as session:
                    session.execute(insert(model), batch)
        done = update(GraphPartRow).where(GraphPartRow.part_id == part_id)
        self._database.execute(done.values(complete=True, built_at=ids.now()))

    def columns(self, scope: Scope) -> list[PartColumns]:
        """The parts of all current texts of the scope as arrays, by text id."""
        with self._database.read() as session:
            built = _built_now(session, scope)
            facts = self.facts.read(session, built.values())
            found = self._read(session, built)
        return [
            with_facts(each, facts[each.text_id]) if each.text_id in facts else each
            for each in found
        ]

    def _read(self, session: Session, built: Mapping[int, str]) -> list[PartColumns]:
        """Parts by their ids and text ids: one that is complete never changes."""
        found = {
            key: each for key, each in self._kept.get(built).items() if each.text_id == built[key]
        }
        for key, text_id in built.items():
            if key not in found:
                found[key] = read_part(session, key, text_id)
                self._kept.put(key, found[key])
        return [found[key] for key in built]

    def is_built(self, scope: Scope) -> bool:
        """Whether a part of any current text of the scope has been built."""
        return bool(self._database.rows(built_parts(scope).order_by(None).limit(1)))

    def passages(self, scope: Scope) -> int:
        """How many chunks the texts have that parts were built of, cut in whichever way."""
        built = select(built_parts(scope).subquery().c.text_id)
        count = select(func.count()).where(ChunkRow.text_id.in_(built))
        return self._database.scalar(count) or 0

    def names(self, scope: Scope) -> list[Named]:
        """What the nodes of the scope are called that may be duplicates of each other.

        The names that models gave are among them.
        """
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
            found = [Named(*row) for row in session.execute(query)]
            read = self.facts.read(session, built.values())
            those = select(TextRow.text_id, TextRow.language)
            those = those.where(one_of(session, TextRow.text_id, read))
            languages = dict(session.execute(those).all())
            return found + [
                Named(node_id("entity", entity.name), "entity", entity.name, 1, languages[text_id])
                for text_id, passages in read.items()
                for passage in passages
                for entity in passage.entities
            ]

    def short_forms(self, scope: Scope) -> list[tuple[str, str]]:
        """Ids of abbreviations and of what the texts of the scope say they stand for."""
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
            found = session.execute(query.where(those, edge.kind == "abbreviates"))
            return [(short, long) for short, long in found]

    def _version(self, scope: Scope) -> str:
        """Changes whenever ``columns`` or ``merges.merged`` may give something else."""
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
            parts = [tuple(row) for row in session.execute(of_parts)]
            texts = [text_id for _, text_id, _ in parts]
            named = of_facts.where(one_of(session, GraphFactsRow.text_id, texts))
            facts = [tuple(row) for row in session.execute(named)]
            merges = [tuple(row) for row in session.execute(of_merges)]
        return hashlib.sha256(json.dumps([parts, facts, merges]).encode()).hexdigest()

    def status(self, scope: Scope) -> GraphStatus:
        """How far the graph of a scope has come; groups are not looked for here."""
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
    """Ids of the current texts that the scope sees; one recurs where several documents have it."""
    return select(ContentRow.text_id).join(MembershipRow).where(visible(scope))


def built_parts(scope: Scope) -> Select[int, str]:
    """Complete parts of current texts that the scope sees, with their text ids, in their order."""
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
    """Rows by kind; a node that several texts name counts once."""
    query = select(model.kind, counted).where(one_of(session, model.part_id, built))
    return dict(session.execute(query.group_by(model.kind).order_by(model.kind)).all())


def part_rows(part: GraphPart, part_id: int) -> Iterator[tuple[type[Base], Rows]]:
    """The rows of each table; nodes come first."""
    number = {node.node_id: n for n, node in enumerate(part.nodes)}
    tables: dict[type[Base], Rows] = {
        GraphNodeRow: (node.model_dump() for node in part.nodes),
        GraphMentionRow: (
            {"node": number[each.node_id], "start": each.start, "end": each.end}
            for each in part.mentions
        ),
        GraphEdgeRow: (
            each.model_dump(exclude={"by"})
            | {"source": number[each.source], "target": number[each.target]}
            for each in part.edges
        ),
    }
    for model, rows in tables.items():
        yield model, ({"part_id": part_id, "n": n, **each} for n, each in enumerate(rows))


def read_part(session: Session, part_id: int, text_id: str) -> PartColumns:
    """A part as it is stored: what models read is kept elsewhere."""

    def rows(model: type[Stored], *columns: Any) -> Sequence[Sequence[Any]]:
        query = select(*columns).where(model.part_id == part_id).order_by(model.n)
        return session.execute(query).all()

    node, mention, edge = GraphNodeRow, GraphMentionRow, GraphEdgeRow
    nodes = rows(node, node.node_id, node.kind, node.name, node.places)
    mentions = rows(mention, mention.node, mention.start, mention.end)
    edges = rows(
        edge, edge.source, edge.target, edge.kind, edge.label, edge.weight, edge.start, edge.end
    )
    return PartColumns(
        text_id=text_id,
        nodes=tuple((row[0], row[1], row[2], row[3]) for row in nodes),
        mentions=table([tuple(row) for row in mentions], 3),
        edges=edge_rows(
            [
                (source, target, KIND_NUMBER[kind], label, weight, 0, start, end, False)
                for source, target, kind, label, weight, start, end in edges
            ]
        ),
    )
