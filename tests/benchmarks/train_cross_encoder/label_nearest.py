"""Labels for passages of which it is not known which sentence answers: the nearest, where sure.

    python -m tests.benchmarks.train_cross_encoder.label_nearest \
        PAIRS.jsonl.gz OUT.jsonl.gz --source dewiki-q

The embedder picks the right sentence of a German paragraph in 76 of 100 cases; where the nearest is
nearer than the second by `MARGIN`, more often. The others are left out.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from services.retrieval.embedders import BundledEmbedder
from tests.benchmarks import common

MARGIN = 0.015
AT_ONCE = 400


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--source", required=True)
    parser.add_argument("--most", type=int, default=9_000)
    options = parser.parse_args()
    records = (r for r in common.read_lines(options.pairs) if r["src"] == options.source)
    wanted = [r for r in records if r["g"] == [-1] and len(r["s"]) > 1]
    common.write_lines(options.out, labelled(wanted[: options.most]))


def labelled(wanted: list[common.Row]) -> Iterator[common.Row]:
    """The records whose nearest sentence is sure."""
    embedder = BundledEmbedder()
    for start in range(0, len(wanted), AT_ONCE):
        part = wanted[start : start + AT_ONCE]
        texts = list(dict.fromkeys(text for r in part for text in r["s"]))
        vectors = dict(zip(texts, embedder.embed_passages(texts), strict=True))
        for record in part:
            query = embedder.embed_query(record["q"])
            cosines = np.array([vectors[text] @ query for text in record["s"]])
            first, second = np.argsort(-cosines)[:2]
            if cosines[first] - cosines[second] >= MARGIN:
                yield record | {"g": [int(first)], "src": f"near-{record['src']}"}
        print(start + len(part), "read", flush=True)


if __name__ == "__main__":
    main()
