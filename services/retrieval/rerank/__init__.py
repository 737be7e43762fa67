"""Reranking: a closer look at what a search has found, by a language model or a cross-encoder."""

from services.retrieval.rerank.base import CANDIDATES_PER_HIT, Reranker, Rerankers
from services.retrieval.rerank.cross_encoder import CrossEncoderReranker
from services.retrieval.rerank.language_model import LanguageModelReranker
from services.retrieval.rerank.order import reorder, reranked

__all__ = [
    "CANDIDATES_PER_HIT",
    "CrossEncoderReranker",
    "LanguageModelReranker",
    "Reranker",
    "Rerankers",
    "reorder",
    "reranked",
]
