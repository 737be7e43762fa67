"""How well the mere overlap of words tells `says` from the rest: .5 is not at all."""

import re
from typing import Any


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
