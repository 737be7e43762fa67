"""The composition root: which implementation stands behind each interface, built from settings.

Importing this module and calling ``build_services`` is light. Stores and models are opened
when they are first used, and so are the packages behind them.
"""

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from services import factories
from services.domain.events import Event
from services.lazy import AsyncLazy, Lazy
from services.library.library import Library
from services.settings import Settings

if TYPE_CHECKING:
    from services.catalog import Catalog
    from services.cross_encoder import CrossEncoder
    from services.evidence import Judge
    from services.graph.search import KnowledgeGraph
    from services.language.query.heads import QuestionReader
    from services.library.answer_cache import AnswerCache
    from services.library.feedback import Feedback
    from services.library.pages.renderer import PageRenderer
    from services.models.base import ChatModel
    from services.retrieval.cache import SearchCache
    from services.retrieval.embedders import Embedder
    from services.retrieval.lexical import LexicalIndex
    from services.retrieval.rerank import Rerankers
    from services.retrieval.retriever import Retriever
    from services.retrieval.scan.scanner import Scanner
    from services.retrieval.similarity import Similarity
    from services.retrieval.vector import VectorIndex


@dataclass(frozen=True)
class Services:
    """Everything that the agent and the front ends call; one object a process.

    Only the process that holds the ``OwnerLock`` of the home may use ``vectors``, ``lexical``
    and what is built on them (``retriever``, searching and ingesting in ``library``).
    """

    settings: Settings
    _catalog: "Lazy[Catalog]"
    _embedder: "Lazy[Embedder]"
    _vectors: "Lazy[VectorIndex]"
    _lexical: "Lazy[LexicalIndex]"
    _retriever: "Lazy[Retriever]"
    _similarity: "Lazy[Similarity]"
    _searches: "Lazy[SearchCache]"
    _rerankers: "Lazy[Rerankers]"
    _encoder: "Lazy[CrossEncoder]"
    _chat_model: "AsyncLazy[ChatModel | None]"
    _pages: "Lazy[PageRenderer]" = field(init=False)
    _scanner: "Lazy[Scanner]" = field(init=False)
    _answers: "Lazy[AnswerCache]" = field(init=False)
    _graph: "Lazy[KnowledgeGraph]" = field(init=False)
    _judge: "Lazy[Judge]" = field(init=False)
    _reader: "Lazy[QuestionReader | None]" = field(default_factory=lambda: Lazy(lambda: None))

    def __post_init__(self) -> None:
        object.__setattr__(self, "_pages", Lazy(lambda: factories.open_pages(self.settings)))
        object.__setattr__(self, "_scanner", Lazy(lambda: factories.make_scanner(self.catalog)))
        object.__setattr__(self, "_answers", Lazy(factories.make_answer_cache))
        object.__setattr__(self, "_graph", Lazy(lambda: factories.make_graph(self.catalog)))
        judge = Lazy(lambda: factories.make_judge(self.similarity.log_odds, self.encoder))
        object.__setattr__(self, "_judge", judge)

    @property
    def catalog(self) -> "Catalog":
        return self._catalog.get()

    @property
    def embedder(self) -> "Embedder":
        return self._embedder.get()

    @property
    def vectors(self) -> "VectorIndex":
        return self._vectors.get()

    @property
    def lexical(self) -> "LexicalIndex":
        return self._lexical.get()

    @property
    def retriever(self) -> "Retriever":
        return self._retriever.get()

    @property
    def searches(self) -> "SearchCache":
        return self._searches.get()

    @property
    def rerankers(self) -> "Rerankers":
        return self._rerankers.get()

    @property
    def similarity(self) -> "Similarity":
        return self._similarity.get()

    @property
    def pages(self) -> "PageRenderer":
        return self._pages.get()

    @property
    def scanner(self) -> "Scanner":
        """Counts words in whole texts; needs the catalog alone."""
        return self._scanner.get()

    @property
    def answers(self) -> "AnswerCache":
        """Answers of this process, used where the parameter ``answerCache`` is on."""
        return self._answers.get()

    @property
    def judge(self) -> "Judge":
        """Judges what answers a question and what a quote supports."""
        return self._judge.get()

    @property
    def encoder(self) -> "CrossEncoder":
        """The trained network behind the judge."""
        return self._encoder.get()

    @property
    def graph(self) -> "KnowledgeGraph":
        """Searches the knowledge graph; needs the catalog alone."""
        return self._graph.get()

    @property
    def feedback(self) -> "Feedback":
        """Votes on answers and the thresholds they move; needs the catalog alone."""
        from services.library.feedback import Feedback

        return Feedback(self.catalog, self.settings.admins)

    @property
    def reader(self) -> "QuestionReader | None":
        """Tells what a question wants; None where the embedding in use is not the heads' own."""
        return self._reader.get()

    @property
    def library(self) -> Library:
        return Library(self)

    async def chat_model(self) -> "ChatModel | None":
        """The language model that the settings name, None for ``none``.

        It belongs to the event loop that first asks for it.

        Raises:
            NoModel: none is configured and none can be reached.
        """
        return await self._chat_model.get()

    def close(self) -> None:
        """Close the stores that were opened. They open again if they are used again."""
        for kept in (
            self._retriever,
            self._searches,
            self._scanner,
            self._answers,
            self._graph,
        ):
            kept.take()
        with ExitStack() as closing:
            for store in (self._catalog, self._vectors, self._lexical, self._pages):
                if (opened := store.take()) is not None:
                    closing.callback(opened.close)

    async def aclose(self) -> None:
        """Close the language model, on its event loop, and then the stores."""
        try:
            if (model := await self._chat_model.take()) is not None:
                await model.close()
        finally:
            self.close()


def build_services(settings: Settings, embedder: "Embedder | None" = None) -> Services:
    """Services that keep everything under ``settings.home``; nothing is opened yet.

    Args:
        settings: where and with what.
        embedder: used instead of the one that the settings name.
    """
    catalog = Lazy(lambda: factories.open_catalog(settings))
    encoder = Lazy(factories.open_cross_encoder)
    embedding = Lazy(lambda: factories.open_embedder(settings) if embedder is None else embedder)
    queries = Lazy(lambda: factories.remember_queries(embedding.get()))
    vectors = Lazy(lambda: factories.open_vectors(settings))
    lexical = Lazy(lambda: factories.open_lexical(settings))
    chat_model = AsyncLazy(lambda: factories.open_chat_model(settings))
    similarity = Lazy(
        lambda: factories.make_similarity(embedding.get(), catalog.get(), queries.get())
    )
    return Services(
        settings=settings,
        _catalog=catalog,
        _embedder=embedding,
        _vectors=vectors,
        _lexical=lexical,
        _retriever=Lazy(
            lambda: factories.make_retriever(
                catalog.get(), embedding.get(), vectors.get(), lexical.get(), queries.get()
            )
        ),
        _similarity=similarity,
        _searches=Lazy(factories.make_search_cache),
        _rerankers=Lazy(
            lambda: factories.make_all_rerankers(
                settings, similarity.get, chat_model.get, encoder.get
            )
        ),
        _chat_model=chat_model,
        _encoder=encoder,
        _reader=Lazy(lambda: factories.make_reader(embedding.get(), queries.get())),
    )


def measure_retrieval(
    settings: Settings,
    folder: Path,
    *,
    language: str = "auto",
    modes: Sequence[str] = ("hybrid", "vector", "keyword"),
    reranking: str = "none",
    limit: int | None = None,
    cache: Path | None = None,
    on_event: Callable[[Event], None] = lambda event: None,
) -> dict[str, Any]:
    """Measure search on a question set in a home of its own; ``settings.home`` is not touched.

    Takes the fields of ``RetrievalPlan``, returns ``RetrievalReport.as_json()``.

    Raises:
        InvalidInput: the folder is no question set, or a value is wrong.
    """
    from services.evaluation.retrieval import RetrievalEvaluation, RetrievalPlan

    plan = RetrievalPlan.of(
        folder, language=language, modes=modes, reranking=reranking, limit=limit, cache=cache
    )
    evaluation = RetrievalEvaluation(settings, factories.open_embedder(settings), build_services)
    return evaluation.run(plan, on_event).as_json()


def measure_claims(file: Path) -> dict[str, Any]:
    """What the judge makes of claims beside quotes; see ``claims.measured``.

    Raises:
        InvalidInput: the file holds no pairs.
    """
    from services.evaluation.claims import load_pairs, measured

    return measured(load_pairs(file), factories.make_judge())


def compare_answers(first: Path, second: Path) -> dict[str, Any]:
    """Two results of measured answers, question by question; see ``answer_results.compared``."""
    from services.evaluation.answer_results import compared

    return compared(first, second)
