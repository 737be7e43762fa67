"""What the pages need of the agent: its client fulfils this, and so does the tests' fake."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from agent.models import RunOptions
from services.events import Event, EventRecord, PlanItem, Waiting
from services.types import (
    CollectionInfo,
    DocumentInfo,
    IngestReport,
    OpenDocument,
    PageImage,
    SearchRequest,
    SearchResult,
)

ACTIVE = ("queued", "running")
ENDED = ("done", "cancelled", "failed")


class Run(Protocol):
    """A research run as the pages read it; times are ISO 8601 in UTC."""

    @property
    def thread_id(self) -> str: ...
    @property
    def question(self) -> str: ...
    @property
    def collections(self) -> tuple[str, ...]: ...
    @property
    def status(self) -> str: ...
    @property
    def phase(self) -> str | None: ...
    @property
    def pending(self) -> Waiting | None: ...
    @property
    def error(self) -> str | None: ...
    @property
    def created_at(self) -> str: ...
    @property
    def updated_at(self) -> str: ...


class ResearchClient(Protocol):
    """Commands and reads; every method may raise a ``RabbitholeError``."""

    @property
    def owner(self) -> bool: ...
    def collections(self) -> list[CollectionInfo]: ...
    def documents(self, collection: str | None = None) -> list[DocumentInfo]: ...
    def run(self, thread_id: str) -> Run: ...
    def runs(self) -> Sequence[Run]: ...
    def report(self, thread_id: str) -> dict[str, Any] | None: ...
    def events(self, thread_id: str, after: int = 0) -> list[EventRecord]: ...
    def model_name(self) -> str: ...
    def open_document(
        self, document: str, *, parser_version: str | None = None
    ) -> OpenDocument: ...
    def page_image(
        self,
        document_id: str,
        page: int,
        *,
        span: tuple[int, int] | None = None,
        excerpt: bool = False,
        parser_version: str | None = None,
    ) -> PageImage: ...
    def ingest(
        self,
        paths: Sequence[Path],
        collection: str,
        *,
        language: str = "auto",
        on_event: Callable[[Event], None] | None = None,
    ) -> IngestReport: ...
    def find(self, request: SearchRequest) -> SearchResult: ...
    def start(
        self,
        question: str,
        *,
        collections: Sequence[str] | None = None,
        options: RunOptions | None = None,
        thread_id: str | None = None,
    ) -> str: ...
    def answer(self, thread_id: str, interrupt_id: str, text: str) -> None: ...
    def approve(
        self, thread_id: str, interrupt_id: str, items: Sequence[PlanItem] | None = None
    ) -> None: ...
    def resume(self, thread_id: str) -> None: ...
    def pause(self, thread_id: str) -> None: ...
    def cancel(self, thread_id: str) -> None: ...
