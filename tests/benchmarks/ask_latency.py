"""What a quick answer takes besides model and embedding.

    python -m tests.benchmarks.ask_latency --home HOME --collection NAME [--questions 60]

Each question is asked twice in this process, which owns the stores: the first time embeds the
sentences of its passages, the second time finds them in the cache of embeddings. The search itself
is not taken from memory: a number at the end makes every question new. Time spent in the embedder
is measured and taken off. No language model is used.
"""

import os
import statistics
import time
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, cast

from agent.engine.connection import POLL_S
from agent.engine.engine import Engine, connect_to
from services.build import build_services
from services.domain import Principal
from services.domain.events import ExecutionComplete
from services.factories import open_embedder
from services.retrieval.embedders import Embedder
from services.settings import Settings
from tests.benchmarks.retrieval_corpus import arguments, load_questions
from tests.benchmarks.search_latency import quantile

WARM_UP = 3


class TimedEmbedder:
    """An embedder that counts the seconds spent in it."""

    def __init__(self, inner: Embedder) -> None:
        self._inner = inner
        self.seconds = 0.0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def embed_query(self, text: str) -> Any:
        return self._timed(lambda: self._inner.embed_query(text))

    def embed_passages(self, texts: Sequence[str], on_progress: Any = None) -> Any:
        return self._timed(lambda: self._inner.embed_passages(texts, on_progress))

    def _timed(self, work: Callable[[], Any]) -> Any:
        begin = time.perf_counter()
        try:
            return work()
        finally:
            self.seconds += time.perf_counter() - begin


def ask(client: Engine, question: str, collection: str) -> tuple[float, float]:
    """Milliseconds of the turn as it tells them, and until the thread counts as done.

    A look at the run takes a millisecond or two of the one processor that the turn can use, so it
    is looked at as often as ``follow`` does, and the run itself tells when it was done.
    """
    begin = time.time()
    asked = client.answers.ask(question, collections=[collection], depth="fast")
    while (run := client.threads.run(asked.thread_id)).status in ("queued", "running"):
        time.sleep(POLL_S)
    whole = 1000 * (datetime.fromisoformat(run.updated_at).timestamp() - begin)
    events = (record.event for record in client.threads.events(asked.thread_id, asked.after))
    told = next(each for each in events if isinstance(each, ExecutionComplete))
    client.threads.delete(asked.thread_id)
    return told.duration_ms, whole


def show(name: str, values: Sequence[float]) -> None:
    print(
        f"{name:34s} n={len(values)} median {statistics.median(values):6.1f} ms  "
        f"p95 {quantile(values, 0.95):6.1f}  min {min(values):6.1f}"
    )


def main() -> None:
    parser = arguments((__doc__ or "").splitlines()[0])
    parser.add_argument("--questions", type=int, default=60)
    options = parser.parse_args()
    settings = Settings(home=Path(options.home), llm="none")
    embedder = TimedEmbedder(open_embedder(settings))
    texts = [question.text for question in load_questions()]
    rows: dict[str, list[float]] = {}
    with connect_to(build_services(settings, cast(Embedder, embedder)), Principal()) as client:
        for n in range(options.questions + WARM_UP):
            for attempt in ("sentences new", "sentences known"):
                question = f"{texts[n % len(texts)]} ({n} {attempt})"
                before = embedder.seconds
                told, whole = ask(client, question, options.collection)
                embedding = 1000 * (embedder.seconds - before)
                if n >= WARM_UP:
                    rows.setdefault(f"{attempt}, turn", []).append(told - embedding)
                    rows.setdefault(f"{attempt}, until done", []).append(whole - embedding)
                    rows.setdefault(f"{attempt}, embedding", []).append(embedding)
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores; without a model")
    for name, values in rows.items():
        show(name, values)


if __name__ == "__main__":
    main()
