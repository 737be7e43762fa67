"""The parts of the product: which implementation stands behind each interface, by settings.

Importing this module opens nothing. Stores and models are opened when they are first used, and
so are the packages behind them.
"""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from copy import copy
from functools import partial
from typing import Any, Final, Generic, Self, TypeVar

from services.catalog import Catalog
from services.cross_encoder import CrossEncoder, open_cross_encoder
from services.evidence.judge import Judge
from services.graph.search import KnowledgeGraph
from services.home import open_catalog
from services.language.query.heads import QuestionReader, reader_for
from services.lazy import Lazy
from services.library.answer_cache import AnswerCache
from services.library.configuration import Configuration
from services.library.pages.renderer import PageRenderer
from services.library.plan_memory import PlanMemory
from services.models.base import ChatModel
from services.models.factory import ModelMaker, ModelSlot, make_model
from services.models.setup import Choices
from services.retrieval.cache import SearchCache
from services.retrieval.embedders import Embedder, make_embedder
from services.retrieval.embedders.base import EmbedQuery, remembering
from services.retrieval.embedding import Similarity
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
CLOSED: Final = ("catalog", "vectors", "lexical", "pages", "telemetry")
"""What ``Parts.close`` forgets, and what it closes as well."""


class Part(Generic[T]):
    """A property of ``Parts`` that is made when it is first asked for, once."""

    def __init__(self, make: "Callable[[Any], T]") -> None:
        self.make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, parts: "Parts", owner: type) -> T:
        made: T = parts._made[self._name].get()
        return made


class Parts:
    """What the agent, the library and the front ends rest on; one object a process.

    Only the process that holds the ``OwnerLock`` of the home may use ``vectors``, ``lexical``
    and what is built on them (``retriever``, searching and ingesting in the library).

    Args:
        settings: where and with what.
        chat_model: finds the language model, instead of the settings.
        given: makers of other parts, by name, instead of the usual ones.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        chat_model: ModelMaker | None = None,
        **given: Callable[[], Any],
    ) -> None:
        usual = {name: each for name, each in vars(Parts).items() if isinstance(each, Part)}
        if unknown := given.keys() - usual.keys():
            raise TypeError(f"there are no parts {sorted(unknown)}")
        self.settings = settings
        self.model = ModelSlot(chat_model or self._find_model)
        self._made: dict[str, Lazy[Any]] = {
            name: Lazy(given.get(name) or partial(part.make, self)) for name, part in usual.items()
        }

    def replaced(
        self,
        settings: Settings | None = None,
        *,
        chat_model: ModelMaker | None = None,
        **given: Callable[[], Any],
    ) -> Self:
        """Parts that share with these all that is not given, and what was made of it."""
        other = copy(self)
        other.settings = settings or self.settings
        other._made = self._made | {name: Lazy(make) for name, make in given.items()}
        if chat_model is not None:
            other.model = ModelSlot(chat_model)
        return other

    @Part
    def catalog(self) -> Catalog:
        return open_catalog(self.settings)

    @Part
    def embedder(self) -> Embedder:
        return make_embedder(self.settings)

    @Part
    def embed_query(self) -> EmbedQuery:
        """Embeds a question once for all that compare something with it."""
        return remembering(self.embedder)

    @Part
    def vectors(self) -> VectorIndex:
        return open_vectors(self.settings)

    @Part
    def lexical(self) -> LexicalIndex:
        return open_lexical(self.settings)

    @Part
    def retriever(self) -> Retriever:
        return Retriever(
            self.catalog,
            self.embedder,
            self.vectors,
            self.lexical,
            resolve_labels=partial(named_sections, catalog=self.catalog),
            embed_query=self.embed_query,
        )

    @Part
    def similarity(self) -> Similarity:
        return Similarity(self.embedder, self.catalog, embed_query=self.embed_query)

    @Part
    def searches(self) -> SearchCache:
        return SearchCache()

    @Part
    def rerankers(self) -> Rerankers:
        return make_rerankers(self.settings, self.chat_model, lambda: self.encoder)

    @Part
    def pages(self) -> PageRenderer:
        return PageRenderer(
            self.settings.home / "originals",
            timeout_s=min(PAGE_TIMEOUT_S, self.settings.parse_timeout_s),
            memory_mb=self.settings.parse_memory_mb,
        )

    @Part
    def scanner(self) -> Scanner:
        """Counts words in whole texts; needs the catalog alone."""
        return Scanner(self.catalog)

    @Part
    def answers(self) -> AnswerCache:
        """Answers of this process, used where the parameter ``answerCache`` is on."""
        return AnswerCache()

    @Part
    def plan_memory(self) -> PlanMemory:
        """Plans of before; needs catalog and embedder alone."""
        return PlanMemory(self.catalog, self.embedder, self.embed_query)

    @Part
    def judge(self) -> Judge:
        """Judges which sentences answer a question."""
        return Judge(self.encoder, self.similarity.log_odds)

    @Part
    def encoder(self) -> CrossEncoder:
        """The trained network behind the judge."""
        return open_cross_encoder()

    @Part
    def graph(self) -> KnowledgeGraph:
        """Searches the knowledge graph; needs the catalog alone."""
        return KnowledgeGraph(self.catalog, self.catalog.graph)

    @Part
    def reader(self) -> QuestionReader | None:
        """Tells what a question wants; None where the embedding in use is not the heads' own."""
        return reader_for(self.embedder.fingerprint, self.embed_query)

    @Part
    def telemetry(self) -> Telemetry | None:
        """Where ended runs are told as spans; None unless the settings name a place."""
        place = self.settings.telemetry
        return Telemetry(place, text=self.settings.telemetry_text) if place else None

    @property
    def configuration(self) -> Configuration:
        """Parameters of retrieval and synthesis in three tiers; needs the catalog alone."""
        settings = self.settings
        return Configuration(self.catalog.parameters, settings.admins, settings.k)

    @property
    def choices(self) -> Choices:
        """Which language model is chosen; needs the catalog alone."""
        return Choices(self.settings, self.catalog.parameters)

    async def _find_model(self) -> ChatModel | None:
        return await make_model(await asyncio.to_thread(self.choices.settings))

    async def chat_model(self) -> ChatModel | None:
        """The language model that the environment names or a person chose, None for ``none``.

        It belongs to the event loop that first asks for it.

        Raises:
            NoModel: none is configured and none can be reached.
        """
        return await self.model.get()

    def warm_up(self) -> None:
        """Loads what a first question would wait for: indexes, heads, the judge's network."""
        self.vectors.count("none is called so")
        word = "word"
        if self.reader is not None:
            self.reader.frame(word)
        self.encoder.read(word, [[word]])

    def close(self) -> None:
        """Close the stores that were opened. They open again if they are used again."""
        for name in FORGOTTEN:
            self._made[name].take()
        with ExitStack() as closing:
            for name in CLOSED:
                if (opened := self._made[name].take()) is not None:
                    closing.callback(opened.close)

    async def aclose(self) -> None:
        """Close the language model, on its event loop, and then the stores."""
        try:
            await self.model.cool()
            if (model := await self.model.take()) is not None:
                await model.close()
        finally:
            self.close()
