"""The library page without a browser, on a real desk."""

import sqlite3
from pathlib import Path

from streamlit.testing.v1 import AppTest

from agent.engine.engine import Engine
from tests.support.pages import open_app, texts_of
from tests.support.waiting import until


def open_library(client: Engine, *, language: str = "de", **where: str) -> AppTest:
    """A new window on the library, at the place that the query parameters name."""
    return shown(open_app(client, page="library", language=language, **where))


def shown(at: AppTest) -> AppTest:
    """The window, unless its script failed."""
    assert not at.exception, at.exception
    return at


def until_done(at: AppTest, client: Engine) -> AppTest:
    """Waits until nothing is under way, and draws the page again."""
    until(lambda: not any(work.open for work in client.jobs()))
    return shown(at.run())


def press(at: AppTest, key: str) -> AppTest:
    at.button(key=key).click()
    return shown(at.run())


def keys(at: AppTest) -> set[str]:
    kinds = ("button", "form_submit_button", "file_uploader", "text_input", "radio", "selectbox")
    return {str(found.key) for kind in kinds for found in getattr(at, kind) if found.key}


def reads(at: AppTest) -> str:
    """Everything that stands on the page, labels of fields and of boxes that open included."""
    boxes = [box.label for box in at.expander]
    titled = [found.proto.title for kind in ("error", "warning") for found in at.get(kind)]
    captions = [text for found in at.radio for text in found.proto.captions]
    return "\n".join([texts_of(at), *boxes, *titled, *captions]).replace("\\", "")


def many_documents(catalog_file: Path, collection_id: str, count: int) -> None:
    """Puts documents into a collection that share the text of one that is there already."""
    numbers = "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < ?)"
    with sqlite3.connect(catalog_file) as connection:
        connection.execute(
            f"{numbers} INSERT INTO contents (content_id, size, text_id, created_at, stated) "
            "SELECT printf('%064d', i), size, text_id, created_at, stated FROM n, "
            "(SELECT * FROM contents LIMIT 1)",
            [count - 1],
        )
        connection.execute(
            f"{numbers} INSERT INTO memberships (collection_id, content_id, document, source, "
            "chunking, status, ingested_at, date, edited) SELECT ?, printf('%064d', i), "
            "printf('Akte %04d.txt', i), NULL, chunking, status, ingested_at, date, edited "
            "FROM n, (SELECT * FROM memberships LIMIT 1)",
            [count - 1, collection_id],
        )
        connection.execute("UPDATE collections SET content_version = content_version + 1")
