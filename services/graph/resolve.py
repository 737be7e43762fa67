"""Which nodes are one: other case, inflection or hyphens, or a short form of the other.

Whoever merges wrongly answers wrongly, so two names are one only by a rule that can be named, and
a merge that a person has taken back is not made again. Numbers and negations are part of a name.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from itertools import pairwise
from typing import NamedTuple

from scipy.cluster.hierarchy import DisjointSet

from services.graph.names import folded
from services.graph.structure.tokens import name_keys
from services.graph.values import RESOLVED, Merge, Named

_HYPHENS = re.compile(r"[-‐‑]")


class _Pair(NamedTuple):
    first: str
    second: str
    why: str


def _rank(node: Named) -> tuple[int, int, int, str]:
    """Terms stand for others, then what is named most, in few letters; ids break ties."""
    return RESOLVED.index(node.kind), -node.places, len(node.name), node.node_id


def resolve(
    named: Iterable[Named],
    short_forms: Iterable[tuple[str, str]] = (),
    apart: Set[tuple[str, str]] = frozenset(),
) -> list[Merge]:
    """The duplicates among nodes, by node id, each with the one that stands for its group.

    Args:
        named: the nodes of a collection; other kinds than ``RESOLVED`` are passed over.
        short_forms: ids of abbreviations and of what they stand for.
        apart: pairs of ids that a person has told apart.
    """
    nodes = _distinct(named)
    groups = _Groups(nodes, apart)
    for pair in [*_same_words(nodes), *_abbreviated(nodes, short_forms)]:
        groups.join(pair)
    merges = []
    for members in groups.all():
        standing = min(members, key=lambda node_id: _rank(nodes[node_id]))
        merges += [
            Merge(node_id=node_id, into=standing, why=groups.reason(node_id, standing))
            for node_id in members
            if node_id != standing
        ]
    return sorted(merges, key=lambda merge: merge.node_id)


def _distinct(named: Iterable[Named]) -> dict[str, Named]:
    """Each node once: in its most frequent spelling, with the places of all."""
    spellings: defaultdict[str, list[Named]] = defaultdict(list)
    for each in named:
        if each.kind in RESOLVED:
            spellings[each.node_id].append(each)
    return {
        node_id: min(found, key=lambda each: (-each.places, each.name))._replace(
            places=sum(each.places for each in found)
        )
        for node_id, found in sorted(spellings.items())
    }


def _same_words(nodes: dict[str, Named]) -> Iterator[_Pair]:
    """Names of the same words in the same order, whatever their case, endings and hyphens."""
    words: defaultdict[tuple[str, ...], list[Named]] = defaultdict(list)
    for node in nodes.values():
        if node.kind != "abbreviation":
            words[name_keys(node.name, node.language)].append(node)
    for group in words.values():
        for first, second in pairwise(sorted(group, key=_rank)):
            yield _Pair(first.node_id, second.node_id, _difference(first.name, second.name))


def _difference(first: str, second: str) -> str:
    if folded(first) == folded(second):
        return "case"
    if _plain(first) == _plain(second):
        return "hyphenation"
    return "inflection"


def _plain(name: str) -> str:
    return _HYPHENS.sub("", folded(name)).replace(" ", "")


def _abbreviated(
    nodes: dict[str, Named], short_forms: Iterable[tuple[str, str]]
) -> Iterator[_Pair]:
    """A short form is its long form, unless it is short for several."""
    longs: defaultdict[str, set[str]] = defaultdict(set)
    for short, long in short_forms:
        if short in nodes and long in nodes:
            longs[short].add(long)
    for short, found in sorted(longs.items()):
        keys = {name_keys(nodes[each].name, nodes[each].language) for each in found}
        if len(keys) == 1:
            yield _Pair(min(found), short, "abbreviation")


class _Groups:
    """Sets of nodes that are one; what a person told apart never meets."""

    def __init__(self, nodes: Iterable[str], apart: Set[tuple[str, str]]) -> None:
        self._sets = DisjointSet(nodes)
        self._apart = [pair for pair in apart if all(each in self._sets for each in pair)]
        self._why: defaultdict[str, set[str]] = defaultdict(set)
        self._pairs: dict[frozenset[str], str] = {}

    def join(self, pair: _Pair) -> None:
        sets, ends = self._sets, {self._sets[pair.first], self._sets[pair.second]}
        if len(ends) < 2 or any({sets[one], sets[other]} == ends for one, other in self._apart):
            return
        self._pairs[frozenset((pair.first, pair.second))] = pair.why
        for node_id in (pair.first, pair.second):
            self._why[node_id].add(pair.why)
        sets.merge(pair.first, pair.second)

    def all(self) -> Iterator[Set[str]]:
        """The groups of several nodes."""
        return (group for group in self._sets.subsets() if len(group) > 1)

    def reason(self, node_id: str, into: str) -> str:
        """The rule that joined two nodes, or the first that joined the one to its group."""
        direct = self._pairs.get(frozenset((node_id, into)))
        return direct or min(self._why[node_id])
