"""Which way of cutting finds the passage that answers? Four strategies, three search modes.

    python -m tests.benchmarks.compare_chunking --home HOME [--sizes 500 1000 1500]
        [--strategies paragraph sentence] [--recut] [--json FILE]

The sample laws and the typing PEPs are ingested into HOME, a collection for each corpus, strategy
and size, and the questions of ``span_questions.jsonl`` are asked in the corpus of their language.
HOME keeps texts and vectors: a second run embeds nothing, after a change of the chunker (then say
``--recut``) only the chunks that changed. `coverage` says when a passage is found.

A strategy that returns more text finds more, so the main figure gives each the same room: the
first 6,000 characters of what it returned. Intervals are 95 % percentile bootstrap over the
questions, differences are paired with ``paragraph`` of the same size.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np

from services.build import Services, build_services
from services.domain import Chunking, ChunkStrategy, Passage, Principal, Scope, SearchMode
from services.evaluation.statistics import Interval, Values, difference_interval, mean_interval
from services.settings import Settings
from tests.benchmarks.coverage import Place, is_covered, reciprocal_rank, within
from tests.benchmarks.span_questions import SpanQuestion, load_span_questions

SAMPLES = Settings().samples
CORPORA: Mapping[str, Sequence[Path]] = {
    "de": [SAMPLES / "strahlenschutz" / name for name in ("StrlSchG.pdf", "StrlSchV.pdf")],
    "en": [SAMPLES / "typing-peps"],
}
STRATEGIES: tuple[ChunkStrategy, ...] = get_args(ChunkStrategy)
MODES: tuple[SearchMode, ...] = get_args(SearchMode)
BASE: ChunkStrategy = "paragraph"
OVERLAP = 0.2
"""Of the size; the default is 200 of 1000."""

MAIN = "in 6000"
BUDGETS = {"in 3000": 3_000, MAIN: 6_000}
CUTS = {"@5": 5, "@10": 10}
K = 20
"""Chunks of a search: both indexes are still asked for as many as in a search for 10."""
MOST = 100

HEAD = (
    f"strategy     n  {MAIN:22s}minus {BASE:19s}in 3000   @5   @10  "
    f"{'MRR@10':22s}minus {BASE:18s}characters"
)


@dataclass(frozen=True)
class Answer:
    """What a question found in one collection and mode; ``figures`` by measure."""

    question: str
    language: str
    kind: str
    size: int
    strategy: ChunkStrategy
    mode: SearchMode
    figures: Mapping[str, float]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--home", type=Path, required=True, help="home of its own, kept")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000])
    parser.add_argument(
        "--strategies", nargs="+", choices=STRATEGIES, default=STRATEGIES, help="paragraph is added"
    )
    parser.add_argument("--recut", action="store_true", help="cut again; vectors are kept")
    parser.add_argument("--json", type=Path, help="write the figures of every question there")
    options = parser.parse_args()
    services = build_services(Settings(home=options.home, database_url=None))
    if options.recut:
        forget_chunks(services)
    strategies = [name for name in STRATEGIES if name in {BASE, *options.strategies}]
    answers: list[Answer] = []
    for size in options.sizes:
        for language in CORPORA:
            for strategy in strategies:
                answers += ask(services, language, strategy, size)
        show([answer for answer in answers if answer.size == size])
    if len(options.sizes) > 1:
        show_sizes(answers)
    if options.json:
        rows = [asdict(answer) for answer in answers]
        options.json.write_text(json.dumps(rows, indent=1), encoding="utf-8")
    services.close()


def forget_chunks(services: Services) -> None:
    """Delete all collections of the home; the vectors of their chunks stay in the cache."""
    for info in services.library.collections(Principal()):
        services.library.delete_collection(Principal(), info.collection_id)
    services.library.clear_deleted()


def ask(services: Services, language: str, strategy: ChunkStrategy, size: int) -> Iterator[Answer]:
    """Ingest a corpus cut one way, unless the home has it so, and ask its questions."""
    name = f"{language}-{strategy}-{size}"
    chunking = Chunking(strategy=strategy, size=size, overlap=int(OVERLAP * size))
    report = services.library.ingest(Principal(), CORPORA[language], name, chunking=chunking)
    scope = services.library.scope(Principal(), [name])
    print(f"{name}: {describe(services, scope)}; ingested in {report.seconds:.0f} s", flush=True)
    texts = texts_of(services, name)
    for question in load_span_questions():
        if question.language == language:
            gold = located(question, texts)
            for mode in MODES:
                found = retrieved(services, question.text, scope, mode)
                yield Answer(
                    question=question.question_id,
                    language=language,
                    kind=question.kind,
                    size=size,
                    strategy=strategy,
                    mode=mode,
                    figures=measured(gold, found),
                )


def describe(services: Services, scope: Scope) -> str:
    (collection_id,) = scope.collections
    chunks = services.catalog.chunks.get(services.catalog.chunks.ids(collection_id), scope=scope)
    lengths = np.array([len(chunk.text) for chunk in chunks.values()])
    return (
        f"{len(lengths)} chunks, mean {lengths.mean():.0f} characters, "
        f"{(lengths < 100).sum()} below 100, longest {lengths.max()}"
    )


def texts_of(services: Services, collection: str) -> dict[str, str]:
    """The extracted texts of a collection by file name."""
    documents = services.library.documents(Principal(), collection)
    return {
        info.document: services.library.document_text(Principal(), info.document_id, [collection])
        for info in documents
    }


def located(question: SpanQuestion, texts: Mapping[str, str]) -> list[Place]:
    """Where the gold passages of a question stand; a test holds that each stands once."""
    return [
        Place(passage.document, *span)
        for passage in question.gold
        for span in passage.places(texts[passage.document])
    ]


def retrieved(services: Services, text: str, scope: Scope, mode: SearchMode) -> list[Place]:
    """The chunks that a search returns, in its order: enough for the largest budget."""
    k = K
    while True:
        hits = services.retriever.search(text, scope=scope, k=k, mode=mode)
        enough = sum(len(hit.text) for hit in hits) >= max(BUDGETS.values())
        if enough or len(hits) < k or k >= MOST:
            return [place_of(hit) for hit in hits]
        k = min(2 * k, MOST)


def place_of(chunk: Passage) -> Place:
    return Place(chunk.document, chunk.start, chunk.end)


def measured(gold: Sequence[Place], found: Sequence[Place]) -> dict[str, float]:
    """All figures of one search."""
    cuts = {name: found[:k] for name, k in CUTS.items()}
    rooms = {name: within(found, budget) for name, budget in BUDGETS.items()}
    covered = {name: float(is_covered(gold, places)) for name, places in (cuts | rooms).items()}
    characters = sum(place.end - place.start for place in found[:10])
    return {**covered, "MRR": reciprocal_rank(gold, found[:10]), "characters": characters}


def show(answers: Sequence[Answer]) -> None:
    """A table for each group of questions, a row for each strategy and mode."""
    groups: dict[str, Callable[[Answer], bool]] = {
        "all": lambda answer: True,
        "de": lambda answer: answer.language == "de",
        "en": lambda answer: answer.language == "en",
        "near": lambda answer: answer.kind == "near",
        "paraphrased": lambda answer: answer.kind == "paraphrased",
        "indirect": lambda answer: answer.kind == "indirect",
    }
    for name, belongs in groups.items():
        chosen = [answer for answer in answers if belongs(answer)]
        for mode in MODES:
            print(f"\n{name}, size {chosen[0].size}, {mode}")
            print(HEAD)
            for strategy in dict.fromkeys(answer.strategy for answer in chosen):
                print(table_row(chosen, mode, strategy))


def show_sizes(answers: Sequence[Answer]) -> None:
    """The sizes of each strategy, the first one compared with the others on the same questions."""
    for mode, strategy in product(MODES, dict.fromkeys(answer.strategy for answer in answers)):
        print(f"\n{strategy}, {mode}: {MAIN}, minus the first size")
        mine = [answer for answer in answers if answer.mode == mode]
        sizes = dict.fromkeys(answer.size for answer in mine)
        found = {n: column([a for a in mine if a.size == n], strategy, MAIN) for n in sizes}
        first = next(iter(found.values()))
        for size, values in found.items():
            difference = shown(difference_interval(values, first), sign="+")
            print(f"{size:5d}  {shown(mean_interval(values))}  {difference}")


def table_row(answers: Iterable[Answer], mode: SearchMode, strategy: ChunkStrategy) -> str:
    mine = [answer for answer in answers if answer.mode == mode]
    values = {name: column(mine, strategy, name) for name in mine[0].figures}
    gains = {name: difference_interval(values[name], column(mine, BASE, name)) for name in values}
    return (
        f"{strategy:10s} {len(values[MAIN]):3d}  {shown(mean_interval(values[MAIN]))}  "
        f"{shown(gains[MAIN], sign='+')}   {values['in 3000'].mean():.2f}    "
        f"{values['@5'].mean():.2f}  {values['@10'].mean():.2f}  "
        f"{shown(mean_interval(values['MRR']))}  {shown(gains['MRR'], sign='+')}  "
        f"{values['characters'].mean():6.0f}"
    )


def column(answers: Sequence[Answer], strategy: ChunkStrategy, measure: str) -> Values:
    """One measure of a strategy, by question; the same order for all strategies."""
    found = {each.question: each.figures[measure] for each in answers if each.strategy == strategy}
    return np.array([found[question] for question in sorted(found)])


def shown(interval: Interval, sign: str = "") -> str:
    mean, low, high = (format(end, f"{sign}.3f") for end in asdict(interval).values())
    return f"{mean} [{low}, {high}]"


if __name__ == "__main__":
    main()
