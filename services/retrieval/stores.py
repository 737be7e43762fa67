"""Opens the indexes that settings name."""

from services.catalog.connection import in_postgresql
from services.domain.errors import InvalidInput
from services.retrieval.indexes import LexicalIndex, VectorIndex
from services.settings import Settings


def open_vectors(settings: Settings) -> VectorIndex:
    if settings.vectors == "postgres":
        from services.retrieval.postgres import PostgresVectors

        return PostgresVectors(_server(settings, "RABBITHOLE_VECTORS"))
    from services.retrieval.vector import ChromaIndex

    return ChromaIndex(settings.home / "vectors")


def open_lexical(settings: Settings) -> LexicalIndex:
    if settings.lexical == "postgres":
        from services.retrieval.postgres_words import PostgresWords

        return PostgresWords(_server(settings, "RABBITHOLE_LEXICAL"))
    from services.retrieval.lexical import TantivyIndex

    return TantivyIndex(settings.home / "keywords")


def _server(settings: Settings, name: str) -> str:
    if not in_postgresql(settings.catalog_url):
        raise InvalidInput(
            "{name}=postgres needs the catalog in PostgreSQL too, but it is in a file. Set "
            "RABBITHOLE_DATABASE=postgresql+psycopg://USER:PASSWORD@HOST/NAME, or unset {name}.",
            name=name,
        )
    return settings.catalog_url
