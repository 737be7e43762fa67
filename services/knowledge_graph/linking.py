"""The nodes that a question speaks of: labels, names, terms, in any inflection, and headings.

Nothing is guessed by meaning: search by vectors does that, and its passages are seeds too.
"""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import numpy as np

from services.ingestion.references import detect_references
from services.knowledge_graph.graph import ScopeGraph
from services.knowledge_graph.values import LinkedEntity, Node, NodeKind
from services.text import compound_match, stem_sequence
from services.types import DetectedReference, Language

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
"""``Dosis`` where ``effektive Dosis`` is named too."""
COMPOUND: Final = 0.7
LEAST_COMPOUND: Final = 0.5
HEADING: Final = 0.85
LEAST_HEADING: Final = 0.6
"""Share of a heading's words, rare ones counting more, that a question must have."""
MOST_RELATED: Final = 4
LONGEST_QUESTION: Final = 2_000

Found = dict[int, tuple[float, str]]
Stems = tuple[str, ...]


class Linker:
    """Finds nodes of one graph in questions; made once for it."""

    def __init__(self, graph: ScopeGraph) -> None:
        self._graph = graph
        self._rarity = rarities(graph)
        self._tables = [_Table(graph, language) for language in graph.languages]

    def __call__(self, text: str, *, limit: int = 8) -> tuple[LinkedEntity, ...]:
        """The nodes that a text speaks of, surest first, of equally sure ones the rarest."""
        text = text[:LONGEST_QUESTION]
        best: Found = {}
        for node, score, said in self._all(text):
            if score > best.get(node, (0.0, ""))[0]:
                best[node] = (score, said)
        order = sorted(best, key=lambda n: (-best[n][0], -self._rarity[n], n))
        return tuple(
            LinkedEntity(node=self._graph.nodes[n], text=best[n][1], score=round(best[n][0], 4))
            for n in order[:limit]
        )

    def weight(self, entity: LinkedEntity) -> float:
        """How much a linked node says: how sure it is, and how rare."""
        return entity.score * self._rarity[self._graph.number[entity.node.node_id]]

    def called(self, name: str) -> int | None:
        """The node that is called exactly this, else the surest one that the name speaks of."""
        folded = " ".join(name.split()).casefold()
        for n, node in enumerate(self._graph.nodes):
            if node.node_id == name or node.name.casefold() == folded:
                return n
        for n, names in self._graph.aliases.items():
            if folded in (each.casefold() for each in names):
                return n
        linked = self(name, limit=1)
        return self._graph.number[linked[0].node.node_id] if linked else None

    def _all(self, text: str) -> Iterator[tuple[int, float, str]]:
        for reference in detect_references(text):
            yield from self._labelled(reference)
        for table in self._tables:
            yield from table.found(text)

    def _labelled(self, reference: DetectedReference) -> Iterator[tuple[int, float, str]]:
        """The section of the document that is named, or that section of every document."""
        documents = sorted(self._graph.documents)
        score = LABEL_OF_SOME_DOCUMENT
        if reference.document is not None:
            meant = self._graph.registry.resolve(reference, from_document_id="").document_id
            documents, score = [each for each in documents if each == meant], LABEL
        for document_id in documents:
            node = self._graph.sections.get((document_id, reference.label or ""))
            if node is not None:
                yield node, score, reference.text


def rarities(graph: ScopeGraph) -> list[float]:
    """How much it says of a passage that it names a node, 0-1 by node: the fewer, the more."""
    holding: list[int] = np.bincount(graph.mentioned.node, minlength=len(graph.nodes)).tolist()
    most = math.log(2 + len(graph.chunks))
    return [
        _rarity(node, math.log((2 + len(graph.chunks)) / (1 + count)) / most)
        for node, count in zip(graph.nodes, holding, strict=True)
    ]


def _rarity(node: Node, rarity: float) -> float:
    if node.kind == "document":
        return 0.1
    return 1.0 if node.kind == "section" else max(0.05, rarity)


class _Table:
    """The names of all nodes in the stems of one language."""

    def __init__(self, graph: ScopeGraph, language: Language) -> None:
        self._graph = graph
        self._language = language
        self._named: dict[Stems, list[int]] = defaultdict(list)
        self._headings: dict[str, list[int]] = defaultdict(list)
        self._heading_stems: dict[int, frozenset[str]] = {}
        for n, node in enumerate(graph.nodes):
            self._take(n, node)
        self._longest = max(map(len, self._named), default=0)
        single = [key[0] for key in self._named if len(key) == 1]
        self._forwards = sorted(single)
        self._backwards = sorted(each[::-1] for each in single)
        total = 1 + len(self._heading_stems)
        self._idf = {
            stem: math.log(1 + total / (1 + len(nodes))) for stem, nodes in self._headings.items()
        }
        self._whole = np.zeros(len(graph.nodes))
        for n, stems in self._heading_stems.items():
            self._whole[n] = sum(self._idf[stem] for stem in sorted(stems))

    def _take(self, n: int, node: Node) -> None:
        if node.kind == "section":
            words = frozenset(stem_sequence(self._graph.headings.get(n, ""), self._language))
            if words:
                self._heading_stems[n] = words
            for stem in sorted(words):
                self._headings[stem].append(n)
            return
        for name in (node.name, *self._graph.aliases.get(n, ())):
            key = stem_sequence(name, self._language)
            if key and n not in self._named[key]:
                self._named[key].append(n)

    def found(self, text: str) -> Iterator[tuple[int, float, str]]:
        words = stem_sequence(text, self._language)
        yield from self._names(words)
        yield from self._compounds(words)
        yield from self._sections(frozenset(words))

    def _names(self, words: Stems) -> Iterator[tuple[int, float, str]]:
        """Names that stand in the text word by word, the longest first."""
        taken = [False] * len(words)
        for length in range(min(self._longest, len(words)), 0, -1):
            for start in range(len(words) - length + 1):
                key = words[start : start + length]
                nodes = self._named.get(key, ())
                inside = all(taken[start : start + length])
                for n in nodes:
                    share = PART_OF_LONGER if inside else 1.0
                    yield n, share * NAMED[self._graph.nodes[n].kind], " ".join(key)
                if nodes:
                    taken[start : start + length] = [True] * length

    def _compounds(self, words: Stems) -> Iterator[tuple[int, float, str]]:
        """Names that are a part of a word of the text, or have it as a part."""
        if self._language not in ("de", "nl"):
            return
        for word in dict.fromkeys(words):
            near = [
                (compound_match(word, each), each)
                for each in self._sharing(word)
                if each != word and compound_match(word, each) >= LEAST_COMPOUND
            ]
            for match, each in sorted(near, key=lambda pair: (-pair[0], pair[1]))[:MOST_RELATED]:
                for n in self._named[each,]:
                    yield n, COMPOUND * match * NAMED[self._graph.nodes[n].kind], word

    def _sharing(self, word: str) -> list[str]:
        """Names of one word that begin or end a word, or that begin or end with it."""
        parts = {word[:n] for n in range(4, len(word))} | {word[n:] for n in range(1, len(word))}
        found = {each for each in parts if (each,) in self._named}
        found |= set(_beginning(self._forwards, word))
        found |= {each[::-1] for each in _beginning(self._backwards, word[::-1])}
        return sorted(found)

    def _sections(self, words: frozenset[str]) -> Iterator[tuple[int, float, str]]:
        """Sections whose heading the text has most words of."""
        known = [stem for stem in sorted(words) if stem in self._headings]
        if len(known) < 2:
            return
        having = [self._headings[stem] for stem in known]
        weights = np.repeat([self._idf[stem] for stem in known], [len(each) for each in having])
        nodes, at = np.unique(np.concatenate(having), return_inverse=True)
        shares = np.bincount(at, weights) / self._whole[nodes]
        enough = (shares >= LEAST_HEADING - 1e-9) & (np.bincount(at) > 1)
        for n, share in zip(nodes[enough].tolist(), shares[enough].tolist(), strict=True):
            said = " ".join(sorted(self._heading_stems[n] & words))
            yield n, HEADING * min(1.0, share), said


def _beginning(ordered: Sequence[str], prefix: str) -> list[str]:
    """Those of sorted words that begin so."""
    first = bisect_left(ordered, prefix)
    found = []
    for each in ordered[first:]:
        if not each.startswith(prefix):
            break
        found.append(each)
    return found
