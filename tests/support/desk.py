"""A whole desk on small means: real catalog, graph and runner; fake embedder, indexes, model."""

import atexit
import inspect
import shutil
import sqlite3
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import closing
from copy import deepcopy
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from agent.engine.engine import Engine, connect_to
from agent.reading_test.tester import keep_result
from services.build import Services
from services.catalog import Catalog
from services.domain import Principal
from services.domain.events import Waiting
from services.domain.model_checks import ReadingTestResult
from services.home import open_catalog
from services.language.query.heads import QuestionReader
from services.models.base import ChatModel
from services.retrieval.embedders import BundledEmbedder, Embedder
from services.retrieval.embedders.base import cache_queries
from services.retrieval.indexes import LexicalIndex, VectorIndex
from services.settings import Settings
from tests.support.fake_cross_encoder import FakeCrossEncoder
from tests.support.fakes_retrieval import DictVectorIndex, HashEmbedder, WordIndex

LAW = """Gesetz über den Schutz vor Lärm (LärmG)

§ 1 Zweck

(1) Dieses Gesetz schützt Beschäftigte vor Lärm am Arbeitsplatz. Grenzwerte bestimmt § 2.

§ 2 Grenzwerte für Beschäftigte

(1) Für Beschäftigte beträgt der Grenzwert des Lärms 85 Dezibel im Tagesmittel.

(2) Für Beschäftigte unter 18 Jahren beträgt der Grenzwert des Lärms 70 Dezibel im Tagesmittel. \
Die Behörde kann für Auszubildende einen Grenzwert von 80 Dezibel zulassen, wenn die Ausbildung \
dies nach § 3 erfordert.

§ 3 Ausbildung

(1) Die Ausbildung erfordert eine Ausnahme vom Grenzwert nur, wenn Gehörschutz getragen wird und \
die Behörde dies prüft.

§ 4 Messung

(1) Der Lärm ist jährlich durch eine anerkannte Stelle zu messen.
"""
QUESTION = (
    "Welcher Grenzwert gilt für Beschäftigte unter 18 Jahren, "
    "und welche Ausnahmen kann die Behörde zulassen?"
)


READER = QuestionReader(cache_queries(BundledEmbedder()))
"""The heads read questions by their own embedding, whatever the desk searches with."""

MakeModel = Callable[[], Awaitable[ChatModel | None]]


def make_services(
    home: Path,
    model: ChatModel | MakeModel | None = None,
    *,
    reads: bool | None = True,
    vectors: Callable[[], VectorIndex] = DictVectorIndex,
    lexical: Callable[[], LexicalIndex] = WordIndex,
    settings: Settings | None = None,
    embedder: Callable[[], Embedder] = HashEmbedder,
) -> Services:
    """Services in ``home`` without engines: words make vectors, dictionaries make indexes.

    A function instead of a model is called on the runner's loop, as real models need it. A model
    counts as examined: it ``reads`` or not, unless that is None.
    """
    home.mkdir(parents=True, exist_ok=True)
    settings = settings or Settings(home=home, llm="none")

    def tested_catalog() -> Catalog:
        opened = open_catalog(settings)
        if reads is not None and model is not None and not inspect.isfunction(model):
            keep_result(opened, ReadingTestResult(model=model.name, passed=reads))
        return opened

    async def chat_model() -> ChatModel | None:
        return await model() if inspect.isfunction(model) else model

    return Services(
        settings,
        chat_model=None if model is None else chat_model,
        catalog=tested_catalog,
        embedder=embedder,
        vectors=vectors,
        lexical=lexical,
        reader=lambda: READER,
        encoder=FakeCrossEncoder,
    )


def open_desk(
    home: Path,
    model: ChatModel | MakeModel | None = None,
    user: str = "local",
    *,
    reads: bool | None = True,
) -> Engine:
    """A client that owns ``home``, with one small law in the collection ``laerm``."""
    law = home / "LaermG.txt"
    indexes: dict[str, Any] = {}
    new = not (home / "catalog.sqlite3").exists()
    if new:
        template = _template(user)
        shutil.copytree(template.home, home, dirs_exist_ok=True)
        with closing(sqlite3.connect(home / "catalog.sqlite3")) as catalog, catalog:
            catalog.execute("UPDATE memberships SET source = ?", [str(law.resolve())])
        indexes = {"vectors": template.vectors, "lexical": template.lexical}
    services = make_services(home, model, reads=reads, **indexes)
    client = connect_to(services, Principal(user=user))
    law.write_text(LAW, encoding="utf-8")
    if new:
        client.settings.search_cache()  # any job makes it the owner
    else:
        client.library.ingest([law], "laerm")
    return client


@dataclass(frozen=True)
class _Template:
    home: Path
    vectors: Callable[[], DictVectorIndex]
    lexical: Callable[[], WordIndex]


@cache
def _template(user: str) -> _Template:
    """Made once a process: copying it takes a twentieth of the time of an ingestion."""
    home = Path(tempfile.mkdtemp(prefix="desk-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    law = home / "LaermG.txt"
    law.write_text(LAW, encoding="utf-8")
    services = make_services(home)
    with connect_to(services, Principal(user=user)) as client:
        client.library.ingest([law], "laerm")
        vectors, lexical = services.vectors, services.lexical
    (home / "owner.lock").unlink(missing_ok=True)
    return _Template(home, partial(_copied, vectors), partial(_copied, lexical))


def _copied(index: Any) -> Any:
    copy = type(index)()
    vars(copy).update({k: deepcopy(v) for k, v in vars(index).items() if k != "_lock"})
    return copy


def until_waiting(client: Engine, thread_id: str) -> Waiting:
    """Follows a run until it asks; what it asks."""
    for _ in client.threads.follow(thread_id):
        pass
    run = client.threads.run(thread_id)
    assert run.pending is not None, (run.status, run.error)
    return run.pending


def ask(engine: Engine, question: str, **choices: Any) -> dict[str, Any]:
    """Asks and waits; the turn as ``ask --json`` prints it."""
    asked = engine.answers.ask(question, **choices)
    ended = until_ended(engine, asked.thread_id, asked.after)
    assert ended == "done", engine.threads.run(asked.thread_id)
    return engine.answers.turns(asked.thread_id)[asked.turn - 1]


def until_report(client: Engine, thread_id: str, reply: str) -> str:
    """Follows a run to its end, answers what it asks and approves its plan; its status."""
    while (status := until_ended(client, thread_id)) == "waiting":
        pending = until_waiting(client, thread_id)
        if pending.interrupt == "plan":
            client.threads.approve(thread_id, pending.interrupt_id)
        else:
            client.threads.answer(thread_id, pending.interrupt_id, reply)
    return status


def until_ended(client: Engine, thread_id: str, after: int = 0) -> str:
    """Follows a run to its end; its status."""
    for _ in client.threads.follow(thread_id, after):
        pass
    return client.threads.run(thread_id).status
