"""Questions that were written for single passages, as records to train on.

    python -m tests.benchmarks.train_cross_encoder.written DATA.jsonl.gz OUT [--source contrast]

A line of ``DATA`` is a passage: ``heading``, ``s`` (its sentences), ``lang``, ``repo``, ``path``,
``licence``, ``q`` (questions, each with the sentences that answer) and ``n`` (questions that it
does not answer). Each question is also put beside passages of other documents that are near it.
One passage of `HELD_BACK` of ``contrasts.jsonl.gz`` is left out wherever it stands.
"""

import hashlib
import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from services.retrieval.embedders import BundledEmbedder
from tests.benchmarks import common
from tests.benchmarks.common import Row

NEAREST, TAKEN = 6, 2
"""Of so many nearest wrong passages, so many are taken: not all, for some may answer too."""
HELD_BACK = 6
"""One passage of so many of the contrasts, by its text, is never trained on."""
CONTRASTS = Path(__file__).parents[1] / "data" / "written" / "contrasts.jsonl.gz"


def held_back(passage: Row) -> bool:
    return int(hashlib.md5(" ".join(passage["s"]).encode()).hexdigest(), 16) % HELD_BACK == 0


def group(passage: Row) -> str:
    return f"written:{passage['repo']}:{passage['path']}"


def shown(passage: Row) -> list[str]:
    """The passage as it is read later: its heading is the first sentence."""
    return [passage["heading"] or "-", *passage["s"]]


def questions(passages: Sequence[Row], source: str) -> Iterator[Row]:
    for passage in passages:
        same = {"s": shown(passage), "lang": passage["lang"], "grp": group(passage)}
        for text, gold in passage.get("q", ()):
            yield {"q": text, "g": [number + 1 for number in gold], "src": source, **same}
        for text in passage.get("n", ()):
            yield {"q": text, "g": [], "src": f"{source}-miss", **same}


def near_misses(passages: Sequence[Row], rng: random.Random, source: str) -> Iterator[Row]:
    """Questions beside the passages of other documents that the embedder finds for them."""
    embedder = BundledEmbedder()
    vectors = embedder.embed_passages(["\n".join(shown(each))[:1_500] for each in passages])
    groups = [group(each) for each in passages]
    for passage in passages:
        for text, _ in passage.get("q", ()):
            order = np.argsort(-(vectors @ embedder.embed_query(text)))
            others = [n for n in order[: 3 * NEAREST] if groups[n] != group(passage)]
            for n in rng.sample(others[:NEAREST], min(TAKEN, len(others))):
                same = {"s": shown(passages[n]), "lang": passage["lang"], "grp": group(passage)}
                yield {"q": text, "g": [], "src": source, **same}


def main() -> None:
    parser = common.arguments(__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--source", default="written")
    options = parser.parse_args()
    rng, source = random.Random(3), options.source
    never = {tuple(each["s"]) for each in common.read_lines(CONTRASTS) if held_back(each)}
    passages = [each for each in common.read_lines(options.data) if tuple(each["s"]) not in never]
    options.out.mkdir(parents=True, exist_ok=True)
    near = near_misses(passages, rng, f"{source}-near" if source == "written" else source)
    common.write_lines(options.out / f"{source}.jsonl.gz", [*questions(passages, source), *near])


if __name__ == "__main__":
    main()
