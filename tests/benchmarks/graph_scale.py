"""What the knowledge graph of a large collection takes: loading, memory, a walk, its status.

    python -m tests.benchmarks.graph_scale --home HOME --collection NAME

In a process of its own, so that memory is the graph's: ``rss`` is what loading added. Cold is the
first loading of the process, with the file cache of the system as it is; again is one after the
graph has changed, with all parts known.
"""

import statistics
import time
from collections.abc import Callable
from pathlib import Path

from services.build import build_services
from services.domain import Principal
from services.graph.reading import read_graph
from services.settings import Settings
from tests.benchmarks.retrieval_corpus import arguments
from tests.benchmarks.search_latency import quantile
from tests.benchmarks.structured_latency import SUBJECTS

WAYS = (
    "Welche Regeln gelten für {}?",
    "Was muss man bei {} beachten?",
    "Wer ist für {} zuständig?",
)


def rss_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def told(name: str, call: Callable[[], object]) -> None:
    wall, cpu, memory = time.perf_counter(), time.process_time(), rss_mb()
    call()
    print(
        f"{name}: {time.perf_counter() - wall:.2f} s, processor {time.process_time() - cpu:.2f} s, "
        f"rss {rss_mb() - memory:+.0f} MB",
        flush=True,
    )


def main() -> None:
    options = arguments((__doc__ or "").splitlines()[0]).parse_args()
    services = build_services(Settings(home=options.home))
    catalog, graph = services.catalog, services.graph
    scope = catalog.collections.scope(Principal(), [options.collection])
    told("whether there is a graph", lambda: graph.has_graph(scope))
    told("its version", lambda: graph.version(scope))
    told("how large it is", lambda: catalog.graph.passages(scope))
    told("status without communities", lambda: print(catalog.graph.status(scope)))
    told("loading, cold", lambda: graph.link("", scope))
    told("what the first search makes", lambda: graph.search("Strahlenpass", scope))
    told("loading, again", lambda: read_graph(catalog, catalog.graph, scope))
    held = graph.held(scope)
    print(
        f"{len(held.chunks)} passages, {len(held.nodes)} nodes, {len(held.edges)} edges, "
        f"{len(held.mentioned)} mentions"
    )
    times, ties = [], []
    for way in WAYS:
        for subject in SUBJECTS:
            found = services.retriever.search(way.format(subject), scope=scope, k=5)
            seeds = [(hit.chunk_id, hit.relevance) for hit in found]
            begin = time.process_time()
            graph.search(way.format(subject), scope, k=18, seeds=seeds)
            times.append(1000 * (time.process_time() - begin))
            begin = time.process_time()
            graph.reference_neighbours([hit.chunk_id for hit in found[:3]], scope)
            ties.append(1000 * (time.process_time() - begin))
    for name, values in (("a walk", times), ("ties of three passages", ties)):
        print(
            f"{name}: processor ms median {statistics.median(values):.1f}, p95 "
            f"{quantile(values, 0.95):.1f}, most {max(values):.1f} of {len(values)}"
        )
    services.close()


if __name__ == "__main__":
    main()
