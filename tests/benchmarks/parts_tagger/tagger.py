"""What each word of a message belongs to, told by a small trained tagger.

Of each word: O, it only holds the parts together (``and``); S, all parts share it; B, a
part begins with it; I, it belongs to the part begun last. A recurrent layer reads the vectors of
the words in their context and their shape both ways, and the best path through the tags is taken.
``python -m tests.benchmarks.parts_tagger.train`` fits and measures the weights.
"""

from collections.abc import Collection, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

import numpy as np

from tests.benchmarks.parts_tagger.contextual import Floats, layers

TAGS: Final = "OSBI"
_NEVER: Final = -1e4


@cache
def fitted() -> dict[str, Floats]:
    """The weights as ``parts.npz`` keeps them."""
    with (files("tests.benchmarks.parts_tagger") / "parts.npz").open("rb") as stream:
        return {name: each.astype(np.float32) for name, each in np.load(stream).items()}


def shapes(words: Sequence[str]) -> Floats:
    """How words are written and where they stand, shape (n, 13)."""
    low, last = [word.casefold() for word in words], max(len(words) - 1, 1)
    rows = [
        (
            word[:1].isupper(), word[:1].isdigit(), not word[:1].isalnum(), word == ",",
            word in "?¿", word in ".!:;", n == 0, n == last, low[n] in low[:n],
            low[n] in low[n + 1 :], n / last, min(len(words), 30) / 30, len(word) <= 3,
        )
        for n, word in enumerate(words)
    ]  # fmt: skip
    return np.asarray(rows, dtype=np.float32)


def tags(words: Sequence[str], held: Collection[int] = (), begun: Collection[int] = ()) -> str:
    """The tag of each word; all S where a message is one part, or the layers cannot be had.

    Parts begin with the words ``begun`` where these are given, and never within those ``held``.
    """
    read, single = layers(), "S" * len(words)
    if read is None or len(words) < 2:
        return single
    weights = fitted()
    scores = _scores(read(words), shapes(words), weights)
    scores[:, TAGS.index("B")] -= weights["margin"]
    for n, word in enumerate(words):
        if word[:1].isdigit():
            scores[n, TAGS.index("O")] = _NEVER
        if n in held or (begun and n not in begun):
            scores[n, TAGS.index("B")] = _NEVER
        if n in begun:
            scores[n, TAGS.index("B")] = -_NEVER
    found = "".join(TAGS[tag] for tag in _best(scores, weights))
    return found if found.count("B") > 1 else single


def _scores(vectors: Floats, shape: Floats, weights: dict[str, Floats]) -> Floats:
    """Of each word and tag, shape (n, 4)."""
    read = np.concatenate([
        vectors @ weights["vectors"].T + weights["vectors_bias"],
        shape @ weights["shapes"].T + weights["shapes_bias"],
    ], axis=1)  # fmt: skip
    read = np.tanh(read)
    both = [_recurrent(read, "forward", weights), _recurrent(read[::-1], "back", weights)[::-1]]
    scores: Floats = np.concatenate(both, axis=1) @ weights["tags"].T + weights["tags_bias"]
    return scores


def _recurrent(rows: Floats, name: str, weights: dict[str, Floats]) -> Floats:
    """A gated recurrent layer (Cho 2014), as torch computes it."""
    given = rows @ weights[f"{name}_in"].T + weights[f"{name}_in_bias"]
    own, bias = weights[name].T, weights[f"{name}_bias"]
    size = len(own)
    state, states = np.zeros(size, dtype=np.float32), []
    for row in given:
        from_state = state @ own + bias
        reset, keep = np.split(1 / (1 + np.exp(-(row + from_state)[: 2 * size])), 2)
        new = np.tanh(row[2 * size :] + reset * from_state[2 * size :])
        state = (1 - keep) * new + keep * state
        states.append(state)
    return np.stack(states)


def _best(scores: Floats, weights: dict[str, Floats]) -> list[int]:
    """The best path through the tags (Viterbi)."""
    total, before = weights["first"] + scores[0], []
    for row in scores[1:]:
        ways = total[:, None] + weights["follow"]
        before.append(ways.argmax(0))
        total = ways.max(0) + row
    path = [int((total + weights["last"]).argmax())]
    for came in reversed(before):
        path.append(int(came[path[-1]]))
    return path[::-1]
