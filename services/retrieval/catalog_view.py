"""What a search needs of the catalog."""

from collections.abc import Sequence
from typing import Protocol

from services.types import Chunk, Scope, SearchFilter


class Chunks(Protocol):
    """What the retriever needs of ``catalog.chunks``."""

    def get(self, chunk_ids: Sequence[str], *, scope: Scope) -> dict[str, Chunk]: ...

    def of_section(self, document_id: str, label: str, *, scope: Scope) -> list[Chunk]: ...


class Collections(Protocol):
    """What the retriever needs of ``catalog.collections``."""

    def fingerprint(self, collection_id: str) -> str | None: ...


class Filters(Protocol):
    """What the retriever needs of ``catalog.filters``."""

    def chunk_ids(
        self, only: SearchFilter, *, scope: Scope, most: int | None = None
    ) -> list[str] | None: ...

    def among(self, chunk_ids: Sequence[str], only: SearchFilter, *, scope: Scope) -> set[str]: ...

    def dates(self, document_ids: Sequence[str], *, scope: Scope) -> dict[str, str]: ...


class ReadableCatalog(Protocol):
    @property
    def chunks(self) -> Chunks: ...

    @property
    def filters(self) -> Filters: ...

    @property
    def collections(self) -> Collections: ...
