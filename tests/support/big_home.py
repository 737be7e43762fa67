"""A home with many threads and documents, of which only a few were really made."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path

from agent.engine.engine import Engine, connect
from services.settings import Settings
from tests.support.desk import ask, until_waiting
from tests.support.law_pdf import law_pdf, law_sentences
from tests.support.library_window import many_documents
from tests.support.research import WITH_PLAN, researched

QUESTION = "Wie lange sind Prüfergebnisse aufzubewahren, und wem sind sie vorzulegen?"
SENTENCES = 120


@dataclass(frozen=True)
class BigHome:
    """Ids of what a page can be opened on; the threads are done, asking, planned, and answered."""

    collection: str
    document: str
    done: str
    asked: str
    planned: str
    answered: str


def make_big_home(home: Path, *, threads: int, documents: int) -> BigHome:
    """Takes in one law as PDF and researches it; the rest are copies in the catalog."""
    law = home.parent / "PruefG.pdf"
    law.write_bytes(law_pdf(law_sentences(SENTENCES)))
    with connect(Settings(home=home, llm="none")) as client:
        shelf = client.library.create_collection("laws")
        client.library.ingest([law], shelf.collection_id)
        made = BigHome(
            collection=shelf.collection_id,
            document=client.library.documents(shelf.collection_id)[0].document_id,
            done=researched(client, QUESTION),
            asked=client.threads.start(QUESTION),
            planned=client.threads.start(QUESTION, options=WITH_PLAN),
            answered=_answered(client),
        )
        for thread in (made.asked, made.planned):
            until_waiting(client, thread)
    _copy_run(home / "catalog.sqlite3", made.done, threads - 4)
    many_documents(home / "catalog.sqlite3", made.collection, documents)
    return made


def _answered(client: Engine) -> str:
    """Two turns, so that there is always a mark whose proof is not open yet."""
    thread = str(ask(client, QUESTION)["thread_id"])
    ask(client, QUESTION, thread_id=thread)
    return thread


def _copy_run(catalog: Path, thread: str, count: int) -> None:
    with sqlite3.connect(catalog) as connection:
        for table in ("runs", "events"):
            rows = connection.execute(f"PRAGMA table_info({table})").fetchall()
            names = [row[1] for row in rows if row[1] not in ("seq", "thread_id")]
            columns = ", ".join(names)
            copy = (
                f"INSERT INTO {table} (thread_id, {columns}) "
                f"SELECT ?, {columns} FROM {table} WHERE thread_id = ?"
            )
            connection.executemany(copy, [(f"copy{n}", thread) for n in range(count)])
