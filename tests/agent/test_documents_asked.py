"""A question to chosen documents: nothing of the others is found, counted or named, by any way."""

from collections.abc import Iterator

import pytest

from agent.engine.engine import Engine, connect_to
from agent.models import RunOptions
from services.domain import Principal
from services.domain.errors import InvalidInput, NotFound
from tests.support.desk import ask, make_services
from tests.support.research import report_of, researched

ASKED = "Welche Frist gilt für die Prüfung der Anlagen?"
TEXTS = {
    "Nord.md": "# Satzung Nord\n\n## § 1 Frist\n\nDie Frist für die Prüfung der Anlagen beträgt "
    "drei Monate. Der Kapitän meldet sie.\n",
    "Süd.md": "# Satzung Süd\n\n## § 7 Frist\n\nDie Frist für die Prüfung der Anlagen beträgt "
    "acht Jahre. Der Förster meldet sie.\n",
}
OTHERS = ("drei Monate", "Kapitän", "Nord", "§ 1")


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    folder = tmp_path_factory.mktemp("documents")
    files = [folder / name for name in TEXTS]
    for file in files:
        file.write_text(TEXTS[file.name], encoding="utf-8")
    with connect_to(make_services(folder / "home"), Principal(user="local")) as engine:
        engine.library.ingest(files, "satzungen")
        engine.graph.build("satzungen")
        yield engine


@pytest.mark.parametrize("depth", ["fast", "enhanced", "structured"])
@pytest.mark.parametrize("question", [ASKED, "Wie oft kommt „Frist“ vor?", "Worum geht es?"])
def test_an_answer_reads_the_chosen_document_alone(
    engine: Engine, depth: str, question: str
) -> None:
    turn = str(ask(engine, question, depth=depth, documents=["Süd.md"]))
    assert [each for each in OTHERS if each in turn] == []


def test_both_are_read_without_a_choice_and_a_conversation_keeps_its_own(engine: Engine) -> None:
    assert "drei Monate" in str(ask(engine, ASKED, depth="enhanced"))
    first = ask(engine, ASKED, depth="fast", documents=["Süd.md"])
    assert "acht Jahre" in first["answer"]
    thread = first["thread_id"]
    again = ask(engine, "Wer meldet die Frist?", thread_id=thread, depth="fast")
    assert "Förster" in again["answer"] and "Kapitän" not in str(again)
    with pytest.raises(InvalidInput, match=r"Süd\.md"):
        ask(engine, ASKED, thread_id=thread, documents=["Nord.md"])


def test_a_research_and_its_neighbourhood_stay_within(engine: Engine) -> None:
    options = RunOptions(clarify=False, approve_plan=False, documents=("Süd.md",))
    thread = researched(engine, ASKED, options)
    told = str([report_of(engine, thread), *engine.threads.events(thread)])
    assert "acht Jahre" in told
    assert [each for each in OTHERS if each in told] == []


def test_texts_and_graph_of_a_scope_are_those_of_its_documents(engine: Engine) -> None:
    services = engine._services
    reader = Principal(user="local")
    every = services.catalog.collections.scope(reader, None)
    one = services.catalog.collections.scope(reader, None, ["Süd.md"])
    ids = [place.chunk_id for place in services.catalog.corpus.chunk_places(every)]
    read = services.catalog.chunks.get(ids, scope=one)
    assert {each.document for each in read.values()} == {"Süd.md"} and len(read) < len(ids)
    whole, part = services.graph.held(every), services.graph.held(one)
    assert 0 < len(part.chunks) < len(whole.chunks) == len(ids)


def test_a_document_that_is_not_there_is_named(engine: Engine) -> None:
    for begin in (
        lambda: engine.answers.ask(ASKED, documents=["West.md"]),
        lambda: engine.threads.start(ASKED, options=RunOptions(documents=("West.md",))),
    ):
        with pytest.raises(NotFound, match=r"West\.md in satzungen"):
            begin()
