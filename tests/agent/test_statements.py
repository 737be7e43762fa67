"""How often a question asks the catalog: what it reads of many sections, it reads at once."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event

from agent.engine.engine import Engine, connect_to
from services.domain import Principal
from services.models.base import ChatRequest
from services.settings import Settings
from tests.support.desk import ask, make_services
from tests.support.scripted_model import ScriptedModel
from tests.support.scripted_reader import reply

LAWS = Settings().samples / "strahlenschutz"
QUESTIONS = (
    "Was regelt die Verordnung?",
    "Wer darf Solarien betreiben?",
    "Welche Pflichten hat der Betreiber eines UV-Bestrahlungsgerätes?",
    "Welche Fortbildung brauchen Fachpersonen?",
)
OF_THREADS = re.compile(r"FROM (runs|leases|commands|events|model_replies|answers)\b")
"""They are written and read as time passes, not as sections are."""


@contextmanager
def lookups(engine: Engine) -> Iterator[list[str]]:
    """The statements that read documents meanwhile."""
    statements: list[str] = []

    def note(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.startswith("SELECT") and not OF_THREADS.search(statement):
            statements.append(statement)

    database = engine._catalog.runs._database.engine
    event.listen(database, "before_cursor_execute", note)
    try:
        yield statements
    finally:
        event.remove(database, "before_cursor_execute", note)


def read(request: ChatRequest) -> str:
    messages = [{"content": message.content} for message in request.messages]
    form = {"json_schema": {"schema": request.json_schema or {}}}
    return reply({"messages": messages, "response_format": form})


@pytest.mark.parametrize(("model", "most"), [(None, 12), (ScriptedModel(default=read), 14)])
def test_a_question_asks_the_catalog_seldom(
    tmp_path: Path, model: ScriptedModel | None, most: int
) -> None:
    """The first question fills what is cached until a document changes; the most were 8 and 9."""
    settings = Settings(home=tmp_path / "home", llm="none", summaries=False)  # they read beside it
    with connect_to(make_services(settings.home, model, settings=settings), Principal()) as engine:
        engine.library.ingest([LAWS / "UVSV.txt", LAWS / "NiSG.md"], "laws")
        counts = []
        for question in QUESTIONS:
            with lookups(engine) as statements:
                answer = ask(engine, question, depth="enhanced")
            counts.append(len(statements))
            assert model is None or answer["read"]
        assert max(counts[1:]) <= most, statements
