"""What a question is restricted to: nothing outside the chosen documents is found or named."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent.engine.engine import Engine
from agent.models import RunOptions
from services.domain import Principal, SearchRequest
from services.domain.errors import InvalidInput, NotFound
from tests.support.desk import ask, open_desk, until_ended

OTHER = """Ordnung über Lärm in Hallen (HallenO)

§ 2 Grenzwerte

Für Beschäftigte in Hallen beträgt der Grenzwert des Lärms 60 Dezibel. Näheres bestimmt § 2 LärmG.
"""
QUESTION = "Welcher Grenzwert des Lärms gilt für Beschäftigte?"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A law and an ordinance in one collection, with their graph, and the law in another one."""
    folder = tmp_path_factory.mktemp("chosen")
    with open_desk(folder / "home") as client:
        (folder / "HallenO.txt").write_text(OTHER, encoding="utf-8")
        client.library.ingest([folder / "HallenO.txt"], "laerm")
        client.library.ingest([folder / "home" / "LaermG.txt"], "zweite")
        client.graph.build()
        yield client


@pytest.mark.parametrize("depth", ["fast", "enhanced", "structured", "agent"])
@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (QUESTION, "60 Dezibel"),
        ("Wie viele Dokumente gibt es?", "1 Dokument in 1 Sammlung: laerm (1)"),
        ("Wie oft wird „Grenzwert“ erwähnt?", "1 "),
    ],
)
def test_no_depth_finds_counts_or_names_what_was_not_chosen(
    desk: Engine, question: str, expected: str, depth: str
) -> None:
    turn = ask(desk, question, depth=depth, documents=["HallenO.txt"])
    assert {each["document"] for each in turn["sources"]} <= {"HallenO.txt"}
    events = [record.event for record in desk.threads.follow(turn["thread_id"])]
    said = f"{turn['answer']} {turn['coverage']} {events}"
    assert "85 Dezibel" not in said and "LaermG" not in said and "zweite" not in said
    assert expected in said


def test_the_graph_of_a_choice_is_not_that_of_all(desk: Engine) -> None:
    services = desk._services
    everything = services.catalog.collections.scope(Principal(), None)
    chosen = services.catalog.filters.narrowed(everything, ["HallenO.txt"])
    of_all, of_it = (services.graph._load(scope).graph for scope in (everything, chosen))
    assert len(of_all.texts) == 2
    assert [each for each, _ in of_it.texts] == list(chosen.documents or ())


def test_a_conversation_keeps_its_documents(desk: Engine) -> None:
    asked = desk.answers.ask(QUESTION, depth="fast", documents=["HallenO.txt"])
    until_ended(desk, asked.thread_id)
    again: dict[str, Any] = ask(desk, QUESTION, thread_id=asked.thread_id, depth="fast")
    assert {each["document"] for each in again["sources"]} == {"HallenO.txt"}
    assert desk.threads.run(asked.thread_id).documents == ("HallenO.txt",)
    with pytest.raises(InvalidInput, match=r"uses HallenO\.txt"):
        desk.answers.ask(QUESTION, thread_id=asked.thread_id, documents=["LaermG.txt"])


def test_a_research_and_its_fork_keep_theirs(desk: Engine) -> None:
    options = RunOptions(clarify=False, documents=("HallenO.txt",))
    thread = desk.threads.start(QUESTION, options=options)
    until_ended(desk, thread)
    pending = desk.threads.run(thread).pending
    assert pending is not None
    desk.threads.approve(thread, pending.interrupt_id)
    until_ended(desk, thread)
    fork = desk.threads.fork(thread, desk.threads.checkpoints(thread)[-2].id)
    until_ended(desk, fork)
    for name in (thread, fork):
        report = desk.threads.report(name)
        assert {each["document"] for each in report["sources"]} == {"HallenO.txt"}
        assert "LaermG" not in str(report) and desk.threads.run(name).documents


@pytest.mark.parametrize("mode", ["hybrid", "vector", "keyword"])
def test_every_search_keeps_to_them(desk: Engine, mode: str) -> None:
    wanted = {"query": "§ 2 Grenzwert", "mode": mode, "documents": ("HallenO.txt",), "k": 50}
    result = desk.library.find(SearchRequest.model_validate(wanted))
    assert {hit.document for hit in result.hits} == {"HallenO.txt"}


def test_what_is_not_there_cannot_be_chosen(desk: Engine) -> None:
    with pytest.raises(NotFound, match=r"no document 'HallenO\.txt' in the collections searched"):
        desk.answers.ask(QUESTION, collections=["zweite"], documents=["HallenO.txt"])
    with pytest.raises(NotFound, match="no document"):
        desk.threads.start(QUESTION, options=RunOptions(documents=("Nie.txt",)))


def test_who_steers_a_thread_of_another_adds_nothing_to_what_its_owner_may_read(
    desk: Engine, tmp_path: Path
) -> None:
    """The collections of a thread are named, and an administrator reads all of a name."""
    ben, root = (
        desk.acting_as(Principal(user="ben")),
        desk.acting_as(Principal(user="root", role="admin")),
    )
    law = desk.library.documents("zweite")[0]
    (tmp_path / "ben.txt").write_text(OTHER.replace("60", "50"), encoding="utf-8")
    ben.library.ingest([tmp_path / "ben.txt"], "zweite")
    thread = ask(ben, QUESTION, collections=["zweite"])["thread_id"]
    turn = ask(root, f"{QUESTION} Wirklich?", thread_id=thread)
    assert {each["document"] for each in turn["sources"]} == {"ben.txt"}
    assert law.document not in str(turn)
