"""How long a warm search takes in the process that owns the stores.

    python -m tests.benchmarks.search_latency --home HOME --collection NAME [--queries 120]

Every query is new to the cache (numbered variants of real questions), so each search embeds
its query. Modes take turns, so that a slow moment of the machine hits all alike.
"""

import statistics
import time
from collections.abc import Sequence
from typing import get_args

from services.domain import SearchMode
from tests.benchmarks.retrieval_corpus import arguments, load_questions, open_corpus

WARM_UP = 5


def quantile(values: Sequence[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def show(name: str, seconds: Sequence[float]) -> None:
    ms = [value * 1000 for value in seconds]
    print(
        f"{name:16s} n={len(ms)} median {statistics.median(ms):6.1f} ms  "
        f"p95 {quantile(ms, 0.95):6.1f}  min {min(ms):6.1f}  max {max(ms):6.1f}  "
        f"iqr {quantile(ms, 0.75) - quantile(ms, 0.25):5.1f}"
    )


def main() -> None:
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=120)
    options = parser.parse_args()
    corpus = open_corpus(options.home, options.collection)
    retriever, embedder = corpus.services.retriever, corpus.services.embedder
    texts = [question.text for question in load_questions()]
    for text in texts[:WARM_UP]:
        retriever.search(text, scope=corpus.scope)
    modes: tuple[SearchMode, ...] = get_args(SearchMode)
    seconds: dict[str, list[float]] = {name: [] for name in ("embedding", *modes, "cached hybrid")}
    for n in range(options.queries):
        for mode in modes:
            query = f"{texts[n % len(texts)]} ({mode} {n})"
            started = time.perf_counter()
            retriever.search(query, scope=corpus.scope, mode=mode)
            seconds[mode].append(time.perf_counter() - started)
        started = time.perf_counter()
        retriever.search(f"{texts[n % len(texts)]} (hybrid {n})", scope=corpus.scope)
        seconds["cached hybrid"].append(time.perf_counter() - started)
        started = time.perf_counter()
        embedder.embed_query(f"{texts[n % len(texts)]} (alone {n})")
        seconds["embedding"].append(time.perf_counter() - started)
    print(f"{len(corpus.chunks)} chunks, k=10, warm, in process")
    for name, values in seconds.items():
        show(name, values)


if __name__ == "__main__":
    main()
