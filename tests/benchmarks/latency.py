"""How long searches and the knowledge graph take, warm, in one process.

    python -m tests.benchmarks.latency search|graph --home HOME --collection NAME

Every question is new to the caches. ``scale --home HOME`` makes a large home.

``search``: modes take turns, so that a slow moment of the machine hits all alike.
``graph``: loading, memory (``rss`` is what loading added) and walks of the knowledge graph. Cold is
the first loading of the process, with the file cache of the system as it is; again is one after the
graph has changed, with all parts known.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import get_args

import psutil

from services.domain import SearchMode
from services.graph.graph import read_graph
from tests.benchmarks import common

WARM_UP = 5
SUBJECTS = (
    "Augenlinse", "Haut", "Hände", "Radon", "Strahlenpass", "Kontrollbereich", "Sperrbereich",
    "Freigrenzen", "Notfallplan", "Genehmigung", "Anzeige", "Strahlenschutzbeauftragten",
    "Dosisregister", "Röntgeneinrichtung", "Teleradiologie", "Baustoffe", "Altlasten", "Luftfahrt",
    "Fachkunde", "Unterweisung", "Messstelle", "Störstrahler", "Bauartzulassung", "Abfälle",
    "Freigabe", "Aufzeichnungen", "Medizinphysiker", "Schwangere", "Auszubildende", "Dosimeter",
)  # fmt: skip
WAYS = (
    "Welche Regeln gelten für {}?",
    "Was muss man bei {} beachten?",
    "Wer ist für {} zuständig?",
)


def show(name: str, ms: Sequence[float]) -> None:
    high = common.quantile(ms, 0.95)
    print(f"{name:34s} n={len(ms)} ms {common.spread(ms, 1)}, p95 {high:.1f}", flush=True)


def timed(call: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Milliseconds of a call."""
    begin = clock()
    call()
    return 1000 * (clock() - begin)


def search(home: Path, collection: str, questions: int) -> None:
    services, scope = common.open_scope(home, collection)
    found, embed = services.retriever.search, services.embedder.embed_query
    texts = [question.text for question in common.load_questions()]
    for text in texts[:WARM_UP]:
        found(text, scope=scope)
    modes: tuple[SearchMode, ...] = get_args(SearchMode)
    ms: dict[str, list[float]] = {name: [] for name in ("embedding", *modes, "cached hybrid")}
    for n in range(questions):
        text = f"{texts[n % len(texts)]} ({n}"
        for mode in modes:
            ms[mode].append(timed(partial(found, f"{text} {mode})", scope=scope, mode=mode)))
        ms["cached hybrid"].append(timed(partial(found, f"{text} hybrid)", scope=scope)))
        ms["embedding"].append(timed(partial(embed, f"{text} alone)")))
    for name, values in ms.items():
        show(name, values)


def rss_mb() -> float:
    return psutil.Process().memory_info().rss / 1e6


def told(name: str, call: Callable[[], object]) -> None:
    wall, cpu, memory = time.perf_counter(), time.process_time(), rss_mb()
    call()
    print(
        f"{name}: {time.perf_counter() - wall:.2f} s, processor {time.process_time() - cpu:.2f} s, "
        f"rss {rss_mb() - memory:+.0f} MB",
        flush=True,
    )


def graph(home: Path, collection: str, questions: int) -> None:
    services, scope = common.open_scope(home, collection)
    catalog, graph = services.catalog, services.graph
    told("whether there is a graph", lambda: graph.has_graph(scope))
    told("its version", lambda: graph.version(scope))
    told("how large it is", lambda: catalog.graph.passages(scope))
    told("status without communities", lambda: print(catalog.graph.status(scope)))
    told("loading, cold", lambda: graph._load(scope))
    told("what the first search makes", lambda: graph.search("Strahlenpass", scope))
    told("loading, again", lambda: read_graph(catalog, catalog.graph, scope))
    held = graph._load(scope).graph
    print(
        f"{len(held.chunks)} passages, {len(held.nodes)} nodes, {len(held.edges)} edges, "
        f"{held.mentioned.nnz} mentions"
    )
    walks, ties, clock = [], [], time.process_time
    for asked in [way.format(subject) for way in WAYS for subject in SUBJECTS][:questions]:
        found = services.retriever.search(asked, scope=scope, k=5)
        seeds = [(hit.chunk_id, hit.relevance) for hit in found]
        near = [hit.chunk_id for hit in found[:3]]
        walks.append(timed(partial(graph.search, asked, scope, k=18, seeds=seeds), clock))
        ties.append(timed(partial(graph.reference_neighbours, near, scope), clock))
    show("a walk, processor", walks)
    show("ties of three passages, processor", ties)
    services.close()


MEASURED = {"search": (search, 120), "graph": (graph, 90)}


def main() -> None:
    parser = common.arguments(__doc__, "home", "collection")
    parser.add_argument("what", choices=MEASURED)
    parser.add_argument("--questions", type=int, help="how many; each kind has its own default")
    options = parser.parse_args()
    measure, usual = MEASURED[options.what]
    measure(options.home, options.collection, options.questions or usual)
    print(common.load())


if __name__ == "__main__":
    main()
