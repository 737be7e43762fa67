"""Build the knowledge graph of a scope: read each text that is missing, then merge duplicate nodes.

A wrong merge gives wrong answers, so each needs a rule that can be named: another case, inflection
or hyphenation, or a short form of the other name. Numbers and negations are part of a name.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from itertools import pairwise

from services.catalog import Catalog
from services.catalog.graph import Unbuilt
from services.domain import Scope
from services.domain.errors import RabbitholeError
from services.domain.events import DocumentProgress, Event
from services.domain.notices import Notice
from services.graph.structure import VERSION, read_structure
from services.graph.text import HYPHENS, SourceText, name_keys, passages
from services.graph.values import RESOLVED, BuildReport, Merge, Named, folded

logger = logging.getLogger(__name__)


class GraphBuilder:
    """Reads each text of a scope once, again for a new ``VERSION``; a build may be interrupted."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def build(
        self, scope: Scope, on_event: Callable[[Event], None] = lambda event: None
    ) -> BuildReport:
        """Build what is missing in the scope, then merge duplicates.

        A text that cannot be read is named in a warning. ``on_event`` is called before and after
        each text; what it raises ends the build, and parts that are complete stay.
        """
        started = time.perf_counter()
        unbuilt = self._catalog.graph.missing(scope, VERSION)
        warnings: list[Notice] = []
        for text in unbuilt:
            progress = DocumentProgress(document=text.document, stage="graph")
            on_event(progress)
            try:
                self._read(text)
            except RabbitholeError:
                raise
            except Exception as error:
                logger.exception("the graph of %s was not built", text.document)
                why = f"{type(error).__name__}: {str(error)[:200]}"
                warnings.append(
                    Notice.of(
                        "{document} is not in the knowledge graph ({cause}); please report this",
                        document=text.document,
                        cause=why,
                    )
                )
                failed = {"stage": "failed", "error": warnings[-1]}
                on_event(progress.model_copy(update=failed))
            else:
                on_event(progress.model_copy(update={"stage": "done"}))
        self.resolve(scope.collections)
        status = self._catalog.graph.status(scope)
        return BuildReport(
            documents=status.documents,
            built=len(unbuilt) - len(warnings),
            merges=status.merges,
            seconds=time.perf_counter() - started,
            warnings=tuple(warnings),
        )

    def _read(self, text: Unbuilt) -> None:
        source = SourceText.of(text.text_id, self._catalog.documents.parsed(text.document_id))
        spans = [(passage.start, passage.end) for passage in passages(source)]
        self._catalog.graph.facts.carry_over(text.text_id, spans)
        self._catalog.graph.store(read_structure(source), VERSION)

    def resolve(self, collections: Sequence[str]) -> None:
        """Find the duplicates in each of these collections and record them."""
        graph = self._catalog.graph
        for collection_id in collections:
            scope = Scope(user="", collections=(collection_id,))
            apart = {
                (merge.node_id, merge.into)
                for merge in graph.merges.of(collection_id)
                if merge.undone
            }
            merges = resolve(graph.names(scope), graph.short_forms(scope), apart)
            graph.merges.replace(collection_id, merges)


Pair = tuple[str, str, str]


def _rank(node: Named) -> tuple[int, int, int, str]:
    return RESOLVED.index(node.kind), -node.places, len(node.name), node.node_id


def resolve(
    named: Iterable[Named],
    short_forms: Iterable[tuple[str, str]] = (),
    apart: Set[tuple[str, str]] = frozenset(),
) -> list[Merge]:
    """Return the duplicates among nodes, by node id, each with the node that stands for its group.

    ``short_forms`` are ids of abbreviations and of what they stand for, ``apart`` pairs of ids that
    a person has separated.
    """
    nodes = _distinct(named)
    separated = [(one, other) for one, other in apart if one in nodes and other in nodes]
    groups = {node_id: {node_id} for node_id in nodes}
    rules: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for first, second, rule in [*_same_words(nodes), *_abbreviated(nodes, short_forms)]:
        small, large = sorted((groups[first], groups[second]), key=len)
        if small is not large and not any(
            (one in small and other in large) or (one in large and other in small)
            for one, other in separated
        ):
            large |= small
            groups.update(dict.fromkeys(small, large))
            rules[first][second] = rules[second][first] = rule
    merges = []
    for members in {id(group): group for group in groups.values()}.values():
        standing = min(members, key=lambda node_id: _rank(nodes[node_id]))
        for node_id in members - {standing}:
            joined_by = rules[node_id]  # the rule for this pair, else any rule of the node
            why = joined_by.get(standing) or min(joined_by.values())
            merges.append(Merge(node_id=node_id, into=standing, why=why))
    return sorted(merges, key=lambda merge: merge.node_id)


def _distinct(named: Iterable[Named]) -> dict[str, Named]:
    spellings: defaultdict[str, list[Named]] = defaultdict(list)
    for node in named:
        if node.kind in RESOLVED:
            spellings[node.node_id].append(node)
    return {
        node_id: min(variants, key=lambda node: (-node.places, node.name))._replace(
            places=sum(node.places for node in variants)
        )
        for node_id, variants in sorted(spellings.items())
    }


def _same_words(nodes: dict[str, Named]) -> Iterator[Pair]:
    """Pair names of the same words in the same order, whatever their case, endings and hyphens."""
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
    longs: defaultdict[str, set[str]] = defaultdict(set)
    for short, long in short_forms:
        if short in nodes and long in nodes:
            longs[short].add(long)
    for short, long_ids in sorted(longs.items()):
        keys = {name_keys(nodes[node_id].name, nodes[node_id].language) for node_id in long_ids}
        if len(keys) == 1:
            yield min(long_ids), short, "abbreviation"
