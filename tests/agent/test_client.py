"""The client: one owner a process, whoever asks first."""

import threading
from pathlib import Path

import pytest

from agent.engine.engine import connect_to
from agent.engine.jobs import NameModel
from agent.engine.runner import Runner
from agent.models import RunOptions
from services.domain import Principal
from services.domain.errors import Interrupted, InvalidInput, NotFound
from services.domain.events import EventKey, Warned
from tests.support.desk import QUESTION, make_services, open_desk, until_ended, until_waiting


def test_many_threads_start_one_runner(tmp_path: Path) -> None:
    barrier, names = threading.Barrier(8), []
    with connect_to(make_services(tmp_path / "home"), Principal()) as client:

        def ask() -> None:
            barrier.wait()
            names.append(client.model_name())

        crowd = [threading.Thread(target=ask) for _ in range(8)]
        for each in crowd:
            each.start()
        for each in crowd:
            each.join()
        runners = [t for t in threading.enumerate() if t.name == "rabbithole-runner"]
        assert names == ["none"] * 8 and len(runners) == 1


def test_a_second_client_is_served_by_the_owner(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_desk(home) as owner, connect_to(make_services(home), Principal()) as follower:
        hits = follower.library.search("Grenzwert Lärm", k=3)
        assert hits and not follower.owner and owner.owner


def test_a_follower_takes_over_when_the_owner_goes(tmp_path: Path) -> None:
    home = tmp_path / "home"
    owner = open_desk(home)
    with connect_to(make_services(home), Principal()) as follower:
        assert follower.model_name() == "none" and not follower.owner
        owner.close()
        assert follower.model_name() == "none" and follower.owner


def test_the_owner_reaches_itself_without_the_catalog(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as owner:
        owner.library.search("Grenzwert Lärm", k=3)
        before = owner._catalog.version()
        assert owner.library.search("Grenzwert Lärm am Tag", k=3) and owner.model_name() == "none"
        assert owner._catalog.version() == before, "something went through the queue"
        with pytest.raises(NotFound, match="nirgends"):
            owner.library.search("Was gilt?", collections=["nirgends"])


def test_what_is_called_while_the_owner_goes_ends(tmp_path: Path) -> None:
    client = open_desk(tmp_path / "home")
    runner = client._connection._owner._runner
    client.model_name()
    client.close()
    with pytest.raises(Interrupted):
        runner.call(Principal(), NameModel())


def test_what_comes_too_late_for_the_loop_ends_too(tmp_path: Path) -> None:
    runner = Runner(make_services(tmp_path / "home"))
    with pytest.raises(Interrupted):
        runner.call(Principal(), NameModel())
    runner._loop.close()


@pytest.mark.parametrize("question", ["", "   "])
def test_an_empty_question_is_refused(tmp_path: Path, question: str) -> None:
    with open_desk(tmp_path / "home") as client, pytest.raises(InvalidInput, match="empty"):
        client.threads.start(question)


def test_an_unknown_collection_is_named(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as client, pytest.raises(NotFound, match="nirgends"):
        client.threads.start("Was gilt?", collections=["nirgends"])


def test_a_draft_outlives_the_process_and_ends_with_the_approval(tmp_path: Path) -> None:
    home = tmp_path / "home"
    with open_desk(home) as client:
        thread = client.threads.start(QUESTION, options=RunOptions(clarify=False))
        question = until_waiting(client, thread).interrupt_id
        assert client.threads.draft(thread, question) is None
        client.threads.keep_draft(thread, question, {"rows": [1]})
    with connect_to(make_services(home), Principal()) as later:
        assert later.threads.draft(thread, question) == {"rows": [1]}
        stranger = later.acting_as(Principal(user="stranger"))
        with pytest.raises(NotFound):
            stranger.threads.draft(thread, question)
        with pytest.raises(NotFound):
            stranger.threads.keep_draft(thread, question, {"rows": []})
        with pytest.raises(InvalidInput, match="waits for its plan"):
            later.threads.answer(thread, question, "Für Beschäftigte.")
        later.threads.approve(thread, question)
        assert later.threads.draft(thread, question) is None
        until_ended(later, thread)


def test_all_of_a_long_log_is_followed(tmp_path: Path) -> None:
    with connect_to(make_services(tmp_path / "home"), Principal()) as client:
        client._catalog.runs.create("t", Principal(), QUESTION, ["laerm"], {})
        assert client.threads.last_event("t") == 0
        for n in range(501):
            key = EventKey(thread_id="t", checkpoint="c", n=n)
            client._catalog.events.append(key, Warned(message=str(n)), epoch=None)
        followed = list(client.threads.follow("t"))
        assert len(followed) == 501
        assert client.threads.last_event("t") == followed[-1].seq
        assert list(client.threads.follow("t", after=client.threads.last_event("t"))) == []
