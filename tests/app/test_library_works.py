"""Works of the library page: uploads, progress, failures, repairs and archives."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from agent.engine.changes import Ingest
from agent.engine.engine import Engine, connect_to
from agent.engine.jobs import Job
from services.domain import Principal, SearchRequest
from services.ingestion.job import SMALL
from tests.agent.test_library_client import HeldEmbedder
from tests.support.desk import make_services
from tests.support.library_window import keys, open_library, press, reads, shown, until_done
from tests.support.pdf_files import lines, make_pdf, without_page
from tests.support.waiting import until

Held = tuple[Engine, HeldEmbedder]
GOOD = "§ 1 Zweck\n\nHier geht es um Lärm am Arbeitsplatz.\n"


@pytest.fixture
def held(home: Path) -> Iterator[Held]:
    """A client whose ingestions begin and wait until the embedder goes on."""
    embedder = HeldEmbedder()
    services = make_services(home).replaced(embedder=lambda: embedder)
    with connect_to(services, Principal()) as client:
        yield client, embedder


def test_of_many_files_the_unread_stay_with_their_reasons(owner: Engine, home: Path) -> None:
    at = open_library(owner)
    field = at.file_uploader(key="files-0")
    field.upload("gut.txt", GOOD.encode())
    field.upload("leer.txt", b"")
    field.upload("[b](http://evil.example).txt", bytes(range(256)) * 40)
    at.selectbox(key="strategy").set_value("sentence")
    at.number_input(key="chunk-size").set_value(500)
    press(at, "ingest")
    until_done(at, owner)
    assert "1 neu · 2 nicht gelesen" in reads(at)
    reasons = next(found.value for found in at.warning if "leer" in found.value)
    assert "ist leer" in reasons.replace("\\", "") and "](http" not in reasons
    assert not list((home / "uploads").glob("*")), "uploads are removed when they are taken in"
    assert owner.jobs()[0].job.chunking.key == "sentence:500"  # type: ignore[union-attr]
    other = open_library(owner)
    assert "2 nicht gelesen" in reads(other), "another window tells it too"
    press(other, f"hide-{owner.jobs()[0].number}")
    assert "Datei ist leer" not in reads(other)
    history = open_library(owner, view="health")
    assert "nicht gelesen: 2" in reads(history)
    assert "Dateien: 3 von 3 · 2 nicht gelesen" in reads(history)
    again = open_library(owner)
    again.file_uploader(key="files-0").upload("leer.txt", GOOD.encode())
    press(again, "ingest")
    until_done(again, owner)
    history = reads(open_library(owner, view="health"))
    assert "nicht gelesen: 1" in history and "leer.txt" not in history, "it was read later"


def test_pages_that_are_missing_of_a_file_are_told_in_every_window(owner: Engine) -> None:
    at = open_library(owner)
    norm = make_pdf([lines(700, f"Der Grenzwert Nummer {n} ist {n} Dezibel.") for n in range(3)])
    at.file_uploader(key="files-0").upload("norm.pdf", without_page(norm, 1))
    press(at, "ingest")
    until_done(at, owner)
    for window in (at, open_library(owner)):
        told = reads(window).replace("\\", "")
        assert "norm.pdf: Die beschädigten Seiten 2 fehlen. Exportieren Sie" in told


def test_a_running_ingestion_is_found_again_in_every_window(held: Held, tmp_path: Path) -> None:
    client, embedder = held
    files = [tmp_path / name for name in ("a.txt", "b.txt")]
    files[0].write_text("".join(f"§ {n} Zweck\n\n{GOOD}\n\n" for n in range(SMALL + 1)))
    files[1].write_text(GOOD)
    paths = tuple(str(file) for file in files)
    client.submit(Ingest(paths=paths, collection="neu"))
    assert embedder.begun.wait(60)
    until(lambda: bool(client.poll_job(client.jobs()[0].number)[1]))
    for at in (open_library(client), open_library(client)):
        assert "Einlesen von Dokumenten in „neu“" in reads(at)
        assert "b.txt · wartet" in reads(at)
    embedder.go_on.set()
    until_done(at, client)
    assert "2 neu · Textstellen" in reads(at)
    assert "2 neu" not in reads(open_library(client)), "a success need not be told again"


def counted() -> None:
    """A work whose lines have been told, and the whole of which was told before them."""
    from agent.engine.changes import Ingest
    from agent.engine.jobs import JobState
    from app.components import library_jobs
    from app.run_log import JobLog
    from services.domain.events import DocumentProgress, IngestProgress

    job = Ingest(paths=("/a.txt", "/b.txt", "/c.txt"), collection="neu")
    work = JobState(number=1, job=job, status="running", created_at="2026-11-21T22:30:00+00:00")
    stages = (("a.txt", "done"), ("b.txt", "failed"), ("c.txt", "embed"))
    files = {
        name: DocumentProgress(document=name, stage=stage, done=0, total=4)
        for name, stage in stages
    }
    whole = IngestProgress(
        documents_done=0,
        documents_failed=0,
        documents_total=3,
        pages=0,
        chunks=0,
        chunks_per_s=0.0,
        share=0.1,
        eta_s=None,
    )
    library_jobs.show_running(work, JobLog(files=files, total=whole), "Einlesen")


def test_the_count_of_files_is_never_behind_their_lines() -> None:
    at = AppTest.from_function(counted)
    at.session_state["language"] = "de"
    told = reads(shown(at.run()))
    assert "Dateien: 2 von 3 · 1 nicht gelesen" in told
    assert "a.txt · fertig" in told and "c.txt · Vektoren berechnen: 0 von 4" in told


def test_every_page_says_that_an_ingestion_runs_and_where(held: Held, tmp_path: Path) -> None:
    client, embedder = held
    file = tmp_path / "a.txt"
    file.write_text(GOOD)
    assert "zurzeit läuft nichts" in reads(open_library(client))
    number = client.submit(Ingest(paths=(str(file),), collection="neu"))
    assert embedder.begun.wait(60)
    at = open_library(client)
    at.switch_page("app_pages/runs.py").run()
    assert "**läuft:** Einlesen von Dokumenten in „neu“" in reads(at)
    assert "zurzeit läuft nichts" not in reads(at)
    ben = open_library(client.acting_as(Principal(user="ben")))
    assert "neu" not in reads(ben) and "zurzeit läuft nichts" in reads(ben)
    press(at, f"open-work-{number}")
    assert "**Einlesen von Dokumenten in „neu“**" in reads(at), "the library shows how far it is"
    assert f"open-work-{number}" not in keys(at)
    embedder.go_on.set()
    until_done(at, client)
    assert "zurzeit läuft nichts" in reads(at) and "**läuft:**" not in reads(at)


def test_a_work_that_fails_says_why_to_its_owner_alone(owner: Engine) -> None:
    ben = owner.acting_as(Principal(user="ben"))
    ben.submit(Ingest(paths=(), collection="neu"))
    at = until_done(open_library(ben), ben)
    (error,) = at.error
    assert "neu" in error.proto.title and "Nennen Sie mindestens eine Datei" in error.value
    assert "neu" not in reads(open_library(owner))


def test_health_is_checked_repaired_and_built_anew(owner: Engine) -> None:
    place = owner.library.collection("laerm").collection_id
    at = open_library(owner, view="health")
    assert "Noch nicht geprüft" in reads(at) and "repair" not in keys(at)
    until_done(press(at, "check"), owner)
    assert "Alles in Ordnung" in reads(at)
    assert not any(key.startswith("hide-") for key in keys(at)), "there is nothing to hide"
    owner._services.vectors.drop(place)
    until_done(press(at, "check"), owner)
    assert "die im Bedeutungsindex fehlen" in reads(at)
    until_done(press(at, "repair"), owner)
    assert "Alles in Ordnung" in reads(at)
    owner._services.catalog.collections.set_fingerprint(place, "another-model")
    until_done(press(at, "check"), owner)
    assert "another-model" in reads(at) and "repair" not in keys(at)
    until_done(press(at, "rebuild"), owner)
    assert "Alles in Ordnung" in reads(at)
    assert owner.library.find(SearchRequest(query="Gehörschutz", collections=("laerm",))).hits


def test_what_changed_after_a_check_is_no_longer_told_as_it_was(owner: Engine, home: Path) -> None:
    (info,) = owner.library.documents("laerm")
    (original,) = home.glob(f"**/{info.document_id}*")
    kept = original.read_bytes()
    original.unlink()
    at = open_library(owner, view="health")
    until_done(press(at, "check"), owner)
    assert "LaermG.txt" in next(each.value for each in at.warning).replace("\\", "")
    (home / "LaermG.txt").write_bytes(kept)
    owner.library.ingest([home / "LaermG.txt"], "laerm")
    at = open_library(owner, view="health")
    assert not at.warning and "die Sammlung hat sich seither geändert" in reads(at)


def test_an_archive_is_made_and_restored(owner: Engine) -> None:
    at = open_library(owner, view="manage")
    press(at, "export")
    assert at.download_button(key="download").label.startswith("Archiv herunterladen")
    _, path, _ = at.session_state["archive"]
    other = open_library(owner)
    limit = other.file_uploader(key="archive-file").proto.max_upload_size_mb
    assert f"Bis zu {limit} MB" in reads(other), "the server refuses more"
    assert "Wählen Sie zuerst ein Archiv" in reads(press(other, "restore-now"))
    other.file_uploader(key="archive-file").upload("laerm.zip", path.read_bytes())
    other.text_input(key="restore-as").input("Kopie")
    press(other, "restore-now")
    until_done(other, owner)
    assert "„Kopie“ wurde wiederhergestellt (Dokumente: 1" in reads(other)
    assert [info.document for info in owner.library.documents("Kopie")] == ["LaermG.txt"]


def test_a_restoration_that_is_done_before_the_next_look_is_told(
    owner: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    at, submit = open_library(owner, view="manage"), Engine.submit
    press(at, "export")
    _, path, _ = at.session_state["archive"]

    def at_once(engine: Engine, job: Job[Any]) -> int:
        number = submit(engine, job)
        until(lambda: not engine.job(number).open)
        return number

    monkeypatch.setattr(Engine, "submit", at_once)
    at.file_uploader(key="archive-file").upload("laerm.zip", path.read_bytes())
    at.text_input(key="restore-as").input("Kopie")
    assert "„Kopie“ wurde wiederhergestellt" in reads(press(at, "restore-now"))


def test_a_deletion_does_not_wait_for_what_is_under_way(held: Held, tmp_path: Path) -> None:
    client, embedder = held
    (tmp_path / "a.txt").write_text(GOOD)
    client.library.create_collection("leer")
    client.submit(Ingest(paths=(str(tmp_path / "a.txt"),), collection="neu"))
    assert embedder.begun.wait(60)
    here = client.library.collection("leer").collection_id
    shown(press(open_library(client, collection=here, view="manage"), "delete"))
    assert [info.name for info in client.library.collections()] == ["neu"]
    embedder.go_on.set()
    until(lambda: not client.jobs()[0].open)
