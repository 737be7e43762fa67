"""Measure retrieval on a BEIR question set, through the product's own ingestion and search."""

import asyncio
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, get_args

import numpy as np

from services.catalog import Catalog
from services.components import Components
from services.domain import (
    Hit,
    IngestReport,
    Language,
    ParsedDocument,
    Principal,
    Reranking,
    Scope,
    SearchMode,
)
from services.domain.errors import CorruptCatalog, InvalidInput
from services.domain.events import Event
from services.evaluation.datasets import CorpusRecord, QuestionSet, read_corpus, read_questions
from services.evaluation.statistics import Interval, Values, mean_interval, measure
from services.ingestion.indexing import ReadyDocument, TextIngestor
from services.ingestion.parse import TEXT_VERSION
from services.ingestion.parsers.extraction import clean, plain_title
from services.language.query.language import detect_language
from services.retrieval.embedders import Calibration, Embedder, Progress, Vectors, make_embedder
from services.retrieval.rerank import CANDIDATES_PER_HIT, rerank_hits
from services.settings import Settings

MODES: tuple[SearchMode, ...] = get_args(SearchMode)

NEAR = 20
"""Chunks of timed searches, which are rated at 10: enough for 10 documents."""

FAR = 100
"""Chunks of searches that are rated at 50: the product's maximum."""

COLLECTION = "evaluation"
DIGITS = 4
INGESTION_TIMES = ("seconds", "parse_s", "embed_s", "index_s")


def evaluate_retrieval(
    folder: Path,
    settings: Settings,
    *,
    language: Language = "auto",
    modes: Sequence[str] = MODES,
    reranking: Reranking = "none",
    limit: int | None = None,
    cache: Path | None = None,
    embedder: Embedder | None = None,
    on_event: Callable[[Event], None] = lambda event: None,
) -> dict[str, Any]:
    """Ingest a question set in the format of BEIR into a temporary home and ask its questions.

    The first of the ``modes`` is compared with the others; of more than ``limit`` questions a fixed
    random sample is asked; ``cache`` is a file that keeps the vectors of passages for the next run.
    Returns the JSON of ``eval retrieval --json``.

    Raises:
        InvalidInput: the folder is no question set, or the modes are invalid.
    """
    chosen = _each_once(modes)
    questions = read_questions(folder).sample(limit)
    with ExitStack() as stack:
        measured = MeasuredEmbedder(embedder or make_embedder(settings))
        home = stack.enter_context(tempfile.TemporaryDirectory(prefix="rabbithole-eval-"))
        private = {"home": Path(home), "database": None, "vectors": "chroma", "lexical": "tantivy"}
        components = Components(settings.model_copy(update=private), embedder=lambda: measured)
        stack.callback(components.close)
        if cache is not None:
            components.catalog.embeddings = stack.enter_context(open_cache(cache)).embeddings
        trial = TrialCollection(components, reranking)
        ingestion = trial.ingest(read_corpus(folder), language, on_event)
        embedded = measured.embedded
        query_seconds = measured.prepare(questions.queries.values())
        results = trial.ask(questions, chosen)
    return {
        "dataset": folder.resolve().name,
        "documents": trial.records,
        "chunks": ingestion.chunks,
        "queries": len(questions.queries),
        "modes": {mode: result.as_json() for mode, result in results.items()},
        "differences": _differences(results),
        "query_embedding": _milliseconds(query_seconds),
        "ingest": {
            **{name: round(getattr(ingestion, name), 2) for name in INGESTION_TIMES},
            "embedded": embedded,
        },
    }


def _each_once(modes: Sequence[str]) -> list[SearchMode]:
    chosen = [mode for mode in MODES if mode in modes]
    if not modes or len(chosen) < len(modes):
        raise InvalidInput(f"Name at least one of the modes {', '.join(MODES)}, and each once.")
    return sorted(chosen, key=list(modes).index)


@dataclass(frozen=True)
class ModeResult:
    """One mode: for each measure a value per question, and the duration of each search."""

    values: Mapping[str, Values]
    seconds: Sequence[float]

    def as_json(self) -> dict[str, Any]:
        """Return means (0-1) with their intervals, and times in milliseconds."""
        means = {name: _rounded(mean_interval(values)) for name, values in self.values.items()}
        return {
            **{name: interval["mean"] for name, interval in means.items()},
            **_milliseconds(self.seconds),
            "intervals": {
                name: [interval["low"], interval["high"]] for name, interval in means.items()
            },
        }


def _differences(results: Mapping[SearchMode, ModeResult]) -> dict[str, Any]:
    """Compare the first mode with each other mode, question by question."""
    (first, ours), *others = results.items()
    return {
        f"{first}-{mode}": {
            name: _rounded(mean_interval(values - theirs.values[name]))
            for name, values in ours.values.items()
        }
        for mode, theirs in others
    }


def _rounded(interval: Interval) -> dict[str, float]:
    return {name: round(value, DIGITS) for name, value in asdict(interval).items()}


def _milliseconds(seconds: Sequence[float]) -> dict[str, float]:
    """Return the median and 95th percentile of times."""
    p50, p95 = np.quantile(seconds, (0.5, 0.95)) * 1000
    return {"ms_p50": round(float(p50), 2), "ms_p95": round(float(p95), 2)}


def open_cache(path: Path) -> Catalog:
    """Open a catalog file that keeps the vectors of passages between runs."""
    try:
        return Catalog.open(f"sqlite:///{path.absolute()}")
    except CorruptCatalog as error:
        raise InvalidInput(
            f"{path} is not a file that an evaluation has kept embeddings in. "
            "Name another file, or one that does not exist yet."
        ) from error


class MeasuredEmbedder:
    """Wraps an embedder: prepares vectors of queries, counts passages that no cache had."""

    fingerprint: str
    dimension: int
    max_tokens: int
    calibration: Calibration
    count_tokens: Callable[[str], int]
    embed_sentences: Callable[..., Vectors]

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.embed_query = lru_cache(maxsize=None)(embedder.embed_query)
        self.embedded = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def prepare(self, queries: Iterable[str]) -> list[float]:
        """Embed queries ahead of their searches; return the seconds that each took."""
        seconds = []
        for query in queries:
            started = time.perf_counter()
            self.embed_query(query)
            seconds.append(time.perf_counter() - started)
        return seconds

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        self.embedded += len(texts)
        return self._embedder.embed_passages(texts, on_progress)


class TrialCollection:
    """A collection in a temporary home, in which a record is a document with the record's title.

    Records with the same text become one document and are retrieved together.
    """

    def __init__(self, components: Components, reranking: Reranking = "none") -> None:
        self._components = components
        self._reranking = reranking
        self._owner = Principal()
        self._records_of: dict[str, list[str]] = defaultdict(list)

    @property
    def records(self) -> int:
        return sum(map(len, self._records_of.values()))

    def ingest(
        self, records: Iterable[CorpusRecord], language: Language, on_event: Callable[[Event], None]
    ) -> IngestReport:
        """Ingest the records but those without text; raise InvalidInput if none has any."""
        components = self._components
        ingestor = TextIngestor(
            components.catalog, components.embedder, components.vectors, components.lexical
        )
        target = components.catalog.collections.ensure(self._owner, COLLECTION)
        report = ingestor.ingest(
            self._new(records, language), collection_id=target.collection_id, on_event=on_event
        )
        if not self._records_of:
            raise InvalidInput("No record of corpus.jsonl has a text: there is nothing to search.")
        return report

    def _new(self, records: Iterable[CorpusRecord], language: Language) -> Iterator[ReadyDocument]:
        for record in records:
            document = as_document(record, language)
            if not document.parsed.text.strip():
                continue
            same = self._records_of[document.document_id]
            same.append(record.record_id)
            if len(same) == 1:
                yield document

    def ask(
        self, questions: QuestionSet, modes: Sequence[SearchMode]
    ) -> dict[SearchMode, ModeResult]:
        """Ask every question in every mode, one search after another.

        The modes take turns in coming first, so that none always has warm caches.
        """
        scope = self._components.catalog.collections.scope(self._owner, [COLLECTION])
        search = partial(self._search, scope=scope)
        near: dict[SearchMode, dict[str, list[str]]] = {mode: {} for mode in modes}
        far: dict[SearchMode, dict[str, list[str]]] = {mode: {} for mode in modes}
        seconds: dict[SearchMode, list[float]] = {mode: [] for mode in modes}
        search(next(iter(questions.queries.values())), k=NEAR, mode="hybrid")  # opens the stores
        for number, (query, text) in enumerate(questions.queries.items()):
            first = number % len(modes)
            for mode in [*modes[first:], *modes[:first]]:
                started = time.perf_counter()
                hits = search(text, k=NEAR, mode=mode)
                seconds[mode].append(time.perf_counter() - started)
                near[mode][query] = self._ranked(hits)
                far[mode][query] = self._ranked(search(text, k=FAR, mode=mode))
        return {
            mode: ModeResult(
                measure(questions.judgements, near[mode])
                | {"recall@50": measure(questions.judgements, far[mode])["recall@50"]},
                seconds[mode],
            )
            for mode in modes
        }

    def _search(self, query: str, *, scope: Scope, k: int, mode: SearchMode) -> Sequence[Hit]:
        search = self._components.retriever.search
        if self._reranking == "none":
            return search(query, scope=scope, k=k, mode=mode)
        candidates = search(query, scope=scope, k=k * CANDIDATES_PER_HIT, mode=mode)
        chosen: dict[Reranking, set[str]] = {self._reranking: {hit.chunk_id for hit in candidates}}
        hits, problems = asyncio.run(
            rerank_hits(query, candidates, chosen, self._components.rerankers)
        )
        if problems:
            raise InvalidInput(f"Nothing was measured. {problems[0]}")
        return hits[:k]

    def _ranked(self, hits: Sequence[Hit]) -> list[str]:
        """Return record ids, each at the rank of its best chunk."""
        documents = dict.fromkeys(hit.document_id for hit in hits)
        return [record for document in documents for record in self._records_of[document]]


def as_document(record: CorpusRecord, language: Language) -> ReadyDocument:
    """Return a record as the parser of text files would; a title alone becomes the text."""
    text, title = clean(record.text), plain_title(clean(record.title or ""))
    text = text if text.strip() else title
    return ReadyDocument(
        name=record.record_id,
        parsed=ParsedDocument(
            title=title,
            text=text,
            pages=(),
            sections=(),
            language=detect_language(text) if language == "auto" else language,
            parser_version=TEXT_VERSION,
        ),
    )
