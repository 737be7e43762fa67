"""A home whose catalog and steps are in PostgreSQL: the same ways through the engine."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy.engine import URL

from agent.engine.engine import connect
from services.catalog import Catalog
from services.domain.errors import NotFound, StoresBusy
from services.settings import Settings
from tests.support import postgres
from tests.support.desk import until_ended
from tests.support.research import planned, report_of
from tests.support.waiting import until

pytestmark = postgres.needs_postgres
LAW = (
    "# Lärmgesetz\n\n## § 1 Grenzwert\n\nDer Grenzwert des Lärms beträgt 85 Dezibel.\n\n"
    "## § 2 Gehörschutz\n\nAb 80 Dezibel stellt der Arbeitgeber Gehörschutz bereit.\n"
)
QUESTION = "Welcher Grenzwert des Lärms gilt?"


@pytest.fixture
def settings(tmp_path: Path, postgresql: URL) -> Iterator[Settings]:
    with postgres.database(postgresql) as address:
        yield Settings(home=tmp_path / "home", llm="none", database=SecretStr(address))


def test_a_research_goes_on_in_another_process_is_forked_and_deleted(
    settings: Settings, tmp_path: Path
) -> None:
    (tmp_path / "LaermG.md").write_text(LAW, encoding="utf-8")
    with connect(settings) as engine:
        engine.library.ingest([tmp_path / "LaermG.md"], "laerm")
        thread, pending = planned(engine, QUESTION)
    with connect(settings) as engine:
        engine.threads.approve(thread, pending.interrupt_id)
        assert until_ended(engine, thread) == "done"
        assert "85 Dezibel" in report_of(engine, thread)["answer"]
        past = engine.threads.checkpoints(thread)
        before = next(info for info in past if info.next == "synthesize")
        fork = engine.threads.fork(thread, before.id)
        assert until_ended(engine, fork) == "done"
        assert report_of(engine, fork)["answer"] == report_of(engine, thread)["answer"]
        engine.threads.delete(thread)
        with pytest.raises(NotFound):
            engine.threads.checkpoints(thread)
        assert engine.threads.checkpoints(fork)
    assert not settings.checkpoints_path.exists(), "nothing of a thread is left on this machine"


def test_a_second_home_on_the_same_database_is_refused_until_the_first_has_ended(
    settings: Settings, tmp_path: Path
) -> None:
    other = settings.model_copy(update={"home": tmp_path / "other"})
    with connect(settings) as engine:
        engine.settings.search_cache()  # any job makes it the owner
        with (
            connect(other) as second,
            pytest.raises(StoresBusy, match="each data folder needs its own"),
        ):
            second.settings.search_cache()
    with connect(other) as second:
        second.settings.search_cache()
    with connect(settings) as engine:
        engine.settings.search_cache()


def test_a_home_owns_its_database_again_after_a_restart_of_the_server(settings: Settings) -> None:
    assert settings.database is not None
    address = settings.database.get_secret_value()
    with connect(settings) as engine, Catalog.open(address) as other:
        engine.settings.search_cache()
        assert not other.try_own()
        other.disown()
        postgres.throw_out(address)
        until(lambda: not other.try_own() or other.disown(), seconds=20)
