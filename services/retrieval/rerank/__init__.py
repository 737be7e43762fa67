"""Reranking: a closer look at what a search has found, by one of several models."""

from collections.abc import Awaitable, Callable

from services.cross_encoder import CrossEncoder
from services.models.base import ChatModel
from services.retrieval.rerank.base import CANDIDATES_PER_HIT, Rerankers, reranked
from services.retrieval.rerank.encoders import (
    BestSentenceReranker,
    CrossEncoderReranker,
    TrainedReranker,
)
from services.retrieval.rerank.language_model import LanguageModelReranker
from services.retrieval.similarity import Similarity
from services.settings import Settings

__all__ = [
    "CANDIDATES_PER_HIT",
    "Rerankers",
    "make_rerankers",
    "reranked",
]


def make_rerankers(
    settings: Settings,
    similarity: Callable[[], Similarity],
    chat_model: Callable[[], Awaitable[ChatModel | None]],
    encoder: Callable[[], CrossEncoder],
) -> Rerankers:
    """One reranker for each choice; what the functions open is opened when it is first needed."""
    named = settings.cross_encoder
    return {
        "sentences": BestSentenceReranker(similarity),
        "llm": LanguageModelReranker(chat_model, deadline_s=settings.call_deadline_s),
        "cross-encoder": CrossEncoderReranker(named) if named else TrainedReranker(encoder),
    }
