"""One reranker for each choice; models are loaded when they are first asked."""

from collections.abc import Awaitable, Callable

from services.cross_encoder import CrossEncoder
from services.models.base import ChatModel
from services.retrieval.rerank import (
    BestSentenceReranker,
    CrossEncoderReranker,
    LanguageModelReranker,
    Rerankers,
    TrainedReranker,
)
from services.retrieval.similarity import Similarity
from services.settings import Settings


def make_rerankers(
    settings: Settings,
    similarity: Callable[[], Similarity],
    chat_model: Callable[[], Awaitable[ChatModel | None]],
    encoder: Callable[[], CrossEncoder],
) -> Rerankers:
    """The rerankers by the name of the choice.

    Args:
        settings: the deadline of a model, and the name of a cross-encoder beside the bundled one.
        similarity: opened when it is first needed.
        chat_model: opened when it is first needed.
        encoder: the bundled cross-encoder, opened when it is first needed.
    """
    named = settings.cross_encoder
    return {
        "sentences": BestSentenceReranker(
            lambda queries, sentences: similarity().cosines(queries, sentences),
            lambda: similarity().calibration,
        ),
        "llm": LanguageModelReranker(chat_model, deadline_s=settings.call_deadline_s),
        "cross-encoder": CrossEncoderReranker(named) if named else TrainedReranker(encoder),
    }
