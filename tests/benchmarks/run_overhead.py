"""What a research run costs besides model and embedding, and how large its checkpoints are.

    python -m tests.benchmarks.run_overhead --home HOME --collection NAME [--runs 3]

Runs the demo's question with five tasks in process (model as RABBITHOLE_LLM says) and prints for
each run: wall clock, model, embedding, the rest, and the largest checkpoint. Times that overlap
count once. The first run also loads the engines; the embedding cache fills with it, so the
second shows a question that was asked before.
"""

import argparse
import contextlib
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from agent.engine.engine import Engine, connect_to
from agent.models import RunOptions
from app.cli.main import DEMO_QUESTION
from app.run_log import covered
from services.build import build_services
from services.domain import Principal
from services.retrieval.embedders import Embedder
from services.settings import Settings

TASKS = (
    "Grenzwert der effektiven Dosis für Personen unter 18 Jahren",
    "Ausnahmen der Behörde für Auszubildende und Studierende",
    "Grenzwerte der Organ-Äquivalentdosis für Personen unter 18 Jahren",
    "Pflichten des Strahlenschutzverantwortlichen bei Überschreitung",
    "Ermittlung der Körperdosis bei beruflich exponierten Personen",
)
Spans = list[tuple[float, float]]


def timed(call: Callable[..., Any], spans: Spans) -> Callable[..., Any]:
    def run(*args: Any, **kwargs: Any) -> Any:
        begin = time.monotonic()
        try:
            return call(*args, **kwargs)
        finally:
            spans.append((begin, time.monotonic()))

    return run


def watch(embedder: Embedder) -> Spans:
    """Spans of every call of this embedder from now on."""
    spans: Spans = []
    for name in ("embed_query", "embed_passages"):
        setattr(embedder, name, timed(getattr(embedder, name), spans))
    return spans


def measure(client: Engine, spans: Spans, collection: str) -> tuple[str, float, float, float]:
    """Thread, wall clock, model and embedding seconds of one run."""
    spans.clear()
    options = RunOptions(clarify=False, approve_plan=False, research_queries=TASKS)
    begin = time.monotonic()
    thread = client.threads.start(DEMO_QUESTION, collections=[collection], options=options)
    for _ in client.threads.follow(thread):
        pass
    wall = time.monotonic() - begin
    report = client.threads.report(thread)
    if report is None:
        raise SystemExit(f"no report: {client.threads.run(thread).error}")
    return thread, wall, report["usage"]["model_seconds"], covered(spans)


def largest_checkpoint(home: Path, thread: str) -> int:
    """Bytes of the largest checkpoint of a thread."""
    query = "select max(length(checkpoint)) from checkpoints where thread_id = ?"
    with contextlib.closing(sqlite3.connect(home / "checkpoints.sqlite3")) as database:
        return int(database.execute(query, (thread,)).fetchone()[0])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--home", type=Path, required=True)
    parser.add_argument("--collection", required=True)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    services = build_services(Settings(home=options.home))
    spans = watch(services.embedder)
    with connect_to(services, Principal()) as client:
        for number in range(1, options.runs + 1):
            thread, wall, model, embedding = measure(client, spans, options.collection)
            size = largest_checkpoint(options.home, thread) / 1000
            rest = wall - model - embedding
            print(
                f"run {number}: {len(TASKS)} tasks, wall {wall:.1f} s, model {model:.1f} s, "
                f"embedding {embedding:.1f} s, the rest {rest:.1f} s, "
                f"largest checkpoint {size:.0f} kB"
            )


if __name__ == "__main__":
    main()
