"""The components of the product: which implementation stands behind each interface, by settings.

Importing this module opens nothing: stores and models, and the packages behind them, are opened and
imported when they are first used.
"""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from copy import copy
from functools import partial
from typing import Any, Final, Generic, Self, TypeVar

from services.caches import Lazy
from services.catalog import Catalog
from services.cross_encoder import CrossEncoder, open_cross_encoder
from services.domain import Scope
from services.evidence.ranking import Judge
from services.graph.search import KnowledgeGraph
from services.home import open_catalog
from services.ingestion.indexing import Indexer
from services.language.query.heads import QuestionReader, reader_for
from services.library.caches import AnswerCache, SearchCache
from services.library.configuration import Configuration
from services.library.pages.renderer import PageRenderer
from services.library.plan_memory import PlanMemory
from services.library.relations import Relations, cache_relations
from services.models.base import ChatModel
from services.models.factory import NO_MODEL, ModelMaker, ModelSlot, make_model
from services.models.setup import ModelChoices
from services.retrieval.embedders import Embedder, make_embedder
from services.retrieval.embedders.base import EmbedQuery
from services.retrieval.embedding import Similarity, embed_questions
from services.retrieval.indexes import LexicalIndex, VectorIndex
from services.retrieval.named import named_sections
from services.retrieval.rerank import Rerankers, make_rerankers
from services.retrieval.retriever import Retriever
from services.retrieval.scan.scanner import Scanner
from services.retrieval.stores import open_lexical, open_vectors
from services.settings import Settings
from services.telemetry import Telemetry

T = TypeVar("T")
PAGE_TIMEOUT_S: Final = 15.0
FORGOTTEN: Final = (
    "retriever", "similarity", "judge", "searches", "scanner", "answers", "graph", "plan_memory",
)  # fmt: skip
"""What ``Components.close`` forgets because it rests on a closed store."""
CLOSED: Final = ("catalog", "vectors", "lexical", "pages", "telemetry")
"""What ``Components.close`` closes and forgets."""


class Component(Generic[T]):
    """A property of ``Components`` that is made once, when it is first read."""

    def __init__(self, make: "Callable[[Any], T]") -> None:
        self.make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, components: "Components", owner: type) -> T:
        component: T = components._made[self._name].get()
        return component


class Components:
    """What the agent, the library and the front ends rest on; one object a process.

    Only the process that holds the ``OwnerLock`` of the home may use ``vectors``, ``lexical`` and
    what is built on them. ``chat_model`` makes the language model, and ``overrides`` make other
    components by name, instead of the usual ones.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        chat_model: ModelMaker | None = None,
        **overrides: Callable[[], Any],
    ) -> None:
        declared = vars(Components).items()
        usual = {name: member for name, member in declared if isinstance(member, Component)}
        if unknown := overrides.keys() - usual.keys():
            raise TypeError(f"there are no components {sorted(unknown)}")
        self.settings = settings
        self._model_given = chat_model is not None
        self.model = ModelSlot(chat_model or self._find_model)
        self._made: dict[str, Lazy[Any]] = {
            name: Lazy(overrides.get(name) or partial(component.make, self))
            for name, component in usual.items()
        }

    def replaced(
        self,
        settings: Settings | None = None,
        *,
        chat_model: ModelMaker | None = None,
        **overrides: Callable[[], Any],
    ) -> Self:
        """Return components that share with these everything that is not overridden."""
        other = copy(self)
        other.settings = settings or self.settings
        other._made = self._made | {name: Lazy(make) for name, make in overrides.items()}
        if chat_model is not None:
            other._model_given, other.model = True, ModelSlot(chat_model)
        return other

    @Component
    def catalog(self) -> Catalog:
        return open_catalog(self.settings)

    @Component
    def embedder(self) -> Embedder:
        return make_embedder(self.settings)

    @Component
    def embed_query(self) -> EmbedQuery:
        return embed_questions(self.embedder)

    @Component
    def vectors(self) -> VectorIndex:
        return open_vectors(self.settings)

    @Component
    def lexical(self) -> LexicalIndex:
        return open_lexical(self.settings)

    @Component
    def retriever(self) -> Retriever:
        return Retriever(
            self.catalog,
            self.embedder,
            self.vectors,
            self.lexical,
            resolve_labels=partial(named_sections, catalog=self.catalog),
            embed_query=self.embed_query,
        )

    @Component
    def similarity(self) -> Similarity:
        return Similarity(self.embedder, self.catalog, embed_query=self.embed_query)

    @Component
    def searches(self) -> SearchCache:
        return SearchCache()

    @Component
    def relations(self) -> Callable[[Scope], Relations]:
        """Makes the relations of a scope once for all who ask about its documents."""
        return cache_relations(self.catalog)

    @Component
    def rerankers(self) -> Rerankers:
        return make_rerankers(self.settings, self.chat_model, lambda: self.encoder)

    @Component
    def pages(self) -> PageRenderer:
        return PageRenderer(
            self.settings.home / "originals",
            timeout_s=min(PAGE_TIMEOUT_S, self.settings.parse_timeout_s),
            memory_mb=self.settings.parse_memory_mb,
        )

    @Component
    def scanner(self) -> Scanner:
        """Counts words in whole texts; needs the catalog alone."""
        return Scanner(self.catalog)

    @Component
    def answers(self) -> AnswerCache:
        """Answers of this process, used where the parameter ``answerCache`` is on."""
        return AnswerCache()

    @Component
    def plan_memory(self) -> PlanMemory:
        """Earlier plans; needs the catalog and the embedder alone."""
        return PlanMemory(self.catalog, self.embedder, self.embed_query)

    @Component
    def judge(self) -> Judge:
        return Judge(self.encoder, self.similarity.log_odds)

    @Component
    def encoder(self) -> CrossEncoder:
        return open_cross_encoder()

    @Component
    def graph(self) -> KnowledgeGraph:
        """Searches the knowledge graph; needs the catalog alone."""
        return KnowledgeGraph(self.catalog, self.catalog.graph)

    @Component
    def reader(self) -> QuestionReader | None:
        """Classifies questions; None if the heads were trained on another embedding."""
        return reader_for(self.embedder.fingerprint, self.embed_query)

    @Component
    def telemetry(self) -> Telemetry | None:
        """Exports ended runs as spans; None unless the settings name a destination."""
        destination = self.settings.telemetry
        return Telemetry(destination, text=self.settings.telemetry_text) if destination else None

    @property
    def indexer(self) -> Indexer:
        """Fills the indexes from the catalog; for the owner of the stores."""
        return Indexer(self.catalog, self.embedder, self.vectors, self.lexical)

    @property
    def configuration(self) -> Configuration:
        """Parameters of retrieval and synthesis in three tiers; needs the catalog alone."""
        settings = self.settings
        return Configuration(self.catalog.parameters, settings.admins, settings.k)

    @property
    def choices(self) -> ModelChoices:
        """The choice of the language model; needs the catalog alone."""
        return ModelChoices(self.settings, self.catalog.parameters)

    @property
    def may_have_model(self) -> bool:
        """Whether a model may be made: one is given, or none is not the choice."""
        return self._model_given or self.choices.settings().llm != NO_MODEL

    async def _find_model(self) -> ChatModel | None:
        return await make_model(await asyncio.to_thread(self.choices.settings))

    async def chat_model(self) -> ChatModel | None:
        """Return the chosen language model, None for ``none``; raise NoModel if none can be used.

        It belongs to the event loop that first asks for it.
        """
        return await self.model.get()

    def warm_up(self) -> None:
        """Load what a first question would wait for: indexes, heads, the judge's network."""
        self.vectors.count("no such collection")
        word = "word"
        if self.reader is not None:
            self.reader.frame(word)
        self.encoder.read(word, [[word]])

    def close(self) -> None:
        """Close the stores that were opened. They open again when they are used again."""
        for name in FORGOTTEN:
            self._made[name].take()
        with ExitStack() as closing:
            for name in CLOSED:
                if (opened := self._made[name].take()) is not None:
                    closing.callback(opened.close)

    async def aclose(self) -> None:
        """Close the language model, on its event loop, and then the stores."""
        try:
            await self.model.stop_warming()
            if (model := await self.model.take()) is not None:
                await model.close()
        finally:
            self.close()
