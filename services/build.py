"""The composition root: which implementation stands behind each interface, built from settings.

Importing this module and calling ``build_services`` is light. Stores and models are opened
when they are first used, and so are the packages behind them.
"""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import ExitStack
from copy import copy
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from services import factories
from services.domain.events import Event
from services.lazy import AsyncLazy, Lazy
from services.library.library import Library
from services.settings import Settings

if TYPE_CHECKING:
    from services.catalog import Catalog
    from services.cross_encoder import CrossEncoder
    from services.evidence.judge import Judge
    from services.graph.search import KnowledgeGraph
    from services.language.query.heads import QuestionReader
    from services.library.answer_cache import AnswerCache
    from services.library.feedback import Feedback
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

T = TypeVar("T")
PAGE_TIMEOUT_S: Final = 15.0
FORGOTTEN: Final = ("retriever", "searches", "scanner", "answers", "graph")
CLOSED: Final = ("catalog", "vectors", "lexical", "pages")
"""What ``Services.close`` forgets, and what it closes as well."""


class Part(Generic[T]):
    """A property of ``Services`` that is made when it is first asked for, once."""

    def __init__(self, make: "Callable[[Services], T]") -> None:
        self.make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: "type[Services]", name: str) -> None:
        self._name = name

    def __get__(self, services: "Services", owner: "type[Services]") -> T:
        made: T = services._parts[self._name].get()
        return made


class Services:
    """Everything that the agent and the front ends call; one object a process.

    Only the process that holds the ``OwnerLock`` of the home may use ``vectors``, ``lexical``
    and what is built on them (``retriever``, searching and ingesting in ``library``).

    Args:
        settings: where and with what.
        chat_model: finds the language model, instead of the settings.
        given: makers of other parts, by name, instead of the usual ones.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        chat_model: "Callable[[], Awaitable[ChatModel | None]] | None" = None,
        **given: Callable[[], Any],
    ) -> None:
        if unknown := given.keys() - vars(Services).keys():
            raise TypeError(f"services have no parts {sorted(unknown)}")
        self.settings = settings
        self._chat_model = AsyncLazy(chat_model or partial(factories.open_chat_model, settings))
        self._parts: dict[str, Lazy[Any]] = {
            name: Lazy(given.get(name) or partial(part.make, self))
            for name, part in vars(Services).items()
            if isinstance(part, Part)
        }

    def replaced(
        self,
        settings: Settings | None = None,
        *,
        chat_model: "Callable[[], Awaitable[ChatModel | None]] | None" = None,
        **given: Callable[[], Any],
    ) -> "Services":
        """Services that share with these all that is not given, and what was made of it."""
        other = copy(self)
        other.settings = settings or self.settings
        other._parts = self._parts | {name: Lazy(make) for name, make in given.items()}
        if chat_model is not None:
            other._chat_model = AsyncLazy(chat_model)
        return other

    @Part
    def catalog(self) -> "Catalog":
        from services.catalog import Catalog

        return Catalog.open(self.settings.catalog_url)

    @Part
    def embedder(self) -> "Embedder":
        return factories.open_embedder(self.settings)

    @Part
    def embed_query(self) -> "EmbedQuery":
        """Embeds a question once for all that compare something with it."""
        from services.retrieval.embedders.base import remembering

        return remembering(self.embedder)

    @Part
    def vectors(self) -> "VectorIndex":
        from services.retrieval.vector import VectorIndex

        return VectorIndex(self.settings.home / "vectors")

    @Part
    def lexical(self) -> "LexicalIndex":
        from services.retrieval.lexical import LexicalIndex

        return LexicalIndex(self.settings.home / "keywords")

    @Part
    def retriever(self) -> "Retriever":
        from services.retrieval.named import named_sections
        from services.retrieval.retriever import Retriever

        return Retriever(
            self.catalog,
            self.embedder,
            self.vectors,
            self.lexical,
            resolve_labels=partial(named_sections, catalog=self.catalog),
            embed_query=self.embed_query,
        )

    @Part
    def similarity(self) -> "Similarity":
        from services.retrieval.similarity import Similarity

        return Similarity(self.embedder, self.catalog, embed_query=self.embed_query)

    @Part
    def searches(self) -> "SearchCache":
        from services.retrieval.cache import SearchCache

        return SearchCache()

    @Part
    def rerankers(self) -> "Rerankers":
        from services.retrieval.rerank import make_rerankers

        return make_rerankers(
            self.settings, lambda: self.similarity, self.chat_model, lambda: self.encoder
        )

    @Part
    def pages(self) -> "PageRenderer":
        from services.library.pages.renderer import PageRenderer

        return PageRenderer(
            self.settings.home / "originals",
            timeout_s=min(PAGE_TIMEOUT_S, self.settings.parse_timeout_s),
            memory_mb=self.settings.parse_memory_mb,
        )

    @Part
    def scanner(self) -> "Scanner":
        """Counts words in whole texts; needs the catalog alone."""
        from services.retrieval.scan.scanner import Scanner

        return Scanner(self.catalog)

    @Part
    def answers(self) -> "AnswerCache":
        """Answers of this process, used where the parameter ``answerCache`` is on."""
        from services.library.answer_cache import AnswerCache

        return AnswerCache()

    @Part
    def judge(self) -> "Judge":
        """Judges what answers a question and what a quote supports."""
        return factories.make_judge(self.similarity.log_odds, self.encoder)

    @Part
    def encoder(self) -> "CrossEncoder":
        """The trained network behind the judge."""
        return factories.open_cross_encoder()

    @Part
    def graph(self) -> "KnowledgeGraph":
        """Searches the knowledge graph; needs the catalog alone."""
        from services.graph.search import KnowledgeGraph

        return KnowledgeGraph(self.catalog, self.catalog.graph)

    @Part
    def reader(self) -> "QuestionReader | None":
        """Tells what a question wants; None where the embedding in use is not the heads' own."""
        from services.language.query.heads import reader_for

        return reader_for(self.embedder.fingerprint, self.embed_query)

    @property
    def feedback(self) -> "Feedback":
        """Votes on answers and the thresholds they move; needs the catalog alone."""
        from services.library.feedback import Feedback

        return Feedback(self.catalog, self.settings.admins)

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
        for name in FORGOTTEN:
            self._parts[name].take()
        with ExitStack() as closing:
            for name in CLOSED:
                if (opened := self._parts[name].take()) is not None:
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
    return Services(settings) if embedder is None else Services(settings, embedder=lambda: embedder)


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
    from services.evaluation.retrieval import RetrievalPlan, evaluate_retrieval

    plan = RetrievalPlan.of(
        folder, language=language, modes=modes, reranking=reranking, limit=limit, cache=cache
    )
    embedder = factories.open_embedder(settings)
    return evaluate_retrieval(plan, settings, embedder, build_services, on_event).as_json()


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
