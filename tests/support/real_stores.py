"""The real indexes under a folder, as keyword arguments of ``Bench``."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from services.retrieval.lexical import TantivyIndex
from services.retrieval.vector import ChromaIndex


@contextmanager
def open_stores(home: Path) -> Iterator[dict[str, Any]]:
    """Chroma and tantivy, closed at the end."""
    vectors, lexical = ChromaIndex(home / "vectors"), TantivyIndex(home / "keywords")
    with closing(vectors), closing(lexical):
        yield {"vectors": vectors, "lexical": lexical}
