"""How long searches, quick answers, the structured route and the graph take, warm, in one process.

    python -m tests.benchmarks.latency search|ask|structured|graph --home HOME --collection NAME

Every question is new: those of the caches are numbered, those of ``structured`` and ``graph`` were
never asked. No language model is used.

``search``: modes take turns, so that a slow moment of the machine hits all alike.
``ask``: a turn without its embedding; the first time the sentences of its passages are embedded,
the second time they are known.
``structured``: from the question to the coverage map, six sub-queries a question.
``graph``: loading, memory (``rss`` is what loading added) and walks of the knowledge graph. Cold is
the first loading of the process, with the file cache of the system as it is; again is one after the
graph has changed, with all parts known.
"""

import time
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, get_args

from agent.ask import structured as structured_route
from agent.engine.connection import POLL_S
from agent.engine.engine import Engine, connect, connect_to
from services.build import Services
from services.domain import Principal, SearchMode
from services.domain.events import ExecutionComplete
from services.graph.graph import read_graph
from services.retrieval.embedders import Embedder, make_embedder
from services.settings import Settings
from tests.benchmarks import common

WARM_UP = 5
SUBJECTS = (
    "Augenlinse", "Haut", "Hände", "Radon", "Strahlenpass", "Kontrollbereich", "Sperrbereich",
    "Freigrenzen", "Notfallplan", "Genehmigung", "Anzeige", "Strahlenschutzbeauftragten",
    "Dosisregister", "Röntgeneinrichtung", "Teleradiologie", "Baustoffe", "Altlasten", "Luftfahrt",
    "Fachkunde", "Unterweisung", "Messstelle", "Störstrahler", "Bauartzulassung", "Abfälle",
    "Freigabe", "Aufzeichnungen", "Medizinphysiker", "Schwangere", "Auszubildende", "Dosimeter",
)  # fmt: skip
PARTS = 6
ASKED = ("Welche Regeln gelten für", "Was ist zu beachten bei", "Wer ist zuständig für")
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

    def embed_sentences(self, texts: Sequence[str], on_progress: Any = None) -> Any:
        return self._timed(lambda: self._inner.embed_sentences(texts, on_progress))

    def _timed(self, work: Callable[[], Any]) -> Any:
        begin = time.perf_counter()
        try:
            return work()
        finally:
            self.seconds += time.perf_counter() - begin


def turn(client: Engine, question: str, collection: str) -> tuple[float, float]:
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


def ask(home: Path, collection: str, questions: int) -> None:
    settings = Settings(home=home, llm="none")
    embedder = TimedEmbedder(make_embedder(settings))
    texts = [question.text for question in common.load_questions()]
    rows: dict[str, list[float]] = {}
    with connect_to(Services(settings, embedder=lambda: embedder), Principal()) as client:
        for n in range(questions + WARM_UP):
            for attempt in ("sentences new", "sentences known"):
                before = embedder.seconds
                question = f"{texts[n % len(texts)]} ({n} {attempt})"
                told, whole = turn(client, question, collection)
                embedding = 1000 * (embedder.seconds - before)
                if n >= WARM_UP:
                    rows.setdefault(f"{attempt}, turn", []).append(told - embedding)
                    rows.setdefault(f"{attempt}, until done", []).append(whole - embedding)
                    rows.setdefault(f"{attempt}, embedding", []).append(embedding)
    for name, values in rows.items():
        show(name, values)


def measured_work() -> list[float]:
    """Milliseconds of processor time of searching and of ranking, as they are done from now on."""
    ms: list[float] = []
    search_all, rank_subquestion = structured_route.search_all, structured_route.rank_subquestion

    async def measured_search(*given: Any) -> Any:
        begin = time.process_time()
        results = await search_all(*given)
        ms.append(1000 * (time.process_time() - begin))
        return results

    def measured_ranking(*given: Any) -> Any:
        begin = time.process_time()
        part = rank_subquestion(*given)
        ms.append(1000 * (time.process_time() - begin))
        return part

    structured_route.search_all = measured_search
    structured_route.rank_subquestion = measured_ranking
    return ms


def structured(home: Path, collection: str, questions: int) -> None:
    times, work, processor = [], [], measured_work()
    rounds = len(SUBJECTS) // PARTS
    with connect(Settings(home=home, llm="none")) as client:
        common.ask(client, "Was ist ein Strahlenpass?", collection, "structured")
        scope = client._catalog.collections.scope(client.principal, [collection])
        client._services.graph._load(scope)  # waits until it is loaded
        for number in range(min(questions, rounds * len(ASKED))):
            start = number % rounds * PARTS
            way = ASKED[number // rounds]
            question = "\n".join(f"- {way} {each}?" for each in SUBJECTS[start : start + PARTS])
            processor.clear()
            answered, _ = common.ask(client, question, collection, "structured")
            work.append(sum(processor[:2]))
            times.append(answered["timings_ms"]["retrieval"])
            gaps = sum(bool(each["gap"]) for each in answered["sub_queries"])
            print(f"{times[-1]:6.0f} ms, {len(answered['sub_queries']) - gaps} sub-queries, "
                  f"{gaps} for gaps", flush=True)  # fmt: skip
    show("retrieval", times)
    show("processor without gaps", work)


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


MEASURED = {"search": (search, 120), "ask": (ask, 60), "structured": (structured, 15),
            "graph": (graph, 90)}  # fmt: skip


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
