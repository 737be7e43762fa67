"""One suite for both engines of ingestion: nobody sees from what went in who read it."""

import importlib.util
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from services.domain import Chunking
from services.domain.errors import Interrupted, InvalidInput, TryAgain, UnreadableDocument
from services.domain.events import Event
from services.ingestion.file_reader import ParsedFile, ReadRequest
from services.ingestion.files import identify
from services.ingestion.parse import FileParser
from services.ingestion.ray_reader import RayReader, load_ray, read_by_worker
from services.settings import Settings
from tests.support.catalogs import new_catalog
from tests.support.fakes_retrieval import HashEmbedder
from tests.support.file_readers import crashing_reader, fake_reader
from tests.support.ingestion import Bench, HeadingParser

FILES = 24
MAIL = """From: a@example.org
Subject: Plan
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=B

--B
Content-Type: text/plain

Der Plan liegt bei.
--B
Content-Type: text/plain; name=plan.txt
Content-Disposition: attachment; filename=plan.txt

Der Plan nennt zwei Stufen.
--B--
"""

with_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="the extra 'scale' is not installed"
)
engines = pytest.mark.parametrize(
    "engine", ["local", pytest.param("ray", marks=[with_ray, pytest.mark.slow])]
)
OpenBench = Callable[[str], Bench]


@pytest.fixture
def open_bench(tmp_path: Path) -> Iterator[OpenBench]:
    """A bench in a home of its own that ingests by an engine."""
    opened = []

    def opens(engine: str) -> Bench:
        home = tmp_path / f"home {engine}"
        catalog = new_catalog(home / "catalog.sqlite3").__enter__()
        opened.append(catalog)
        bench = Bench(catalog, home, parser=FileParser(Settings()))
        if engine == "ray":
            bench.make_reader = partial(RayReader, Settings(home=home), make=fake_reader, most=2)
        return bench

    yield opens
    for catalog in opened:
        catalog.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Many texts, a mail, two files of one content, and files that cannot be read."""
    folder = tmp_path / "folder"
    folder.mkdir()
    for n in range(FILES):
        text = "".join(f"§ {k} Titel\nSatz {n}.{k} gilt.\n\n" for k in range(1, n + 2))
        (folder / f"{n:02}.txt").write_text(text)
    (folder / "copy.txt").write_bytes((folder / "03.txt").read_bytes())
    (folder / "mail.eml").write_text(MAIL)
    (folder / "empty.txt").write_text("")
    (folder / "un{read}able.pdf").write_bytes(b"%PDF-1.7\nnothing")
    return folder


def contents(bench: Bench) -> tuple[object, ...]:
    """What is stored, and what the indexes hold of it."""
    collection = bench.collection()
    chunks = sorted(bench.chunk_ids())
    vectors = bench.vectors.vectors(collection, chunks)
    documents = sorted(
        (each.document, each.chunks) for each in bench.catalog.documents.list(bench.scope())
    )
    return documents, chunks, {key: vector.tobytes() for key, vector in vectors.items()}


@engines
def test_a_folder_goes_in_changes_and_goes_again(
    open_bench: OpenBench, folder: Path, engine: str
) -> None:
    bench = open_bench(engine)
    report = bench.ingest(folder)
    became = {file.document: file.status for file in report.files}
    failed = {name for name, status in became.items() if status == "failed"}
    assert failed == {"empty.txt", "un{read}able.pdf"}
    assert len(became) == FILES + 5 and became["mail.eml / plan.txt"] == "added"
    assert became["copy.txt"] == "unchanged" and bench.agrees()
    assert bench.stages("07.txt")[0] == "parse" and bench.stages("07.txt")[-1] == "done"
    kept = contents(bench)
    for name in failed:
        (folder / name).unlink()
    assert set(bench.statuses(folder)) == {"unchanged"}
    assert contents(bench) == kept
    (folder / "05.txt").write_text("§ 1 Neu\nEin neuer Satz.\n")
    (folder / "06.txt").unlink()
    again = {file.document: file.status for file in bench.ingest(folder, prune=True).files}
    assert again["05.txt"] == "updated" and "06.txt" not in bench.names() and bench.agrees()
    cut = bench.statuses(folder, chunking=Chunking(strategy="fixed", size=200, overlap=0))
    assert cut.count("updated") == FILES + 2 - 1 and bench.agrees()


@with_ray
@pytest.mark.slow
def test_both_engines_store_the_same(open_bench: OpenBench, folder: Path) -> None:
    local, ray = open_bench("local"), open_bench("ray")
    assert local.ingest(folder).files == ray.ingest(folder).files
    assert contents(local) == contents(ray)
    (attached,) = ray.embedder.embedded
    assert attached.startswith("plan\n") and len(local.embedder.embedded) > FILES


@with_ray
@pytest.mark.slow
def test_a_worker_that_is_killed_is_replaced_and_nothing_lost_or_doubled(
    open_bench: OpenBench, tmp_path: Path
) -> None:
    (folder := tmp_path / "folder").mkdir()
    names = [f"{n:02}" for n in range(6)] + ["always", "once a", "once b"]
    for name in names:
        (folder / f"{name}.txt").write_text(f"§ 1 Eins\nDatei {name}.\n\n§ 2 Zwei\nUnd {name}.\n")
    bench = open_bench("ray")
    bench.parser = HeadingParser()
    bench.make_reader = partial(RayReader, Settings(home=bench.home), make=crashing_reader, most=2)
    report = bench.ingest(*(folder / f"{name}.txt" for name in names))
    files = {file.document.removesuffix(".txt"): file for file in report.files}
    deaths = {died.stem: len(died.read_text()) for died in folder.glob("*.died")}
    assert deaths == {"always": deaths["always"], "once a": 1, "once b": 1}
    assert "--engine local" in str(files.pop("always").error) and deaths["always"] > 1
    assert {(file.status, file.chunks) for file in files.values()} == {("added", 2)}
    assert sorted(bench.names()) == sorted(f"{name}.txt" for name in files)
    assert len(bench.chunk_ids()) == 2 * len(files) and bench.agrees()
    assert bench.parser.read == [], "nothing was read by the process that writes"


@with_ray
@pytest.mark.slow
def test_an_ingestion_that_is_stopped_ends_its_workers(
    open_bench: OpenBench, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = load_ray()

    bench = open_bench("ray")

    class Stopping(list[Event]):
        def append(self, event: Event) -> None:
            if ray.is_initialized():
                raise Interrupted("Rabbithole is shutting down.")

    bench.events = Stopping()
    with pytest.raises(Interrupted):
        bench.ingest(folder)
    assert not ray.is_initialized()
    bench.events = []
    assert "added" in bench.statuses(folder) and bench.agrees()
    monkeypatch.setattr(ray, "init", lambda *_, **__: pytest.fail("there is nothing to read"))
    for unread in ("empty.txt", "un{read}able.pdf"):
        (folder / unread).unlink()
    assert set(bench.statuses(folder)) == {"unchanged"}


@with_ray
def test_an_unreachable_cluster_is_reported_in_one_line(
    open_bench: OpenBench, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ray = load_ray()

    def refused(*_: object, **__: object) -> None:
        raise ConnectionError("nobody there\nand much more")

    monkeypatch.setattr(ray, "init", refused)
    with pytest.raises(TryAgain, match=r"\(nobody there\)\. Check RAY_ADDRESS"):
        open_bench("ray").ingest(folder)


@with_ray
@pytest.mark.parametrize(
    ("error", "becomes"),
    [("LocalRayletDiedError", TryAgain), ("WorkerCrashedError", UnreadableDocument)],
)
def test_a_dead_worker_costs_a_file_and_a_dead_cluster_ends_the_ingestion(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: str, becomes: type[Exception]
) -> None:
    ray, settings = load_ray(), Settings(home=folder)

    def dies(_: object) -> None:
        raise getattr(ray.exceptions, error)

    monkeypatch.setattr(ray, "wait", lambda tasks, timeout: (tasks, []))
    monkeypatch.setattr(ray, "get", dies)
    request = ReadRequest(folder / "01.txt", "f" * 64, "auto", Chunking())
    ahead = RayReader(settings, FileParser(settings), HashEmbedder())
    monkeypatch.setattr(ahead, "_free", lambda: 0)
    ahead._ahead[request] = "task"
    with closing(ahead), pytest.raises(becomes, match="--engine local"):
        ahead.read(request, lambda stage: None)


def test_ray_gets_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", object())  # type: ignore[arg-type]
    fields = {
        name for name, field in Settings.model_fields.items() if "Secret" in str(field.annotation)
    }
    secret = Settings(
        home=tmp_path, **dict.fromkeys(fields - {"ollama_url"}, "http://u:pw-secret@h/d")
    )
    sent = RayReader(secret, FileParser(secret), HashEmbedder())._settings
    assert len(fields) > 3 and b"pw-secret" not in pickle.dumps(sent)


def test_without_ray_the_error_names_what_to_install(
    open_bench: OpenBench, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r'pip install "rabbithole\[scale\]"'):
        open_bench("ray").ingest(folder)


def test_a_worker_reads_only_the_file_that_is_meant(folder: Path, tmp_path: Path) -> None:
    settings, path = Settings(home=tmp_path), folder / "01.txt"
    right = ReadRequest(path, identify(path)[0], "auto", Chunking())
    read = read_by_worker(fake_reader, settings, right)
    assert isinstance(read, ParsedFile) and len(read.vectors) == len(read.chunks) > 0
    for wrong in (tmp_path / "missing.txt", folder / "02.txt"):
        request = ReadRequest(wrong, right.document_id, "auto", Chunking())
        assert read_by_worker(fake_reader, settings, request) is None


def test_an_error_survives_pickling(folder: Path, tmp_path: Path) -> None:
    path = folder / "un{read}able.pdf"
    request = ReadRequest(path, identify(path)[0], "auto", Chunking())
    error = read_by_worker(fake_reader, Settings(home=tmp_path), request)
    assert isinstance(error, UnreadableDocument)
    told = pickle.loads(pickle.dumps(error))
    assert (type(told), told.notice, str(told)) == (type(error), error.notice, str(error))
