"""Link a question to the nodes that it names by label, name, term in any inflection, or heading."""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final

import numpy as np

from services.domain import DetectedReference, Language
from services.graph.graph import ScopeGraph
from services.graph.values import LinkedEntity, NodeKind
from services.language.text.words import compound_match, stems
from services.references import detect_references
from services.retrieval.terms import Vocabulary

LABEL: Final = 1.0
LABEL_OF_SOME_DOCUMENT: Final = 0.9
NAMED: Final[Mapping[NodeKind, float]] = {
    "term": 0.95,
    "abbreviation": 0.95,
    "entity": 0.9,
    "document": 0.9,
    "quantity": 0.8,
    "date": 0.8,
    "word": 0.7,
}
PART_OF_LONGER: Final = 0.6
"""Factor of ``Dosis`` where the question names ``effektive Dosis``, too."""
COMPOUND: Final = 0.7
LEAST_COMPOUND: Final = 0.5
HEADING: Final = 0.85
LEAST_HEADING: Final = 0.6
"""Least share of a heading's words, weighted by rarity, that a question must contain."""
MOST_RELATED: Final = 4
LONGEST_QUESTION: Final = 2_000
LINKED: Final = 8

ScoredNodes = Iterator[tuple[int, float]]
"""Numbers of nodes, each with how surely (0-1) a text names it."""
Stems = tuple[str, ...]


class Linker:
    """Finds the nodes of one graph in questions; made once per graph."""

    def __init__(self, graph: ScopeGraph) -> None:
        self._graph = graph
        self._tables = [_NameTable(graph, language) for language in graph.languages]

    def __call__(self, *texts: str, limit: int = LINKED) -> tuple[LinkedEntity, ...]:
        """Return the nodes that the texts name, surest first, the rarest first among equals."""
        best: defaultdict[int, float] = defaultdict(float)
        for node, score in chain.from_iterable(map(self._all, texts)):
            best[node] = max(best[node], round(score, 4))
        order = sorted(best, key=lambda n: (-best[n], -self._graph.rarity[n], n))
        return tuple(LinkedEntity(node=self._graph.nodes[n], score=best[n]) for n in order[:limit])

    def weight(self, entity: LinkedEntity) -> float:
        number = self._graph.number[entity.node.node_id]
        return entity.score * float(self._graph.rarity[number])

    def called(self, name: str) -> int | None:
        """Return the node of exactly this name or alias, else the surest one that it links to."""
        graph, folded = self._graph, " ".join(name.split()).casefold()
        by_name = (
            n
            for n, node in enumerate(graph.nodes)
            if node.node_id == name or node.name.casefold() == folded
        )
        by_alias = (n for n, names in graph.aliases.items() if folded in map(str.casefold, names))
        linked = (graph.number[entity.node.node_id] for entity in self(name, limit=1))
        return next(chain(by_name, by_alias, linked), None)

    def _all(self, text: str) -> ScoredNodes:
        text = text[:LONGEST_QUESTION]
        for reference in detect_references(text):
            yield from self._labelled(reference)
        for table in self._tables:
            yield from table.match(text)

    def _labelled(self, reference: DetectedReference) -> ScoredNodes:
        documents = sorted(document_id for document_id, _ in self._graph.texts)
        score = LABEL_OF_SOME_DOCUMENT
        if reference.document is not None:
            resolved = self._graph.registry.resolve(reference, from_document_id="").document_id
            documents, score = (
                [document_id for document_id in documents if document_id == resolved],
                LABEL,
            )
        for document_id in documents:
            node = self._graph.sections.get((document_id, reference.label or ""))
            if node is not None:
                yield node, score


class _NameTable:
    def __init__(self, graph: ScopeGraph, language: Language) -> None:
        self._graph = graph
        self._language = language
        self._named: dict[Stems, list[int]] = defaultdict(list)
        self._headings: dict[str, list[int]] = defaultdict(list)
        heading_stems: dict[int, frozenset[str]] = {}
        for n, node in enumerate(graph.nodes):
            if node.kind == "section":
                if words := frozenset(stems(graph.headings.get(n, ""), language)):
                    heading_stems[n] = words
                for stem in sorted(words):
                    self._headings[stem].append(n)
                continue
            names = (node.name, *graph.aliases.get(n, ()))
            for key in dict.fromkeys(stems(name, language) for name in names):
                if key:
                    self._named[key].append(n)
        self._longest = max(map(len, self._named), default=0)
        self._single = Vocabulary(key[0] for key in self._named if len(key) == 1)
        total = 1 + len(heading_stems)
        self._idf = {
            stem: math.log(1 + total / (1 + len(nodes))) for stem, nodes in self._headings.items()
        }
        self._whole = np.zeros(len(graph.nodes))
        for n, words in heading_stems.items():
            self._whole[n] = sum(self._idf[stem] for stem in sorted(words))

    def match(self, text: str) -> ScoredNodes:
        words = stems(text, self._language)
        yield from self._names(words)
        yield from self._compounds(words)
        yield from self._sections(frozenset(words))

    def _names(self, words: Stems) -> ScoredNodes:
        covered = [False] * len(words)
        for length in range(min(self._longest, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                key = words[start : start + length]
                nodes = self._named.get(key, ())
                share = PART_OF_LONGER if all(covered[start : start + length]) else 1.0
                for n in nodes:
                    yield n, share * NAMED[self._graph.nodes[n].kind]
                if nodes:
                    covered[start : start + length] = [True] * length

    def _compounds(self, words: Stems) -> ScoredNodes:
        """Yield names that are part of a compound in the text, or contain a word of it."""
        if self._language not in ("de", "nl"):
            return
        for word in dict.fromkeys(words):
            relatives = self._single.relatives(word)
            near = sorted((-compound_match(word, name), name) for name in relatives)
            for match, name in near[:MOST_RELATED]:
                for n in self._named[name,] if -match >= LEAST_COMPOUND else ():
                    yield n, COMPOUND * -match * NAMED[self._graph.nodes[n].kind]

    def _sections(self, words: frozenset[str]) -> ScoredNodes:
        heading_words = [stem for stem in sorted(words) if stem in self._headings]
        if len(heading_words) < 2:
            return
        having = [self._headings[stem] for stem in heading_words]
        weights = np.repeat(
            [self._idf[stem] for stem in heading_words], [len(nodes) for nodes in having]
        )
        nodes, at = np.unique(np.concatenate(having), return_inverse=True)
        shares = np.bincount(at, weights) / self._whole[nodes]
        enough = (shares >= LEAST_HEADING - 1e-9) & (np.bincount(at) > 1)
        for n, share in zip(nodes[enough].tolist(), shares[enough].tolist(), strict=True):
            yield n, HEADING * min(1.0, share)
