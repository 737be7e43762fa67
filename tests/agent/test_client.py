"""The client: one owner a process, whoever asks first; settings and trials of the models."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from agent.engine import runner
from agent.engine.engine import Engine, connect_to
from agent.engine.runner import Runner
from agent.models import RunOptions
from services.catalog.models import BinRow
from services.domain import Principal, SearchRequest
from services.domain.errors import Interrupted, InvalidInput, NoModel, NotFound
from services.domain.events import EventKey, EventRecord, Warned
from services.models.base import ChatModel
from services.ownership import OwnerLock
from services.settings import Settings
from tests.support.desk import QUESTION, make_services, open_desk, until_ended, until_waiting
from tests.support.scripted_model import ScriptedModel
from tests.support.waiting import until


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    with open_desk(tmp_path_factory.mktemp("desk") / "home") as client:
        yield client


def test_many_threads_start_one_runner(tmp_path: Path) -> None:
    def runners() -> list[threading.Thread]:
        return [each for each in threading.enumerate() if each.name == "rabbithole-runner"]

    barrier, states, before = threading.Barrier(8), [], len(runners())
    with connect_to(make_services(tmp_path / "home"), Principal()) as client:

        def ask() -> None:
            barrier.wait()
            states.append(client.settings.model_state().status)

        crowd = [threading.Thread(target=ask) for _ in range(8)]
        for each in crowd:
            each.start()
        for each in crowd:
            each.join()
        assert states == ["unasked"] * 8 and len(runners()) == before + 1


def test_a_follower_is_served_by_the_owner_and_takes_over_when_it_goes(tmp_path: Path) -> None:
    home = tmp_path / "home"
    owner = open_desk(home)
    with connect_to(make_services(home), Principal()) as follower:
        assert follower.library.find(SearchRequest(query="Grenzwert Lärm", k=3)).hits
        assert owner.owner and not follower.owner
        owner.close()
        assert follower.settings.model_state() and follower.owner


def test_who_follows_a_thread_does_not_wait_for_an_owner_that_was_killed(tmp_path: Path) -> None:
    services = make_services(tmp_path / "home")
    catalog, me = services.catalog, Principal()
    catalog.runs.create("t", me, QUESTION, (), {}, kind="research")
    epoch = catalog.leases.acquire("t", catalog.workers.holder)
    catalog.runs.update("t", epoch=epoch, status="running")
    lock = OwnerLock(tmp_path / "home")
    with connect_to(services, me) as follower:
        assert lock.acquire()
        following = threading.Thread(target=lambda: list(follower.threads.follow("t")), daemon=True)
        following.start()
        following.join(2)
        assert following.is_alive(), "its owner is there"
        lock.release()
        following.join(10)
        assert not following.is_alive() and follower.threads.run("t").status == "interrupted"


def test_the_owner_reaches_itself_without_the_catalog(desk: Engine) -> None:
    desk.library.find(SearchRequest(query="Grenzwert Lärm", k=3))
    before = desk._catalog.version()
    assert (
        desk.library.find(SearchRequest(query="Grenzwert Lärm am Tag", k=3)).hits
        and desk.settings.model_state()
    )
    assert desk._catalog.version() == before, "something went through the queue"
    with pytest.raises(NotFound, match="nirgends"):
        desk.library.find(SearchRequest(query="Was gilt?", collections=("nirgends",)))


def test_what_is_called_while_the_owner_goes_or_before_its_loop_runs_ends(tmp_path: Path) -> None:
    client = open_desk(tmp_path / "home")
    client.settings.model_state()
    gone = client._connection._runner
    client.close()
    early = Runner(make_services(tmp_path / "other"))

    async def answer() -> int:
        return 1

    for each in (gone, early):
        assert each is not None
        with pytest.raises(Interrupted):
            each.call(answer)
    early._loop.close()


def test_who_owns_the_home_deletes_what_nobody_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "CLEAR_AFTER_S", 0.0)
    services = make_services(tmp_path / "home")
    cleared: list[int] = []
    monkeypatch.setattr(services.catalog.retention, "clear", cleared.append)
    with connect_to(services, Principal()) as client:
        client.settings.model_state()
        until(lambda: cleared == [services.settings.keep_days])


def test_the_bin_expires_though_nobody_opens_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, law = tmp_path / "home", tmp_path / "home" / "LaermG.txt"
    with open_desk(home) as client:
        document = client.library.remove_document("laerm", law.name).document_id
        client._catalog.bin._database.execute(update(BinRow).values(removed_at="2020"))
    monkeypatch.setattr(runner, "CLEAR_AFTER_S", 0.0)
    settings = Settings(home=home, llm="none", keep_days=0)
    with connect_to(make_services(home, settings=settings), Principal()) as client:
        client.settings.model_state()
        until(lambda: not (home / "originals" / document).exists())


def test_an_owner_that_cannot_start_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "agent.engine.handlers", None)
    with pytest.raises(ImportError, match=r"agent\.engine\.handlers"):
        Runner(make_services(tmp_path / "home")).start()


def test_an_empty_question_and_an_unknown_collection_are_refused(desk: Engine) -> None:
    for question in ("", "   "):
        with pytest.raises(InvalidInput, match="empty"):
            desk.threads.start(question)
    with pytest.raises(NotFound, match="nirgends"):
        desk.threads.start("Was gilt?", collections=["nirgends"])


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
        with pytest.raises(InvalidInput, match="waiting for you to approve its plan"):
            later.threads.answer(thread, question, "Für Beschäftigte.")
        later.threads.approve(thread, question)
        assert later.threads.draft(thread, question) is None
        until_ended(later, thread)


def test_all_of_a_long_log_is_followed(desk: Engine) -> None:
    threads, catalog = desk.threads, desk._catalog
    catalog.runs.create("t", Principal(), QUESTION, ["laerm"], {})
    assert threads.last_event("t") == 0
    keys = (EventKey(thread_id="t", checkpoint="c", n=n) for n in range(501))
    log = [EventRecord(seq=0, key=each, at="", event=Warned(message="…")) for each in keys]
    numbers = [each.seq for each in catalog.events.replace_all(log)]
    assert numbers == [each.seq for each in catalog.events.since("t", 0, limit=501)]
    followed = list(threads.follow("t"))
    assert len(followed) == 501 and threads.last_event("t") == followed[-1].seq
    assert list(threads.follow("t", after=followed[-1].seq)) == []


def test_the_owner_tries_its_models_for_another_process(tmp_path: Path) -> None:
    model = ScriptedModel([("Count", "one, two, three"), ("JSON", {"answer": "yes"})])
    home = tmp_path / "home"
    with open_desk(home, model) as owner, connect_to(make_services(home), Principal()) as other:
        check = other.settings.check_model()
        assert (check.model, check.keeps_form, check.problem) == ("scripted", True, None)
        place = owner.library.create_collection("alt").collection_id
        owner._catalog.collections.set_fingerprint(place, "elsewhere/768")
        embedder = other.settings.check_embedder()
        assert embedder.dimension > 0 and embedder.foreign == ("alt",)
        assert not other.owner


def test_a_missing_model_is_asked_for_again_at_the_next_trial(tmp_path: Path) -> None:
    found: list[ChatModel] = []

    async def find() -> ChatModel | None:
        if not found:
            raise NoModel("no Ollama answers: start it with `ollama serve`")
        return found[0]

    with open_desk(tmp_path / "home", find) as client:
        with pytest.raises(NoModel, match="ollama serve"):
            client.settings.check_model()
        found.append(ScriptedModel(default={"answer": "no"}))
        assert client.settings.check_model().problem is None


def test_the_memory_of_searches_is_counted_and_emptied(desk: Engine) -> None:
    before = desk.settings.search_cache(clear=True)
    for _ in range(2):
        desk.library.find(SearchRequest(query="Lärm", collections=("laerm",)))
    cache = desk.settings.search_cache()
    assert (cache.size, cache.hits - before.hits, cache.misses - before.misses) == (1, 1, 1)
    assert desk.settings.search_cache(clear=True).size == 0
