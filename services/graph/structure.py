"""Read one text's part of the graph from its structure, without a model."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from services.graph.definitions import definitions
from services.graph.text import Names, SourceText, Window, name_keys, tokenise, windows
from services.graph.values import (
    EdgeKind,
    GraphPart,
    Mention,
    Node,
    NodeKind,
    PartEdge,
    clean_name,
    node_id,
)
from services.language.quantities.numbers import parse_unit
from services.language.quantities.parse import Quantity, quantities
from services.language.text.words import keyphrases
from services.language.vocabulary import word_set
from services.references.abbreviations import short_form_of_title, short_forms

VERSION: Final = "structure-1"
"""Version of ``read_structure``; parts of another version are rebuilt."""
_TERMS_KEPT = 12


def read_structure(source: SourceText) -> GraphPart:
    """Return what a text says without a model: a pure function of text, sections and language."""
    return _PartReader(source).read()


class _PartReader:
    def __init__(self, source: SourceText) -> None:
        self._source = source
        self._windows = list(windows(source))
        self._names = Names(source.language)
        self._nodes: dict[str, Node] = {}
        self._mentions: list[Mention] = []
        self._edges: list[PartEdge] = []
        self._named: dict[tuple[str, str], tuple[Mention, int]] = {}

    def read(self) -> GraphPart:
        self._add_outline()
        self._add_definitions()
        self._add_short_forms()
        words = self._add_words()
        self._add_mentions(words)
        self._add_values()
        return self._assemble()

    def _add_node(self, kind: NodeKind, name: str, identity: str | None = None) -> str:
        identity = identity or node_id(kind, name)
        self._nodes.setdefault(identity, Node(node_id=identity, kind=kind, name=name))
        return identity

    def _add_outline(self) -> None:
        source = self._source
        title = " ".join(source.title.split())
        self._add_node("document", title, source.document_node)
        above: list[tuple[int, str]] = [(-1, source.document_node)]
        for n, section in enumerate(source.sections):
            name = " ".join((section.title or section.label).split())
            identity = self._add_node("section", name, source.section_node(n))
            while above[-1][0] >= section.level:
                above.pop()
            self._add_edge("contains", above[-1][1], identity, (section.start, section.end))
            above.append((section.level, identity))

    def _add_edge(
        self, kind: EdgeKind, source: str, target: str, span: tuple[int, int], weight: float = 1.0
    ) -> None:
        named = PartEdge(
            source=source, target=target, kind=kind, weight=weight, start=span[0], end=span[1]
        )
        self._edges.append(named)

    def _add_definitions(self) -> None:
        for definition in definitions(self._source):
            identity = self._names.add(node_id("term", definition.name), definition.name)
            self._add_node("term", definition.name, identity)
            owner = self._owner(definition.start)
            if not any(
                edge.kind == "defines" and (edge.source, edge.target) == (owner, identity)
                for edge in self._edges[-20:]
            ):
                self._add_edge(
                    "defines", owner, identity, (definition.defined_from, definition.defined_until)
                )

    def _owner(self, offset: int) -> str:
        owners = (window.owner for window in self._windows if window.start <= offset < window.end)
        return next(owners, self._source.document_node)

    def _add_short_forms(self) -> None:
        title_form = short_form_of_title(self._source.title, self._source.text)
        if title_form is not None:
            short = self._add_short_form(title_form[0])
            self._add_edge("abbreviates", short, self._source.document_node, title_form[1:])
        for form in short_forms(self._source.text):
            long = clean_name(form.long)
            if long is None or (title_form is not None and form.short == title_form[0]):
                continue
            short = self._add_short_form(form.short)
            identity = self._names.add(node_id("word", long), long)
            self._add_node("word", long, identity)
            span = (min(form.start, form.long_start), max(form.end, form.long_end))
            if identity != short:
                self._add_edge("abbreviates", short, identity, span)

    def _add_short_form(self, name: str) -> str:
        identity = self._add_node("abbreviation", name)
        self._names.add(identity, name, exact=True)
        return identity

    def _add_words(self) -> frozenset[str]:
        words = set()
        for name in recurring_phrases(self._source, self._windows).values():
            identity = node_id("word", name)
            if self._names.add(identity, name) == identity:
                words.add(identity)
                self._add_node("word", name, identity)
        return frozenset(words)

    def _add_mentions(self, words: frozenset[str]) -> None:
        text, language = self._source.text, self._source.language
        mentions = {
            window: list(self._names.find(text, tokenise(text, language, window.start, window.end)))
            for window in self._windows
        }
        named: list[dict[str, Mention]] = []
        for window, salient in salient_words(mentions, words):
            matches = [
                match
                for match in mentions[window]
                if match.node_id in salient or match.node_id not in words
            ]
            for match in matches:
                self._add_mention(window.owner, match)
            named.append(_cooccurring_nodes(matches, salient))
        self._edges += cooccurrence_edges(named)

    def _add_values(self) -> None:
        """Add dates and quantities by value: ``20 mSv`` and ``20 Millisievert`` are one node."""
        text = self._source.text
        for window in self._windows:
            for quantity in quantities(text[window.start : window.end], self._source.language):
                if (identity := _value_of(quantity)) is not None:
                    start, end = window.start + quantity.start, window.start + quantity.end
                    kind: NodeKind = "date" if quantity.unit == "date" else "quantity"
                    self._add_node(kind, " ".join(text[start:end].split()), identity)
                    self._add_mention(window.owner, Mention(identity, start, end))

    def _add_mention(self, owner: str, mention: Mention) -> None:
        self._mentions.append(mention)
        first, count = self._named.get((owner, mention.node_id), (mention, 0))
        self._named[owner, mention.node_id] = (first, count + 1)

    def _assemble(self) -> GraphPart:
        for (owner, identity), (first, count) in self._named.items():
            self._add_edge("mentions", owner, identity, (first.start, first.end), count)
        counts = Counter(mention.node_id for mention in self._mentions)
        joined = {identity for edge in self._edges for identity in (edge.source, edge.target)}
        return GraphPart(
            text_id=self._source.text_id,
            nodes=tuple(
                node.model_copy(update={"places": counts[node.node_id]})
                for node in self._nodes.values()
                if node.node_id in joined or node.node_id in counts
            ),
            mentions=tuple(
                sorted(
                    self._mentions,
                    key=lambda mention: (mention.start, mention.end, mention.node_id),
                )
            ),
            edges=tuple(self._edges),
        )


def _cooccurring_nodes(matches: Sequence[Mention], words: frozenset[str]) -> dict[str, Mention]:
    first: dict[str, Mention] = {}
    for match in matches:
        first.setdefault(match.node_id, match)
    count = Counter(match.node_id for match in matches if match.node_id not in words)
    terms = sorted(count, key=lambda node_id: (-count[node_id], node_id))[:_TERMS_KEPT]
    return {node_id: first[node_id] for node_id in first if node_id in words or node_id in terms}


def _value_of(quantity: Quantity) -> str | None:
    """Return the node id of a value, None for a bare number, a count and a version."""
    if quantity.unit == "date":
        digits = f"{int(quantity.number):08d}"
        return f"date:{digits[:4]}-{digits[4:6]}-{digits[6:]}"
    if quantity.article or quantity.unit in (None, "version"):
        return None
    return f"quantity:{quantity.value:.6g} {quantity.unit}"


PER_WINDOW: Final = 12
NEIGHBOURS: Final = 20
_CANDIDATES: Final = 32
_FEWEST: Final = 2
"""Fewest windows in which a word, or a pair of words, must occur."""
_LARGEST_SHARE: Final = 0.25
"""Share of the windows above which a word distinguishes nothing."""
_NUMBERED = re.compile(
    r"§|^(?:Anlage|Anhang|Artikel|Kapitel|Abschnitt|Teil|Nummer|Section|Chapter|PEP|RFC)\b.*\d|^\W|\W$"
)
_EMPTY: Final = frozenset(
    name_keys(word, "de")[0]
    for word in sorted(
        word_set(
            """Absatz Abs Art Nr Satz Halbsatz Nummer Buchstabe Paragraph Gesetz Vorschrift Fall
            Zeile Spalte Tabelle Anlage Teil Abschnitt Kapitel Sinn Weise Verbindung Grund Rahmen
            Zusammenhang Hinblick Bezug Maßgabe Fassung BGBl Fundstelle Januar Februar März April
            Mai Juni Juli August September Oktober November Dezember Section Chapter Example Table
            Figure https January February March June July October December"""
        )
    )
)


_SMALL = re.compile(r"\b[a-zäöüß]{4,}\b")
_SHORTEST: Final = 2
"""Letters of a word's key up to which it says nothing."""


def recurring_phrases(source: SourceText, pieces: Sequence[Window]) -> dict[tuple[str, ...], str]:
    """Return key phrases of at least two windows by their keys, in the most frequent spelling."""
    spelled: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    spread: Counter[tuple[str, ...]] = Counter()
    # German words that also occur in lower case are not nouns: ``Handelt``.
    small = frozenset(_SMALL.findall(source.text) if source.language == "de" else ())
    for piece in pieces:
        body = source.text[piece.start : piece.end]
        window_keys: set[tuple[str, ...]] = set()
        for phrase in keyphrases(body, source.language, limit=_CANDIDATES):
            name = clean_name(phrase)
            if name is None or _NUMBERED.search(phrase):
                continue
            keys = name_keys(name, source.language)
            is_telling = len(keys[-1]) > _SHORTEST and keys[-1] not in _EMPTY
            if is_telling and not (name.casefold() in small or parse_unit(name)):
                spelled[keys][name] += 1
                window_keys.add(keys)
        spread.update(window_keys)
    most = max(3.0, _LARGEST_SHARE * len(pieces))
    selected = (keys for keys, count in spread.items() if _FEWEST <= count <= most)
    return {keys: _usual(spelled[keys]) for keys in sorted(selected)}


def _usual(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda name: (-spellings[name], len(name), name))


def salient_words(
    mentions: Mapping[Window, Sequence[Mention]], words: frozenset[str]
) -> Iterator[tuple[Window, frozenset[str]]]:
    """Yield the words that each window is most about: frequent there and in few others (tf-idf)."""
    counts = {
        piece: Counter(match.node_id for match in matches if match.node_id in words)
        for piece, matches in mentions.items()
    }
    spread = Counter(node_id for count in counts.values() for node_id in count)
    for piece, count in counts.items():
        weights = {
            node_id: (1 + math.log(number)) * math.log(1 + len(mentions) / spread[node_id])
            for node_id, number in count.items()
            if spread[node_id] >= _FEWEST
        }
        best = sorted(weights, key=lambda node_id: (-weights[node_id], node_id))
        yield piece, frozenset(best[:PER_WINDOW])


def cooccurrence_edges(named: Sequence[Mapping[str, Mention]]) -> Iterator[PartEdge]:
    """Yield edges between nodes that co-occur more often than by chance, the strongest first.

    Weights are 0-1, by normalised pointwise mutual information (Bouma 2009). ``named`` has for each
    window the first mention of each node that counts there.
    """
    spread = Counter(node_id for nodes in named for node_id in nodes)
    together: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], int] = {}
    for n, nodes in enumerate(named):
        for pair in combinations(sorted(nodes), 2):
            together[pair] += 1
            first.setdefault(pair, n)
    weights = {
        pair: _information(count, spread[pair[0]], spread[pair[1]], len(named))
        for pair, count in together.items()
        if count >= _FEWEST
    }
    degree: Counter[str] = Counter()
    for pair in sorted(weights, key=lambda pair: (-weights[pair], pair)):
        if weights[pair] <= 0 or max(degree[pair[0]], degree[pair[1]]) >= NEIGHBOURS:
            continue
        degree.update(pair)
        spans = [named[first[pair]][node_id] for node_id in pair]
        yield PartEdge(
            source=pair[0],
            target=pair[1],
            kind="cooccurs",
            weight=round(weights[pair], 4),
            start=min(span.start for span in spans),
            end=max(span.end for span in spans),
        )


def _information(together: int, one: int, other: int, windows: int) -> float:
    if together >= windows:
        return 0.0
    chance = math.log(together * windows / (one * other)) / -math.log(together / windows)
    return chance * together / (together + 1)
