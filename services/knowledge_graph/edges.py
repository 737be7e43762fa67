"""Edges of a graph as arrays: a million of them as objects would fill the memory."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.knowledge_graph.columns import EDGE_KINDS, KIND_NUMBER, Floats, Numbers, PartColumns
from services.knowledge_graph.values import EdgeKind, Place


@dataclass(frozen=True, slots=True)
class Edge:
    """An edge between numbered nodes; ``weight`` counts how often it was read, or how surely."""

    source: int
    target: int
    kind: EdgeKind
    weight: float
    label: str = ""
    place: Place | None = None
    by_model: bool = False


@dataclass(frozen=True, eq=False)
class Edges:
    """Edges as arrays of equal length; an `Edge` is made of one where it is shown.

    ``kind`` has numbers of `EDGE_KINDS`, ``document`` those of ``documents`` (document and text
    ids), in which ``start`` and ``end`` lie.
    """

    source: Numbers
    target: Numbers
    kind: Numbers
    weight: Floats
    document: Numbers
    start: Numbers
    end: Numbers
    by_model: NDArray[np.bool_]
    labels: Mapping[int, str]
    documents: Sequence[tuple[str, str]]

    def __len__(self) -> int:
        return len(self.source)

    def __getitem__(self, n: int) -> Edge:
        document_id, text_id = self.documents[self.document[n]]
        return Edge(
            source=int(self.source[n]),
            target=int(self.target[n]),
            kind=EDGE_KINDS[self.kind[n]],
            weight=float(self.weight[n]),
            label=self.labels.get(n, ""),
            place=Place(
                document_id=document_id,
                text_id=text_id,
                start=int(self.start[n]),
                end=int(self.end[n]),
            ),
            by_model=bool(self.by_model[n]),
        )

    def __iter__(self) -> Iterator[Edge]:
        return (self[n] for n in range(len(self)))

    def counts(self) -> dict[EdgeKind, int]:
        """How many there are of each kind that there is."""
        found = np.bincount(self.kind, minlength=len(EDGE_KINDS)).tolist()
        return {kind: count for kind, count in zip(EDGE_KINDS, found, strict=True) if count}


@dataclass(frozen=True, eq=False)
class Ties:
    """Passages that name nodes, and how often, as arrays of equal length."""

    chunk: Numbers
    node: Numbers
    times: Numbers

    def __len__(self) -> int:
        return len(self.chunk)


class Touching:
    """The numbers of the edges at each node, in order."""

    def __init__(self, edges: Edges, nodes: int) -> None:
        ends = np.concatenate([edges.source, edges.target[edges.target != edges.source]])
        numbers = np.arange(len(edges), dtype=np.int64)
        numbers = np.concatenate([numbers, numbers[edges.target != edges.source]])
        order = np.lexsort((numbers, ends))
        self._numbers = numbers[order]
        self._first = np.searchsorted(ends[order], np.arange(nodes + 1))

    def __getitem__(self, node: int) -> list[int]:
        found: list[int] = self._numbers[self._first[node] : self._first[node + 1]].tolist()
        return found


class EdgeRows:
    """Edges as they are read, text by text; the same edge may be read often."""

    def __init__(self) -> None:
        self._rows: list[Numbers] = []
        self._cites: list[tuple[int, ...]] = []
        self._weights: list[Floats] = []
        self._labels: dict[str, int] = {"": 0}

    def of_part(self, part: PartColumns, numbers: Numbers, document: int) -> None:
        """The edges of a part; ``numbers`` are those of its nodes."""
        edges, count = part.edges, len(part.edges)
        labels = np.zeros(count, dtype=np.int64)
        for n, label in part.labels.items():
            labels[n] = self._labels.setdefault(label, len(self._labels))
        self._rows.append(
            np.column_stack(
                [
                    numbers[edges[:, 0]],
                    numbers[edges[:, 1]],
                    edges[:, 2],
                    labels,
                    np.full(count, document),
                    edges[:, 3:],
                    np.arange(count) >= part.by_model,
                ]
            )
        )
        self._weights.append(part.weights)

    def cites(self, source: int, target: int, document: int, start: int, end: int) -> None:
        self._cites.append((source, target, KIND_NUMBER["cites"], 0, document, start, end, 0))

    def summed(self, final: Numbers, documents: Sequence[tuple[str, str]]) -> Edges:
        """Each edge once, its weights added up; of several places the first that was read.

        Args:
            final: the number that each node has in the end.
            documents: document and text ids, by the numbers of the documents.
        """
        rows = np.concatenate([*self._rows, np.array(self._cites, dtype=np.int64).reshape(-1, 8)])
        weights: Floats = np.concatenate([*self._weights, np.ones(len(self._cites))])
        named = sorted(self._labels)
        rows[:, 3] = np.array([named.index(each) for each in self._labels])[rows[:, 3]]
        rows[:, :2] = final[rows[:, :2]]
        apart = rows[:, 0] != rows[:, 1]
        rows, weights = rows[apart], weights[apart]
        order = np.lexsort((rows[:, 3], rows[:, 2], rows[:, 1], rows[:, 0]))
        rows, weights = rows[order], weights[order]
        first = np.flatnonzero(np.any(np.diff(rows[:, :4], axis=0, prepend=-1) != 0, axis=1))
        once = rows[first]
        group = np.zeros(len(rows), dtype=np.int64)
        group[first[1:]] = 1
        sums: Floats = np.bincount(np.cumsum(group), weights, minlength=len(first)).astype(
            np.float64
        )
        return Edges(
            source=once[:, 0].copy(),
            target=once[:, 1].copy(),
            kind=once[:, 2].copy(),
            weight=sums,
            document=once[:, 4].copy(),
            start=once[:, 5].copy(),
            end=once[:, 6].copy(),
            by_model=np.logical_and.reduceat(rows[:, 7] > 0, first)
            if len(first)
            else np.zeros(0, dtype=np.bool_),
            labels={n: named[label] for n, label in enumerate(once[:, 3].tolist()) if named[label]},
            documents=documents,
        )


def ties(pairs: Numbers, final: Numbers) -> Ties:
    """How often each passage and node occur among the pairs, by passage and node.

    Args:
        pairs: shape (n, 2), a passage and a node as they were read.
        final: the number that each node has in the end.
    """
    nodes = max(1, len(final))
    keys, times = np.unique(pairs[:, 0] * nodes + final[pairs[:, 1]], return_counts=True)
    return Ties(chunk=keys // nodes, node=keys % nodes, times=times.astype(np.int64))
