"""Words that recur: phrases of several places, and which of them belong together."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final

from services.graph.names import clean_name
from services.graph.structure.source import Source, Window
from services.graph.structure.tokens import name_keys
from services.graph.values import Mention, PartEdge
from services.language.quantities.units import parse_unit
from services.language.text.keyphrases import keyphrases
from services.language.vocabulary import word_set

PER_WINDOW: Final = 12
"""Most words that a window keeps."""
NEIGHBOURS: Final = 20
"""Most words that a word keeps."""
_CANDIDATES: Final = 32
_FEWEST: Final = 2
"""Windows in which a word must stand to recur, and two words to belong together."""
_LARGEST_SHARE: Final = 0.25
"""Of the windows: a word that stands in more of them tells nothing apart."""
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
"""Words that name places in texts, months, or nothing without what follows."""


_SMALL = re.compile(r"\b[a-zäöüß]{4,}\b")
_SHORTEST: Final = 2
"""Letters of a word's key that are too few to tell anything."""


def recurring(source: Source, pieces: Sequence[Window]) -> dict[tuple[str, ...], str]:
    """Key phrases of at least two windows by their keys, each in its most frequent spelling."""
    spelled: defaultdict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    places: Counter[tuple[str, ...]] = Counter()
    # German words that the text also writes small, so that they are no nouns: ``Handelt``.
    small = frozenset(_SMALL.findall(source.text) if source.language == "de" else ())
    for piece in pieces:
        body = source.text[piece.start : piece.end]
        found: set[tuple[str, ...]] = set()
        for phrase in keyphrases(body, source.language, limit=_CANDIDATES):
            name = clean_name(phrase)
            if name is None or _NUMBERED.search(phrase):
                continue
            keys = name_keys(name, source.language)
            tells = len(keys[-1]) > _SHORTEST and keys[-1] not in _EMPTY
            if tells and not (name.casefold() in small or parse_unit(name)):
                spelled[keys][name] += 1
                found.add(keys)
        places.update(found)
    most = max(3.0, _LARGEST_SHARE * len(pieces))
    kept = (keys for keys, count in places.items() if _FEWEST <= count <= most)
    return {keys: _usual(spelled[keys]) for keys in sorted(kept)}


def _usual(spellings: Counter[str]) -> str:
    return min(spellings, key=lambda name: (-spellings[name], len(name), name))


def chosen(
    found: Mapping[Window, Sequence[Mention]], words: frozenset[str]
) -> Iterator[tuple[Window, frozenset[str]]]:
    """The words that each window is most about: named often there and in few others."""
    counts = {
        piece: Counter(match.node_id for match in matches if match.node_id in words)
        for piece, matches in found.items()
    }
    spread = Counter(node_id for count in counts.values() for node_id in count)
    for piece, count in counts.items():
        weights = {
            node_id: (1 + math.log(number)) * math.log(1 + len(found) / spread[node_id])
            for node_id, number in count.items()
            if spread[node_id] >= _FEWEST
        }
        best = sorted(weights, key=lambda node_id: (-weights[node_id], node_id))
        yield piece, frozenset(best[:PER_WINDOW])


def cooccurring(named: Sequence[Mapping[str, Mention]]) -> Iterator[PartEdge]:
    """Nodes that stand together more often than chance has it, the strongest pair first.

    Weights are 0-1, by normalised pointwise mutual information.

    Args:
        named: for each window the first place of every node that counts there.
    """
    spread = Counter(node_id for places in named for node_id in places)
    together: Counter[tuple[str, str]] = Counter()
    first: dict[tuple[str, str], int] = {}
    for n, places in enumerate(named):
        for pair in combinations(sorted(places), 2):
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
            start=min(each.start for each in spans),
            end=max(each.end for each in spans),
        )


def _information(together: int, one: int, other: int, windows: int) -> float:
    """Normalised to 1 for nodes that never stand apart; rare pairs count less."""
    if together >= windows:
        return 0.0
    chance = math.log(together * windows / (one * other)) / -math.log(together / windows)
    return chance * together / (together + 1)
