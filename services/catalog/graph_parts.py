"""Parts of the knowledge graph as rows, and rows as parts."""

import json
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final

from pydantic import TypeAdapter
from sqlalchemy import func, select
from sqlalchemy.orm import InstrumentedAttribute, Session
from sqlalchemy.sql.expression import ColumnElement

from services.catalog.graph_models import GraphEdgeRow, GraphMentionRow, GraphNodeRow
from services.catalog.models import Base
from services.knowledge_graph.values import GraphPart

Rows = Iterator[Mapping[str, object]]
CAPACITY: Final = 600_000
"""Nodes, mentions and edges that are kept: some 20 long laws."""
EDGE: Final = ("source", "target", "kind", "label", "weight", "start", "end")
PART: TypeAdapter[GraphPart] = TypeAdapter(GraphPart)


def part_rows(part: GraphPart, part_id: int) -> Iterator[tuple[type[Base], Rows]]:
    """The rows of each table; nodes come first."""
    number = {node.node_id: n for n, node in enumerate(part.nodes)}
    key = {"part_id": part_id}
    yield (
        GraphNodeRow,
        (key | {"n": n} | node.model_dump() for n, node in enumerate(part.nodes)),
    )
    yield (
        GraphMentionRow,
        (
            key | {"n": n, "node": number[each.node_id], "start": each.start, "end": each.end}
            for n, each in enumerate(part.mentions)
        ),
    )
    yield (
        GraphEdgeRow,
        (
            key
            | {"n": n, "source": number[each.source], "target": number[each.target]}
            | each.model_dump(include={"kind", "label", "weight", "start", "end"})
            for n, each in enumerate(part.edges)
        ),
    )


class PartCache:
    """Parts that were read lately: a complete part never changes, and one anew has another id.

    The least lately read go first, by the number of their mentions and edges.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._size = 0
        self._kept: OrderedDict[int, GraphPart] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, session: Session, built: Mapping[int, str]) -> list[GraphPart]:
        """The parts with these ids and text ids, in their order."""
        with self._lock:
            found = {key: self._kept[key] for key in built if key in self._kept}
            found = {key: part for key, part in found.items() if part.text_id == built[key]}
            for key in found:
                self._kept.move_to_end(key)
        missing = {key: text_id for key, text_id in built.items() if key not in found}
        for key, part in read_parts(session, missing):
            found[key] = part
            self._keep(key, part)
        return [found[key] for key in built]

    def _keep(self, key: int, part: GraphPart) -> None:
        with self._lock:
            if key in self._kept:
                self._size -= _size(self._kept.pop(key))
            self._kept[key] = part
            self._size += _size(part)
            while self._size > self._capacity and self._kept:
                self._size -= _size(self._kept.popitem(last=False)[1])


def _size(part: GraphPart) -> int:
    return len(part.nodes) + len(part.mentions) + len(part.edges)


def read_parts(session: Session, built: Mapping[int, str]) -> Iterator[tuple[int, GraphPart]]:
    """The parts with these ids and text ids, in the order of the ids given."""
    if not built:
        return
    nodes = _grouped(session, GraphNodeRow, ("node_id", "kind", "name", "places"), built)
    mentions = _grouped(session, GraphMentionRow, ("node", "start", "end"), built)
    edges = _grouped(session, GraphEdgeRow, EDGE, built)
    for part_id, text_id in built.items():
        names = [row[1] for row in nodes.get(part_id, ())]
        fields = {
            "text_id": text_id,
            "nodes": [
                {"node_id": row[1], "kind": row[2], "name": row[3], "places": row[4]}
                for row in nodes.get(part_id, ())
            ],
            "mentions": [
                {"node_id": names[row[1]], "start": row[2], "end": row[3]}
                for row in mentions.get(part_id, ())
            ],
            "edges": [
                {"source": names[row[1]], "target": names[row[2]]}
                | dict(zip(EDGE[2:], row[3:], strict=True))
                for row in edges.get(part_id, ())
            ],
        }
        yield part_id, PART.validate_python(fields)


def _grouped(
    session: Session,
    model: type[GraphNodeRow | GraphMentionRow | GraphEdgeRow],
    columns: Sequence[str],
    built: Mapping[int, str],
) -> dict[int, list[Sequence[Any]]]:
    """The part and these columns of every row, by part, in order."""
    query = (
        select(model.part_id, *(getattr(model, name) for name in columns))
        .where(among(session, model.part_id, built))
        .order_by(model.part_id, model.n)
    )
    rows: Sequence[Sequence[Any]] = session.execute(query).all()
    return {part_id: list(group) for part_id, group in groupby(rows, itemgetter(0))}


def among(
    session: Session, column: InstrumentedAttribute[int], part_ids: Mapping[int, str]
) -> ColumnElement[bool]:
    """Rows of these parts, however many they are; SQLite gets them as one parameter."""
    if session.get_bind().dialect.name != "sqlite":
        return column.in_(list(part_ids))
    each = func.json_each(json.dumps(list(part_ids))).table_valued("value")
    return column.in_(select(each.c.value))
