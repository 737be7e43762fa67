"""Retrieval on a BEIR question set, through the product's own ingestion and search."""

import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, get_args

import numpy as np
from pydantic import Field, ValidationError, field_validator

from services.catalog import Catalog
from services.domain import Language, Reranking, SearchMode, Value
from services.domain.errors import CorruptCatalog, InvalidInput
from services.domain.events import Event
from services.evaluation.beir import read_corpus, read_questions
from services.evaluation.statistics import RetrievalReport
from services.evaluation.trial import OpenParts, Trial
from services.retrieval.embedders import Calibration, Embedder, Progress, Vectors
from services.retrieval.embedding_cache import embed_cached
from services.settings import Settings

MODES: tuple[SearchMode, ...] = get_args(SearchMode)

MakeParts = Callable[[Settings, Embedder], OpenParts]


class RetrievalPlan(Value):
    """What to measure.

    ``folder`` is in the format of BEIR. ``language`` is that of the records (ISO 639-1), "auto"
    detects it record by record. The first of ``modes`` is compared with the others; ``reranking``
    orders what each mode finds. Of more than ``limit`` questions a fixed random sample is asked.
    ``cache`` is a file that keeps the vectors of passages for the next run.
    """

    folder: Path
    language: Language = "auto"
    modes: tuple[SearchMode, ...] = MODES
    reranking: Reranking = "none"
    limit: int | None = Field(default=None, ge=1)
    cache: Path | None = None

    @field_validator("modes")
    @classmethod
    def _each_once(cls, modes: tuple[SearchMode, ...]) -> tuple[SearchMode, ...]:
        if not modes or len(set(modes)) < len(modes):
            raise ValueError("name at least one mode, and each once")
        return modes

    @classmethod
    def of(cls, folder: Path, **values: object) -> "RetrievalPlan":
        """A plan of values from outside; raises InvalidInput where one makes no sense."""
        try:
            return cls.model_validate({"folder": folder, **values})
        except ValidationError as problem:
            detail = problem.errors()[0]
            raise InvalidInput(
                f"{detail['loc'][0]}: {detail['msg']}. Modes are {', '.join(MODES)}."
            ) from problem


class RetrievalEvaluation:
    """Ingests a question set into a home of its own, asks all questions, and forgets the home.

    ``make_parts`` opens catalog, indexes and retriever for settings, whose home and database are
    temporary, and an embedder.
    """

    def __init__(self, settings: Settings, embedder: Embedder, make_parts: MakeParts) -> None:
        self._settings = settings
        self._embedder = embedder
        self._make_parts = make_parts

    def run(
        self, plan: RetrievalPlan, on_event: Callable[[Event], None] = lambda event: None
    ) -> RetrievalReport:
        """Measure; takes as long as embedding the corpus, unless a cache has its vectors.

        Raises:
            InvalidInput: the folder is no question set, or a value of the plan is wrong.
        """
        questions = read_questions(plan.folder).sample(plan.limit)
        with ExitStack() as stack:
            kept = stack.enter_context(open_cache(plan.cache)) if plan.cache else None
            embedder = MeasuredEmbedder(self._embedder, kept)
            home = stack.enter_context(tempfile.TemporaryDirectory(prefix="rabbithole-eval-"))
            private = {"home": Path(home), "database_url": None}
            parts = self._make_parts(self._settings.model_copy(update=private), embedder)
            stack.callback(parts.close)
            trial = Trial(parts, plan.reranking)
            ingestion = trial.ingest(read_corpus(plan.folder), plan.language, on_event)
            embedded = embedder.embedded
            query_seconds = embedder.prepare(questions.queries.values())
            return RetrievalReport(
                dataset=plan.folder.resolve().name,
                documents=trial.records,
                questions=len(questions.queries),
                results=trial.ask(questions, plan.modes),
                ingestion=ingestion,
                embedded=embedded,
                query_seconds=np.array(query_seconds),
            )


def open_cache(path: Path) -> Catalog:
    """The catalog in a file whose embedding cache keeps passage vectors between runs."""
    try:
        return Catalog.open(f"sqlite:///{path.absolute()}")
    except CorruptCatalog as error:
        raise InvalidInput(
            f"{path} is not a file that an evaluation has kept embeddings in. "
            "Name another file, or one that does not exist yet."
        ) from error


class MeasuredEmbedder:
    """The vectors of another embedder, without their cost where it would hide something else.

    The embedding cache of ``kept`` is asked first and told what is new. The attributes that stand
    here are those of the other embedder.
    """

    fingerprint: str
    dimension: int
    max_tokens: int
    calibration: Calibration

    def __init__(self, embedder: Embedder, kept: Catalog | None = None) -> None:
        self._embedder = embedder
        self._kept = kept
        self._queries: dict[str, Vectors] = {}
        self.embedded = 0
        """Passages that were embedded, and not found in the cache."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._embedder, name)

    def count_tokens(self, text: str) -> int:
        return self._embedder.count_tokens(text)

    def prepare(self, queries: Iterable[str]) -> list[float]:
        """Embed queries, so that a search for them does not; the seconds that each took."""
        seconds = []
        for query in queries:
            started = time.perf_counter()
            self._queries[query] = self._embedder.embed_query(query)
            seconds.append(time.perf_counter() - started)
        return seconds

    def embed_query(self, text: str) -> Vectors:
        prepared = self._queries.get(text)
        return self._embedder.embed_query(text) if prepared is None else prepared

    def embed_passages(self, texts: Sequence[str], on_progress: Progress | None = None) -> Vectors:
        if self._kept is None:
            self.embedded += len(texts)
            return self._embedder.embed_passages(texts, on_progress)
        told: list[int] = []

        def tell(done: int) -> None:
            told.append(done)
            if on_progress is not None:
                on_progress(done)

        vectors = embed_cached(texts, embedder=self._embedder, catalog=self._kept, on_progress=tell)
        self.embedded += len(texts) - told[0]  # It is told first what the cache has.
        return vectors
