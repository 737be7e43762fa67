"""Which nodes are one: other case, inflection or hyphens, or a short form of the other.

Whoever merges wrongly answers wrongly, so two names are one only by a rule that can be named, and
a merge that a person has taken back is not made again. Numbers and negations are part of a name.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Set
from itertools import pairwise

from scipy.cluster.hierarchy import DisjointSet

from services.graph.names import folded
from services.graph.structure.tokens import HYPHENS, name_keys
from services.graph.values import RESOLVED, Merge, Named

Pair = tuple[str, str, str]
"""Two node ids, and the rule by which they are one."""


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
    known_apart = [(one, other) for one, other in apart if one in nodes and other in nodes]
    groups = DisjointSet(nodes)
    rules: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for first, second, rule in [*_same_words(nodes), *_abbreviated(nodes, short_forms)]:
        ends = {groups[first], groups[second]}
        if len(ends) > 1 and not any({groups[a], groups[b]} == ends for a, b in known_apart):
            groups.merge(first, second)
            rules[first][second] = rules[second][first] = rule
    merges = []
    for members in groups.subsets():
        standing = min(members, key=lambda node_id: _rank(nodes[node_id]))
        for node_id in members - {standing}:
            own = rules[node_id]  # the rule that joined the two, or the node to its group
            why = own.get(standing) or min(own.values())
            merges.append(Merge(node_id=node_id, into=standing, why=why))
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


def _same_words(nodes: dict[str, Named]) -> Iterator[Pair]:
    """Names of the same words in the same order, whatever their case, endings and hyphens."""
    words: defaultdict[tuple[str, ...], list[Named]] = defaultdict(list)
    for node in nodes.values():
        if node.kind != "abbreviation":
            words[name_keys(node.name, node.language)].append(node)
    for group in words.values():
        for first, second in pairwise(sorted(group, key=_rank)):
            yield first.node_id, second.node_id, _difference(first.name, second.name)


def _difference(first: str, second: str) -> str:
    if folded(first) == folded(second):
        return "case"
    if _plain(first) == _plain(second):
        return "hyphenation"
    return "inflection"


def _plain(name: str) -> str:
    return HYPHENS.sub("", folded(name)).replace(" ", "")


def _abbreviated(nodes: dict[str, Named], short_forms: Iterable[tuple[str, str]]) -> Iterator[Pair]:
    """A short form is its long form, unless it is short for several."""
    longs: defaultdict[str, set[str]] = defaultdict(set)
    for short, long in short_forms:
        if short in nodes and long in nodes:
            longs[short].add(long)
    for short, found in sorted(longs.items()):
        keys = {name_keys(nodes[each].name, nodes[each].language) for each in found}
        if len(keys) == 1:
            yield min(found), short, "abbreviation"
