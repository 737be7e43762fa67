"""Reranking of search results by a language model or a cross-encoder."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence, Set
from functools import cache
from typing import Annotated, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, create_model

from services.caches import Lazy
from services.cross_encoder import CrossEncoder
from services.domain import Hit, Language, Passage, Reranking, StrategyScore, Value
from services.domain.errors import (
    BadGeneration,
    InvalidGeneration,
    InvalidInput,
    ModelTimeout,
    ModelUnavailable,
    NoModel,
    TryAgain,
)
from services.domain.notices import Notice
from services.language.query.language import detect_language
from services.language.text.sentences import sentences
from services.language.text.words import stems
from services.models.base import ChatModel, Message, count_prompt, passage_tokens
from services.models.tasks import ModelTask, TaskRunner
from services.retrieval.embedders.sentence_transformer import load_model
from services.settings import Settings

EXPLAINED_AS = "rerank"
CANDIDATES_PER_HIT = 3
TITLE_CHARACTERS = 80  # in a prompt; it must leave room for the passage
SETTING = "RABBITHOLE_CROSS_ENCODER"
EXAMPLE = "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1"
LOGIT_WEIGHT = 0.3
Pairs = list[tuple[str, str]]
PairScorer = Callable[[Pairs], NDArray[np.float32]]
"""Scores pairs of query and passage: an array of the shape (pairs,), each 0-1."""
BATCH = 8  # passages of a call: few enough for a small model to tell apart
PASSAGE_CHARACTERS = 300
BEST_MARK = 10
TOKENS_PER_MARK = 8
MakeModel = Callable[[], Awaitable[ChatModel | None]]


class Reranker(Protocol):
    """Scores how well passages answer a query; several tasks may use it at once."""

    async def score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """Return a score (0-1) for each passage, in their order; comparable within one call only.

        Raises:
            TryAgain: the model does not answer, or not in time.
            BadGeneration: its answer cannot be used.
            AskPerson: the reranker is not set up.
        """
        ...


Rerankers = Mapping[Reranking, Reranker]


def with_heading(passage: Passage, text: str) -> str:
    title = (passage.title or passage.document)[:TITLE_CHARACTERS]
    heading = ", ".join(name for name in (title, passage.section) if name)
    return f"{heading}: {text}"


def reorder(hits: Sequence[Hit], scores: Mapping[str, float]) -> list[Hit]:
    """Return the hits, those with a score (by chunk id) in the order of their scores.

    They share the positions that they had; hits without a score keep theirs. Equal scores keep
    their order. ``explain`` of a hit with a score gains its rank among them and the score.
    """
    scored = [hit for hit in hits if hit.chunk_id in scores]
    explained = []
    for rank, hit in enumerate(sorted(scored, key=lambda hit: -scores[hit.chunk_id]), start=1):
        score = StrategyScore(rank=rank, score=scores[hit.chunk_id])
        explained.append(hit.model_copy(update={"explain": {**hit.explain, EXPLAINED_AS: score}}))
    best_first = iter(explained)
    return [next(best_first) if hit.chunk_id in scores else hit for hit in hits]


async def rerank_hits(
    query: str, hits: Sequence[Hit], chosen: Mapping[Reranking, Set[str]], rerankers: Rerankers
) -> tuple[list[Hit], tuple[Notice, ...]]:
    """Return all hits, ordered by rerankers, and a warning for each reranker that failed.

    ``chosen`` has the chunk ids that each reranker orders. Raises AskPerson if one is not set up.
    """
    ordered, warnings = list(hits), []
    for kind, ids in chosen.items():
        passages = [hit for hit in ordered if hit.chunk_id in ids]
        if not passages:
            continue
        try:
            scores = await rerankers[kind].score(query, passages)
        except (TryAgain, BadGeneration) as problem:
            warnings.append(
                Notice.of(
                    "Reranking ({reranker}) failed, so the hits keep their original order: "
                    "{reason}",
                    reranker=kind,
                    reason=problem,
                )
            )
        else:
            ids_of = (passage.chunk_id for passage in passages)
            ordered = reorder(ordered, dict(zip(ids_of, scores, strict=True)))
    return ordered, tuple(warnings)


def make_rerankers(
    settings: Settings, chat_model: MakeModel, encoder: Callable[[], CrossEncoder]
) -> Rerankers:
    name = settings.cross_encoder
    return {
        "llm": LanguageModelReranker(chat_model, deadline_s=settings.call_deadline_s),
        "cross-encoder": CrossEncoderReranker(name) if name else TrainedReranker(encoder),
    }


class TrainedReranker:
    """Combines the logit of the judge's cross-encoder with the logarithm of the search's rank.

    Alone it orders worse than the search. Weighted on one half of XQuAD (docs/search.md).
    """

    def __init__(self, encoder: Callable[[], CrossEncoder]) -> None:
        self._encoder = encoder

    async def score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """See ``Reranker.score``; the passages must be in the order of the search."""
        return await asyncio.to_thread(self._score, query, passages) if passages else []

    def _score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        inputs = [
            [with_heading(hit, ""), *(hit.text[start:end] for start, end in sentences(hit.text))]
            for hit in passages
        ]
        logits = np.array([reading.passage for reading in self._encoder().read(query, inputs)])
        odds = LOGIT_WEIGHT * logits - np.log(np.arange(len(passages)) + 2)
        return [float(share) for share in 1 / (1 + np.exp(-odds))]


class CrossEncoderReranker:
    """Any cross-encoder of sentence-transformers by name or folder, loaded on first use."""

    def __init__(self, model: str, load: Callable[[str], PairScorer] | None = None) -> None:
        self._model = model
        self._scorer = Lazy(lambda: (load or load_scorer)(model))
        self._lock = threading.Lock()

    async def score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """See ``Reranker.score``."""
        return await asyncio.to_thread(self._score, query, passages) if passages else []

    def _score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """Raises NoModel or InvalidInput if the model cannot be used."""
        pairs = [(query, with_heading(passage, passage.text)) for passage in passages]
        scorer = self._scorer.get()
        with self._lock:
            scores = np.asarray(scorer(pairs), dtype=np.float64)
        if scores.shape != (len(pairs),) or not np.isfinite(scores).all():
            raise InvalidInput(
                "{model} does not give a passage a single score, so it cannot rerank. Set "
                "{setting} to a cross-encoder with one label, such as {example}.",
                model=self._model,
                setting=SETTING,
                example=EXAMPLE,
            )
        return [float(score) for score in scores.clip(0.0, 1.0)]


def load_scorer(name: str) -> PairScorer:
    from sentence_transformers import CrossEncoder
    from torch.nn import Sigmoid

    model = load_model(CrossEncoder, name, SETTING)

    def score(pairs: Pairs) -> NDArray[np.float32]:
        scores: NDArray[np.float32] = model.predict(
            pairs, activation_fn=Sigmoid(), show_progress_bar=False
        )
        return scores

    return score


_PROMPTS: dict[Language, tuple[str, str, str]] = {
    "de": (
        "Benote, wie gut jede Stelle die Frage beantwortet: 10 heißt, sie enthält die Antwort, "
        "5, sie betrifft die Frage, 0, sie hat nichts mit ihr zu tun. Gib jeder Stelle eine Note.",
        "Frage",
        "Stelle",
    ),
    "en": (
        "Mark how well each passage answers the question: 10 means that it has the answer, 5 "
        "that it bears on the question, 0 that it has nothing to do with it. Mark every passage.",
        "Question",
        "Passage",
    ),
}


class MarkInput(Value):
    query: str
    language: Language
    passages: tuple[str, ...]


class MarkPassages(ModelTask[MarkInput, tuple[float, ...] | None]):
    """Gives a mark (0-1) to each of ``count`` passages, which the schema names."""

    name: ClassVar[str] = "rerank"

    def __init__(self, count: int) -> None:
        self.schema = marks_schema(count)
        self.max_tokens = 16 + TOKENS_PER_MARK * count

    def render(self, inp: MarkInput) -> tuple[Message, ...]:
        system, question, passage = _PROMPTS.get(inp.language, _PROMPTS["en"])
        lines = [f"{passage} p{n}: {text}" for n, text in enumerate(inp.passages, start=1)]
        user = "\n".join([f"{question}: {inp.query}", *lines, f"{question}: {inp.query}"])
        return Message(role="system", content=system), Message(role="user", content=user)

    def check(self, inp: MarkInput, output: BaseModel) -> tuple[float, ...]:
        return tuple(mark / BEST_MARK for mark in output.model_dump().values())

    def fallback(self, inp: MarkInput) -> None:
        """Return None: the caller keeps the order of the search."""
        return None


@cache
def marks_schema(count: int) -> type[BaseModel]:
    mark = (Annotated[int, Field(ge=0, le=BEST_MARK)], ...)
    fields: dict[str, tuple[object, object]] = {f"p{n}": mark for n in range(1, count + 1)}
    schema: type[BaseModel] = create_model(  # type: ignore[call-overload]
        "Marks", __config__=ConfigDict(extra="forbid"), **fields
    )
    return schema


class LanguageModelReranker:
    """Marks passages in batches that fit the model's context and speed, within ``deadline_s``."""

    def __init__(self, model: MakeModel, *, deadline_s: float) -> None:
        self._model = model
        self._deadline_s = deadline_s

    async def score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """Return marks; ModelUnavailable without a model, which may come back."""
        if not passages:
            return []
        model = await self._chat_model()
        try:
            async with asyncio.timeout(self._deadline_s) as deadline:
                return await self._score(model, query, passages)
        except TimeoutError as error:
            if not deadline.expired():
                raise
            raise ModelTimeout(
                "the model did not score {passages} passages within {seconds:g} s; ask for fewer "
                "hits or raise RABBITHOLE_MODEL_DEADLINE_S",
                passages=len(passages),
                seconds=self._deadline_s,
            ) from error

    async def _chat_model(self) -> ChatModel:
        """Return the model; loading it does not count against the deadline."""
        try:
            model = await self._model()
        except NoModel as error:
            raise ModelUnavailable(error.notice) from error
        if model is None:
            raise ModelUnavailable("no language model is in use (RABBITHOLE_LLM=none)")
        return model

    async def _score(self, model: ChatModel, query: str, passages: Sequence[Hit]) -> list[float]:
        batches = await asyncio.to_thread(self._batches, model, query, passages)
        runner = TaskRunner(model, deadline_s=self._deadline_s)
        marks: list[float] = []
        for batch in batches:
            result = await runner.run(MarkPassages(len(batch.passages)), batch)
            if result.value is None:
                failure = result.usage.fallback
                reason = failure.fields["reason"] if failure else None
                raise InvalidGeneration(
                    Notice.model_validate(reason or Notice.of("the model returned no scores"))
                )
            marks += result.value
        return marks

    def _batches(self, model: ChatModel, query: str, passages: Sequence[Hit]) -> list[MarkInput]:
        """Return the shortened passages in batches that fit; an oversized passage is alone."""
        empty = MarkInput(query=query, language=detect_language(query), passages=())
        task = MarkPassages(BATCH)
        room = passage_tokens(
            model,
            fixed_tokens=count_prompt(model, task.render(empty)) + TOKENS_PER_MARK * BATCH,
            max_tokens=task.max_tokens,
            deadline_s=self._deadline_s,
        )
        texts = [
            with_heading(hit, excerpt(hit.text, query, empty.language, PASSAGE_CHARACTERS))
            for hit in passages
        ]
        batches: list[list[str]] = []
        left = 0
        for text in texts:
            tokens = model.count_tokens(text) + 1
            if tokens > left or len(batches[-1]) == BATCH:
                batches.append([])
                left = room
            batches[-1].append(text)
            left -= tokens
        return [empty.model_copy(update={"passages": tuple(batch)}) for batch in batches]


def excerpt(text: str, query: str, language: Language, limit: int) -> str:
    """Return the run of sentences within ``limit`` characters with most words of the query."""
    spans = (" ".join(text[start:end].split()) for start, end in sentences(text))
    texts = [sentence for sentence in spans if sentence]
    query_stems = frozenset(stems(query, language))

    def run(first: int) -> str:
        joined, *others = texts[first:]
        for sentence in others:
            if len(joined) + 1 + len(sentence) > limit:
                break
            joined = f"{joined} {sentence}"
        return joined

    def shared_words(run: str) -> int:
        return len(query_stems & {*stems(run, language)})

    runs = [run(first) for first in range(len(texts))]  # max takes the first of equals
    return max(runs, key=shared_words, default="")[:limit]
