"""Reranking: a second, closer look at what a search has found, by one of two models."""

import asyncio
import threading
from abc import ABC, abstractmethod
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
from services.language.text import sentences, stems
from services.models.base import ChatModel, Message, count_prompt, passage_tokens
from services.models.tasks import ModelTask, TaskRunner
from services.retrieval.embedders.sentence_transformer import load_model
from services.settings import Settings

EXPLAINED_AS = "rerank"
CANDIDATES_PER_HIT = 3
"""A reranker looks at this many candidates for each hit that is wanted."""

TITLE_CHARACTERS = 80
"""Of a document's title: it says where a passage is from, and must leave room for it."""

SETTING = "RABBITHOLE_CROSS_ENCODER"
EXAMPLE = "cross-encoder/mmarco-mMiniLMv2-L12-H384-v1"
LOGIT_WEIGHT = 0.3

Pairs = list[tuple[str, str]]
PairScorer = Callable[[Pairs], NDArray[np.float32]]
"""Scores pairs of query and passage: an array of the shape (pairs,), each 0-1."""

BATCH = 8
"""Passages of one call: few enough for a small model to keep apart."""

PASSAGE_CHARACTERS = 300
BEST_MARK = 10
TOKENS_PER_MARK = 8

MakeModel = Callable[[], Awaitable[ChatModel | None]]


class Reranker(Protocol):
    """Says how well passages answer a query. May be asked from several tasks at a time."""

    async def score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """A score (0-1) for each passage, in the order given; comparable within one call alone.

        Raises:
            TryAgain: nobody answers, or not in time.
            BadGeneration: what was answered cannot be used.
            AskPerson: the reranker is not set up; the message says how.
        """
        ...


Rerankers = Mapping[Reranking, Reranker]
"""What stands behind each choice but ``none``."""


def with_heading(passage: Passage, text: str) -> str:
    """A passage's text under its document's title and its section."""
    title = (passage.title or passage.document)[:TITLE_CHARACTERS]
    place = ", ".join(part for part in (title, passage.section) if part)
    return f"{place}: {text}"


def reorder(hits: Sequence[Hit], scores: Mapping[str, float]) -> list[Hit]:
    """The hits with those that have a score, by chunk id, in the order of their scores.

    They share the places that they had; hits without a score stay where they are. Equal scores
    keep their order. ``explain`` of a hit with a score gains its rank among them and the score.
    """
    scored = [hit for hit in hits if hit.chunk_id in scores]
    explained = []
    for rank, hit in enumerate(sorted(scored, key=lambda hit: -scores[hit.chunk_id]), start=1):
        score = StrategyScore(rank=rank, score=scores[hit.chunk_id])
        explained.append(hit.model_copy(update={"explain": {**hit.explain, EXPLAINED_AS: score}}))
    best_first = iter(explained)
    return [next(best_first) if hit.chunk_id in scores else hit for hit in hits]


async def reranked(
    query: str, hits: Sequence[Hit], chosen: Mapping[Reranking, Set[str]], rerankers: Rerankers
) -> tuple[list[Hit], tuple[Notice, ...]]:
    """The hits as the rerankers order them, and what went wrong.

    Args:
        chosen: the chunk ids that each reranker is to order.

    Returns:
        All the hits, and a warning for each reranker that failed: what it was to order is in
        the order of the search.

    Raises:
        AskPerson: a reranker is not set up.
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
                    "Reranking ({reranker}) failed, hits keep the search's order: {reason}",
                    reranker=kind,
                    reason=problem,
                )
            )
        else:
            ids_of = (passage.chunk_id for passage in passages)
            ordered = reorder(ordered, dict(zip(ids_of, scores, strict=True)))
    return ordered, tuple(warnings)


def make_rerankers(
    settings: Settings,
    chat_model: MakeModel,
    encoder: Callable[[], CrossEncoder],
) -> Rerankers:
    """One reranker for each choice; what the functions open is opened when it is first needed."""
    named = settings.cross_encoder
    return {
        "llm": LanguageModelReranker(chat_model, deadline_s=settings.call_deadline_s),
        "cross-encoder": CrossEncoderReranker(named) if named else TrainedReranker(encoder),
    }


class _InThread(ABC):
    """Scores passages in a thread of their own."""

    async def score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """See ``Reranker.score``; passages are taken to be in the order of the search."""
        return await asyncio.to_thread(self._score, query, passages) if passages else []

    @abstractmethod
    def _score(self, query: str, passages: Sequence[Hit]) -> list[float]: ...


class TrainedReranker(_InThread):
    """The bundled cross-encoder of the judge, beside the order of the search.

    Alone it orders worse than the search; a passage's score is its logit beside the logarithm of
    its rank, weighed on one half of XQuAD (docs/search.md).
    """

    def __init__(self, encoder: Callable[[], CrossEncoder]) -> None:
        self._encoder = encoder

    def _score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        parts = [
            [with_heading(each, ""), *(each.text[start:end] for start, end in sentences(each.text))]
            for each in passages
        ]
        logits = np.array([reading.passage for reading in self._encoder().read(query, parts)])
        odds = LOGIT_WEIGHT * logits - np.log(np.arange(len(passages)) + 2)
        return [float(share) for share in 1 / (1 + np.exp(-odds))]


class CrossEncoderReranker(_InThread):
    """Any cross-encoder of sentence-transformers by name or folder.

    The model is loaded with the first search that wants it; passages beyond its length are cut
    by its tokenizer. Work runs in a thread, one call at a time.

    Args:
        model: its name or folder.
        load: loads the model; ``load_scorer`` unless a test gives another.
    """

    def __init__(self, model: str, load: Callable[[str], PairScorer] | None = None) -> None:
        self._model = model
        self._scorer = Lazy(lambda: (load or load_scorer)(model))
        self._turn = threading.Lock()

    def _score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """Raises NoModel or InvalidInput where the model cannot be had."""
        pairs = [(query, with_heading(passage, passage.text)) for passage in passages]
        scorer = self._scorer.get()
        with self._turn:
            scores = np.asarray(scorer(pairs), dtype=np.float64)
        if scores.shape != (len(pairs),) or not np.isfinite(scores).all():
            raise InvalidInput(
                "{model} gives no single score to a passage, so it cannot rerank. Name a "
                "cross-encoder with one label in {setting}, such as {example}.",
                model=self._model,
                setting=SETTING,
                example=EXAMPLE,
            )
        return [float(score) for score in scores.clip(0.0, 1.0)]


def load_scorer(name: str) -> PairScorer:
    """A model of sentence-transformers, whatever its own activation, with scores of 0-1."""
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
    """A query and passages that fit one prompt, each short."""

    query: str
    language: Language
    passages: tuple[str, ...]


class MarkPassages(ModelTask[MarkInput, tuple[float, ...] | None]):
    """A mark (0-1) for each of ``count`` passages; None without a usable answer.

    The schema names every passage (``p1``, ``p2``, …), so that none can be left out, come twice
    or be made up.
    """

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
        """Nothing: the caller keeps the order that there is."""
        return None


@cache
def marks_schema(count: int) -> type[BaseModel]:
    """A mark from 0 to ``BEST_MARK`` for each of ``count`` passages, by its number."""
    mark = (Annotated[int, Field(ge=0, le=BEST_MARK)], ...)
    fields: dict[str, tuple[object, object]] = {f"p{n}": mark for n in range(1, count + 1)}
    made: type[BaseModel] = create_model(  # type: ignore[call-overload]
        "Marks", __config__=ConfigDict(extra="forbid"), **fields
    )
    return made


class LanguageModelReranker:
    """Marks passages in batches that fit the model's context and speed.

    Args:
        model: gives the language model, None where none is wanted; asked at every call.
        deadline_s: seconds of a whole call, whatever the number of passages.
    """

    def __init__(self, model: MakeModel, *, deadline_s: float) -> None:
        self._model = model
        self._deadline_s = deadline_s

    async def score(self, query: str, passages: Sequence[Hit]) -> list[float]:
        """See ``Reranker.score``; without a model ModelUnavailable, for it may come back."""
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
                "the model did not mark {passages} passages within {seconds:g} s; ask for fewer "
                "hits or raise RABBITHOLE_MODEL_DEADLINE_S",
                passages=len(passages),
                seconds=self._deadline_s,
            ) from error

    async def _chat_model(self) -> ChatModel:
        """The model; loading it the first time is no part of the deadline."""
        try:
            model = await self._model()
        except NoModel as error:
            raise ModelUnavailable(error.notice) from error
        if model is None:
            raise ModelUnavailable("RABBITHOLE_LLM=none names no language model")
        return model

    async def _score(self, model: ChatModel, query: str, passages: Sequence[Hit]) -> list[float]:
        batches = await asyncio.to_thread(self._batches, model, query, passages)
        runner = TaskRunner(model, deadline_s=self._deadline_s)
        marks: list[float] = []
        for batch in batches:
            done = await runner.run(MarkPassages(len(batch.passages)), batch)
            if done.value is None:
                failure = done.usage.fallback
                reason = failure.fields["reason"] if failure else None
                raise InvalidGeneration(
                    Notice.model_validate(reason or Notice.of("the model gave no marks"))
                )
            marks += done.value
        return marks

    def _batches(self, model: ChatModel, query: str, passages: Sequence[Hit]) -> list[MarkInput]:
        """The passages, short, in prompts that the model can take; one that fits none is alone."""
        empty = MarkInput(query=query, language=detect_language(query), passages=())
        task = MarkPassages(BATCH)
        room = passage_tokens(
            model,
            fixed_tokens=count_prompt(model, task.render(empty)) + TOKENS_PER_MARK * BATCH,
            max_tokens=task.max_tokens,
            deadline_s=self._deadline_s,
        )
        texts = [
            with_heading(each, excerpt(each.text, query, empty.language, PASSAGE_CHARACTERS))
            for each in passages
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


def excerpt(text: str, query: str, language: Language, most: int) -> str:
    """Up to ``most`` characters of a text: the run of sentences with most of the query's words.

    Of several the first; blanks are single. A sentence that is longer by itself is cut.
    """
    parts = [" ".join(text[start:end].split()) for start, end in sentences(text)]
    parts = [part for part in parts if part]
    wanted = frozenset(stems(query, language))

    def run(first: int) -> str:
        text, *others = parts[first:]
        for part in others:
            if len(text) + 1 + len(part) > most:
                break
            text = f"{text} {part}"
        return text

    runs = [run(first) for first in range(len(parts))]  # max takes the first of equals
    return max(runs, key=lambda text: len(wanted & {*stems(text, language)}), default="")[:most]
