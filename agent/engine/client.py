"""What front ends use: submit commands, answer questions, follow events.

The first process becomes the owner of the stores and runs the runner; others put their commands
into the catalog and the owner carries them out. Both look the same from here. When an owner goes
away while a command waits, this process takes over.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from agent.engine.ask import AskClient
from agent.engine.connection import Connection
from agent.engine.graph import GraphClient
from agent.engine.history import HistoryClient
from agent.engine.jobs import Ingest, NameModel, Search
from agent.engine.library import LibraryClient
from agent.engine.settings import SettingsClient
from services.build import Services, build_services
from services.domain import (
    Chunking,
    Hit,
    IngestReport,
    Principal,
    SearchFilter,
    SearchMode,
    SearchRequest,
    SearchResult,
)
from services.domain.events import Event
from services.ownership import OwnerLock
from services.settings import Settings

EVERYWHERE = SearchFilter()


class Client(
    LibraryClient,
    GraphClient,
    HistoryClient,
    SettingsClient,
    AskClient,
):
    """A principal's view of one home; safe to share among threads. Use ``connect``."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Pauses what runs here and gives the stores up."""
        self._connection.close()

    @property
    def owner(self) -> bool:
        """Whether this process owns the stores; decided by the first command."""
        return self._connection.runner is not None

    def acting_as(self, principal: Principal) -> "Client":
        """The same connection for another person."""
        return Client(self._connection, principal)

    def model_name(self) -> str:
        """The language model in use, or ``none``."""
        return str(self._do(NameModel())["model"])

    def ingest(
        self,
        paths: Sequence[Path],
        collection: str,
        *,
        language: str = "auto",
        chunking: Chunking | None = None,
        prune: bool = False,
        on_event: Callable[[Event], None] | None = None,
    ) -> IngestReport:
        """Takes files and folders into a collection, creating it when missing.

        With ``prune``, documents whose files are gone from these folders are taken out.
        """
        command = Ingest(
            paths=tuple(str(Path(path).resolve()) for path in paths),
            collection=collection,
            language=language,
            chunking=chunking or Chunking(),
            prune=prune,
        )
        return IngestReport.model_validate(self._do(command, on_event=on_event))

    def search(
        self,
        query: str,
        *,
        collections: Sequence[str] | None = None,
        k: int = 10,
        mode: SearchMode = "hybrid",
        only: SearchFilter = EVERYWHERE,
    ) -> list[Hit]:
        names = tuple(collections) if collections else None
        request = SearchRequest(query=query, collections=names, k=k, mode=mode, only=only)
        return list(self.find(request).hits)

    def find(self, request: SearchRequest) -> SearchResult:
        """What a search finds, with the parameters of its profile, and where it came from."""
        command = Search.model_validate(request.model_dump())
        return SearchResult.model_validate(self._do(command))


def connect(settings: Settings, principal: Principal | None = None) -> Client:
    """Opens a home, as its owner if nobody else is."""
    settings.home.mkdir(parents=True, exist_ok=True)
    return connect_to(build_services(settings), principal or Principal())


def connect_to(services: Services, principal: Principal) -> Client:
    """``connect`` for services that were built elsewhere."""
    return Client(Connection(services, OwnerLock(services.settings.home)), principal)
