"""Whether reading every passage tells all places that a list by meaning asks for.

python -m tests.benchmarks.lists_by_meaning --home HOME

Each question of ``data/lists_by_meaning.json`` has a pattern that its places share, so that all of
them are known. All passages of a collection are ranked by the cosine and by the cross-encoder.
"""

import re
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from services.cross_encoder import open_cross_encoder
from services.domain import Passage
from services.language.text import sentences
from tests.benchmarks.common import DATA, arguments, open_scope, read_json, stored_vectors

WANTED = 0.8
"""Share of the places that a list should have."""

Floats = NDArray[np.floating[Any]]


def figures(scores: Floats, right: NDArray[np.bool_]) -> Mapping[str, float]:
    """AUC, recall among the first ten, and precision where ``WANTED`` of the places are reached."""
    ranks, count = np.argsort(np.argsort(scores)), int(right.sum())
    found = np.cumsum(right[np.argsort(-scores, kind="stable")])
    reached = int(np.searchsorted(found, WANTED * count)) + 1
    above = ranks[right].sum() - count * (count - 1) / 2
    return {
        "auc": float(above / (count * (len(right) - count))),
        "among ten": float(found[:10][-1] / count),
        "precision": float(found[reached - 1] / reached),
    }


def cut(passage: Passage) -> list[str]:
    """Its heading and its sentences, as the judge of evidence reads them."""
    heading = " > ".join(passage.heading_path) or "-"
    return [heading, *(passage.text[slice(*span)] for span in sentences(passage.text))]


def main() -> None:
    options = arguments(__doc__, "home").parse_args()
    encoder = open_cross_encoder()
    for collection, questions in read_json(DATA / "lists_by_meaning.json").items():
        services, scope = open_scope(options.home, collection)
        ids, vectors = stored_vectors(services, scope.collections[0])
        held = services.catalog.chunks.get(ids, scope=scope)
        passages = [held[name] for name in ids]
        for question, pattern in questions.items():
            right = np.array([bool(re.search(pattern, each.text)) for each in passages])
            began = time.monotonic()
            read = encoder.read(question, [cut(each) for each in passages])
            seconds = time.monotonic() - began
            cosines = vectors @ services.embedder.embed_query(question)
            print(f"{collection}: {question} ({right.sum()} of {len(right)}; {seconds:.0f} s)")
            print("  cosine", figures(cosines, right))
            print("  read  ", figures(np.array([each.passage for each in read]), right))


if __name__ == "__main__":
    main()
