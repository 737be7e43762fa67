"""The client: one owner a process, whoever asks first."""

import threading
from pathlib import Path

import pytest

from agent.client import connect_to
from services.errors import InvalidInput, NotFound
from services.types import Principal
from tests.support.desk import make_services, open_desk


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
        hits = follower.search("Grenzwert Lärm", k=3)
        assert hits and not follower.owner and owner.owner


def test_a_follower_takes_over_when_the_owner_goes(tmp_path: Path) -> None:
    home = tmp_path / "home"
    owner = open_desk(home)
    with connect_to(make_services(home), Principal()) as follower:
        assert follower.model_name() == "none" and not follower.owner
        owner.close()
        assert follower.model_name() == "none" and follower.owner


def test_the_owner_is_asked_for_its_model_once(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as owner:
        assert owner.model_name() == "none"
        changed = owner._catalog.version()
        assert owner.model_name() == "none"
        assert owner._catalog.version() == changed, "nothing was asked through the catalog"


@pytest.mark.parametrize("question", ["", "   "])
def test_an_empty_question_is_refused(tmp_path: Path, question: str) -> None:
    with open_desk(tmp_path / "home") as client, pytest.raises(InvalidInput, match="empty"):
        client.start(question)


def test_an_unknown_collection_is_named(tmp_path: Path) -> None:
    with open_desk(tmp_path / "home") as client, pytest.raises(NotFound, match="nirgends"):
        client.start("Was gilt?", collections=["nirgends"])
