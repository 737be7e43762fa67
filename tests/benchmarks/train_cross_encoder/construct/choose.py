"""Which of all rows are kept: shares of the labels, caps of the kinds, no sentence too often."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from random import Random
from typing import Any

Row = dict[str, Any]
SHARES = {"contradicts": 0.25, "not": 0.35, "says": 0.40}
# The share of a label that one kind may have; the others share what is left evenly.
CAPS = {
    "verbatim": 0.08,
    "joined": 0.08,
    "parenthesis dropped": 0.08,
    "contraction": 0.06,
    "section named": 0.05,
    "number format": 0.10,
    "synonym": 0.24,
    "next sentence": 0.05,
    "near place": 0.05,
    "later item": 0.06,
    "wrong section": 0.04,
    "cause": 0.07,
    "hedge dropped": 0.09,
    "hedge raised": 0.12,
    "detail added": 0.10,
    "modality": 0.20,
    "condition dropped": 0.22,
    "number": 0.26,
    "number borrowed": 0.15,
}
OTHER_CAP = 0.18
SAME_SENTENCE = 2


def choose(rows: list[Row], limit: int, rng: Random) -> list[Row]:
    """Rows in the wanted shares; `says` from the same sentences as the others where it can be."""
    pools: dict[str, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    rng.shuffle(rows)
    for row in rows:
        pools[row["label"]][row["how"]].append(row)
    chosen: list[Row] = []
    seen: Counter[tuple[str, str]] = Counter()
    for label, share in SHARES.items():
        places = {row["at"] for row in chosen}
        for pool in pools[label].values():
            order(pool, label == "says", places, rng)
        chosen += of_label(pools[label], int(limit * share), seen)
    rng.shuffle(chosen)
    return chosen


def order(pool: list[Row], says: bool, places: set[str], rng: Random) -> None:
    """First what evens out the overlap of the labels: few words of the quote where it says so."""
    keys = {
        id(row): overlap(row["claim"], row["quote"]) * (1 if says else -1) + 0.1 * rng.random()
        for row in pool
    }
    pool.sort(key=lambda row: (says and row["at"] not in places, keys[id(row)]))


def of_label(pools: dict[str, list[Row]], wanted: int, seen: Counter[tuple[str, str]]) -> list[Row]:
    """Rare kinds whole, then the others evenly up to their caps."""
    taken: list[Row] = []
    kinds = sorted(pools)
    kinds.sort(key=lambda how: min(len(pools[how]), int(CAPS.get(how, OTHER_CAP) * wanted)))
    for place, how in enumerate(kinds):
        even = (wanted - len(taken)) // (len(kinds) - place)
        count = min(int(CAPS.get(how, OTHER_CAP) * wanted), even)
        taken += unseen(pools[how], count, seen)
    return taken


def unseen(pool: Iterable[Row], count: int, seen: Counter[tuple[str, str]]) -> list[Row]:
    """The first rows whose sentence is not often used; laws repeat theirs word by word."""
    taken: list[Row] = []
    for row in pool:
        claim, place = ("claim", row["claim"]), (row["label"], row["at"])
        kind = (row["label"] + row["how"], row["at"])
        used = seen[claim] or seen[kind] or seen[place] >= SAME_SENTENCE
        if len(taken) < count and not used:
            seen.update((claim, place, kind))
            taken.append(row)
    return taken


def overlap(claim: str, quote: str) -> float:
    """The share of the claim's words that stand in the quote."""
    words = re.findall(r"\w+", claim.lower())
    held = set(re.findall(r"\w+", quote.lower()))
    return sum(word in held for word in words) / max(1, len(words))


def auc(rows: list[dict[str, Any]]) -> float:
    """The chance that a claim that is said overlaps more than one that is not; ties count half."""
    scored = sorted((overlap(row["claim"], row["quote"]), row["label"] == "says") for row in rows)
    good = sum(said for _, said in scored)
    bad = len(scored) - good
    below, won, at = 0, 0.0, 0
    while at < len(scored):
        end = at
        while end < len(scored) and scored[end][0] == scored[at][0]:
            end += 1
        said = sum(one for _, one in scored[at:end])
        won += said * (below + (end - at - said) / 2)
        below, at = below + end - at - said, end
    return won / (good * bad) if good and bad else 0.5
