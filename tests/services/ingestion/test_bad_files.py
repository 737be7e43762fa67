"""Broken and hostile files: a clear line each, in bounded time and memory, neighbours go in."""

import os
import platform
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from services.domain import FileOutcome, ParsedDocument
from services.domain.errors import UnreadableDocument
from services.domain.events import DocumentProgress
from services.ingestion import confined, worker
from services.ingestion.files import MOST_BYTES, identify
from services.ingestion.parse import FileParser
from services.ingestion.worker import WorkerJob, WorkerPool
from services.settings import Settings
from tests.benchmarks.bad_files import measured
from tests.support.bad_files import BAD_FILES, ODD_FILES, BadFile, page_tree_in_a_circle
from tests.support.catalogs import new_catalog
from tests.support.ingestion import Bench, HeadingParser
from tests.support.parsed_files import limits
from tests.support.parser_hosts import end_idle_hosts
from tests.support.trap import Trap

MEMORY_MB = 512
SECONDS = 60.0
TRIES = """
import ctypes, os, socket, sys
from pathlib import Path
from services.ingestion.confined import confine

folder, port = Path(sys.argv[1]), int(sys.argv[2])
if ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) < 1:
    sys.exit(print("not here"))
if not confine():
    sys.exit("it could have been confined")
for attempt in (
    lambda: (folder / "new.txt").write_text("x"),
    lambda: (folder / "there.txt").open("a"),
    lambda: (folder / "there.txt").unlink(),
    lambda: os.symlink("/", folder / "link"),
    lambda: os.execv(sys.executable, ["python", "-c", "print('ran')"]),
    lambda: socket.create_connection(("127.0.0.1", port), 1),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", port)),
):
    try:
        attempt()
    except OSError:
        continue
    print("could")
if (folder / "there.txt").read_text() == "Ein Satz.":
    print("read", "kept")
"""
"""What a confined process tries; it prints ``could`` for what it was not kept from."""


@pytest.fixture(scope="module")
def parser() -> Iterator[FileParser]:
    with closing(FileParser(limits(SECONDS, MEMORY_MB))) as parser:
        yield parser


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with (
        new_catalog(tmp_path / "home" / "catalog.sqlite3") as catalog,
        closing(FileParser(Settings())) as parser,
    ):
        yield Bench(catalog, tmp_path / "home", parser=parser)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "folder").mkdir()
    return tmp_path / "folder"


@pytest.mark.parametrize("bad", BAD_FILES, ids=lambda bad: bad.name)
def test_fault_and_advice_are_reported_in_time(
    tmp_path: Path, parser: FileParser, bad: BadFile
) -> None:
    path = bad.write(tmp_path)
    started = time.perf_counter()
    with pytest.raises(UnreadableDocument) as raised:
        parser(path)
    assert time.perf_counter() - started < SECONDS + 1
    message = str(raised.value)
    assert message.startswith(f"{bad.name}: ") and "\n" not in message
    assert bad.fault in message and bad.way_out in message


@pytest.mark.parametrize("name", ODD_FILES)
def test_an_odd_file_goes_in_fast(tmp_path: Path, bench: Bench, name: str) -> None:
    (tmp_path / name).write_bytes(ODD_FILES[name])
    started = time.perf_counter()
    (outcome,) = bench.ingest(tmp_path / name).files
    assert outcome.status == "added" and outcome.chunks > 0
    assert time.perf_counter() - started < SECONDS


@pytest.mark.skipif(sys.platform != "linux", reason="needs limits on memory")
@pytest.mark.parametrize("name", ["zip-bomb.docx", "inflating.pdf", "huge.txt"])
def test_memory_is_bounded(tmp_path: Path, name: str) -> None:
    (bad,) = (each for each in BAD_FILES if each.name == name)
    row = measured(bad.write(tmp_path))
    assert row["mb"] < 400 and row["parser_mb"] < 2100


def by_name(outcomes: tuple[FileOutcome, ...]) -> dict[str, FileOutcome]:
    return {outcome.document: outcome for outcome in outcomes}


def test_neighbours_of_bad_files_go_in(folder: Path, bench: Bench) -> None:
    for bad in BAD_FILES[:6]:
        bad.write(folder)
    (folder / "a.txt").write_text("Der erste Satz steht hier.")
    (folder / "z.txt").write_text("Der letzte Satz steht hier.")
    found = by_name(bench.ingest(folder).files)
    assert [name for name, each in found.items() if each.status == "added"] == ["a.txt", "z.txt"]
    assert {name for name, each in found.items() if each.status == "failed"} == {
        bad.name for bad in BAD_FILES[:6]
    }
    failures = [e for e in bench.events if isinstance(e, DocumentProgress) and e.error]
    assert len(failures) == 6 and not any(str(e.error).startswith(e.document) for e in failures)


@pytest.mark.skipif(os.name != "posix", reason="needs links and pipes")
def test_a_path_that_is_no_file_is_reported(folder: Path, bench: Bench) -> None:
    (folder / "good.txt").write_text("Ein guter Satz.")
    (folder / "loop.txt").symlink_to(folder / "back.txt")
    (folder / "back.txt").symlink_to(folder / "loop.txt")
    (folder / "around").symlink_to(folder, target_is_directory=True)
    (elsewhere := folder.parent / "elsewhere").mkdir()
    (elsewhere / "secret.txt").write_text("Ein Geheimnis.")
    (folder / "out.txt").symlink_to(elsewhere / "secret.txt")
    (folder / "within.txt").symlink_to(folder / "good.txt")
    with (folder / "vast.txt").open("wb") as vast:
        vast.truncate(MOST_BYTES + 1)
    os.mkfifo(folder / "pipe.txt")
    (folder / "two\nlines\x1b[31m.txt").write_text("Satz.")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff.txt")).write_text("Satz.")
    found = by_name(bench.ingest(folder, folder / "pipe.txt", folder / "loop.txt").files)
    assert found.pop("good.txt").status == "added"
    errors = {name: str(each.error or "") for name, each in found.items()}
    names = ["?.txt", "back.txt", "loop.txt", "out.txt", "pipe.txt", "two?lines?[31m.txt"]
    assert sorted(errors) == [*names, "vast.txt"]
    assert "to a file outside the folder" in errors["out.txt"]
    assert "it is 2048 MB" in errors["vast.txt"]
    assert all(
        "link to a file that does not exist" in errors[name] for name in ("loop.txt", "back.txt")
    )
    assert "not a regular file" in errors["pipe.txt"]
    assert all("rename it" in errors[name] for name in ("?.txt", "two?lines?[31m.txt"))


def test_a_lock_file_that_is_given_by_name_is_said_to_be_one(tmp_path: Path, bench: Bench) -> None:
    (tmp_path / "~$plan.docx").write_bytes(b"\x06Tester")
    (file,) = bench.ingest(tmp_path / "~$plan.docx").files
    assert file.status == "failed" and "only the lock file" in str(file.error)


def test_a_path_that_cannot_be_looked_at_leaves_the_others_alone(
    folder: Path, bench: Bench
) -> None:
    (folder / "good.txt").write_text("Ein guter Satz.")
    found = by_name(bench.ingest(folder, folder / f"{'x' * 300}.txt").files)
    assert found["good.txt"].status == "added"
    assert "does not exist or cannot be read" in str(found[f"{'x' * 300}.txt"].error)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_file_without_a_size_is_not_read_before_it_is_parsed(bench: Bench) -> None:
    assert identify(Path("/proc/self/maps"))[1] == 0
    (link := bench.home.parent / "endless.txt").symlink_to("/proc/self/pagemap")
    (outcome,) = bench.ingest(link).files
    assert outcome.status == "failed" and "/proc" not in str(outcome.error)


class Changing(FileParser):
    """Something happens to a file while it is parsed."""

    def __init__(self, file: Path, gone: bool) -> None:
        super().__init__(Settings())
        self._file, self._gone = file, gone

    def __call__(self, path: Path, **options: object) -> object:  # type: ignore[override]
        parsed = super().__call__(path, **options)  # type: ignore[arg-type]
        if path.name == self._file.name:
            self._file.unlink()
            if not self._gone:
                self._file.write_text("Ganz anders.")
        return parsed


@pytest.mark.parametrize(
    ("gone", "fault"), [(False, "changed while being read"), (True, "disappeared while being read")]
)
def test_a_file_that_moves_is_named(tmp_path: Path, folder: Path, gone: bool, fault: str) -> None:
    (folder / "moving.txt").write_text("Ein Satz.")
    (folder / "still.txt").write_text("Noch ein Satz.")
    with new_catalog(tmp_path / "home" / "catalog.sqlite3") as catalog:
        parser = Changing(folder / "moving.txt", gone)
        bench = Bench(catalog, tmp_path / "home", parser=parser)
        found = by_name(bench.ingest(folder).files)
    assert fault in str(found["moving.txt"].error) and "ingest it again" in str(
        found["moving.txt"].error
    )
    assert found["still.txt"].status == "added"


def test_a_file_that_changes_while_it_is_read_again_is_named(tmp_path: Path) -> None:
    (file := tmp_path / "moving.txt").write_text("Ein Satz.")
    with new_catalog(tmp_path / "home" / "catalog.sqlite3") as catalog:
        bench = Bench(catalog, tmp_path / "home", parser=HeadingParser())
        assert bench.statuses(file) == ["added"]
        bench.parser = Changing(file, gone=False)
        (outcome,) = bench.ingest(file).files
    assert "changed while being read" in str(outcome.error)


class Exchange:
    """Exchanges a file in a shared folder, or the folder that it is in, for a link to a secret."""

    def __init__(self, folder: Path, name: str) -> None:
        (secret := folder.parent / "secret").mkdir()
        (secret / "x.txt").write_text("Ein Geheimnis.")
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("Ein Satz.")
        self._path = folder / name.partition("/")[0]
        self._away = folder.parent / "away"
        self._secret = secret if self._path.is_dir() else secret / "x.txt"

    def link(self) -> None:
        if not self._path.is_symlink():
            self._path.rename(self._away)
            self._path.symlink_to(self._secret)

    def restore(self) -> None:
        self._path.unlink()
        self._away.rename(self._path)


exchanged = pytest.mark.parametrize("name", ["x.txt", "inner/x.txt"])
by_folder = pytest.mark.skipif(
    os.open not in os.supports_dir_fd, reason="needs files relative to folders"
)


@by_folder
@exchanged
def test_no_link_is_followed_that_comes_after_the_listing(
    folder: Path, bench: Bench, name: str
) -> None:
    exchange = Exchange(folder, name)
    (folder / ".hidden").mkdir()
    (folder / ".hidden" / "z").write_text("Noch ein Satz.")
    (folder / "z.txt").symlink_to(folder / ".hidden" / "z")

    @contextmanager
    def alone() -> Iterator[None]:
        exchange.link()
        yield

    bench.alone = alone
    found = by_name(bench.ingest(folder).files)
    assert {name: each.status for name, each in found.items()} == {
        "x.txt": "failed",
        "z.txt": "added",
    }
    assert [file.read_text() for file in (bench.home / "originals").iterdir()] == ["Noch ein Satz."]


class WhileExchanged(HeadingParser):
    """Parses ``x.txt`` while it is exchanged."""

    def __init__(self, exchange: Exchange) -> None:
        super().__init__()
        self._exchange = exchange

    def __call__(self, path: Path, *, language: str = "auto") -> ParsedDocument:
        self._exchange.link()
        try:
            return super().__call__(path, language=language)
        finally:
            self._exchange.restore()


@by_folder
@exchanged
def test_a_file_that_is_exchanged_while_it_is_parsed_is_read_all_the_same(
    folder: Path, bench: Bench, name: str
) -> None:
    bench.parser = WhileExchanged(Exchange(folder, name))
    (outcome,) = bench.ingest(folder).files
    assert bench.catalog.documents.text(str(outcome.document_id)) == "Ein Satz."


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads all")
def test_files_without_permission_are_reported(tmp_path: Path, bench: Bench) -> None:
    closed, folder = tmp_path / "closed.txt", tmp_path / "folder"
    closed.write_text("Satz.")
    closed.chmod(0)
    folder.mkdir(mode=0)
    errors = [str(each.error) for each in bench.ingest(closed, folder).files]
    assert all("change its permissions" in error for error in errors) and len(errors) == 2


@pytest.mark.parametrize("fork", [True, False])
def test_a_file_that_ends_its_process_leaves_the_next_alone(tmp_path: Path, fork: bool) -> None:
    good, bad = tmp_path / "good.txt", tmp_path / "bad.pdf"
    good.write_text("Ein Satz.")
    bad.write_bytes(page_tree_in_a_circle())
    enough = limits(SECONDS, MEMORY_MB)
    with closing(FileParser(enough)) as parser:
        parser._workers = WorkerPool(fork=fork and hasattr(os, "fork"))
        for _ in range(2):
            parser._settings = limits(0.0001, MEMORY_MB)
            with pytest.raises(UnreadableDocument, match=r"longer than 0\.0001 s"):
                parser(good)
            parser._settings = enough
            with pytest.raises(UnreadableDocument, match="damaged"):
                parser(bad)
            assert parser(good).text == "Ein Satz."


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux's")
def test_who_opens_a_file_writes_runs_and_calls_nothing(tmp_path: Path) -> None:
    (tmp_path / "there.txt").write_text("Ein Satz.")
    with Trap() as trap:
        ran = subprocess.run(
            [sys.executable, "-c", TRIES, str(tmp_path), trap.address.rpartition(":")[2]],
            capture_output=True,
            text=True,
        )
    if ran.stdout == "not here\n":
        pytest.skip("this kernel has no Landlock")
    assert ran.stdout.split() == ["read", "kept"], ran.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["there.txt"]


CALLS = """
import ctypes, os, socket, sys, threading
from services.ingestion.confined import confine

(server := socket.socket(socket.AF_UNIX)).bind(sys.argv[1])
server.listen()
ctypes.CDLL(None).unshare(0x10000000)
confine()
for attempt in (
    lambda: socket.socket(socket.AF_UNIX).connect(sys.argv[1]),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    lambda: os.fork() or os._exit(0),
    lambda: os.kill(os.getpid(), 0),
):
    try:
        attempt()
    except PermissionError:
        continue
    print("could")
(thread := threading.Thread(target=print, args=["thread"])).start()
thread.join()
status = dict(line.split(":") for line in open("/proc/self/status"))
print(int(status["CapEff"], 16) & ~2)
"""
"""What Landlock does not keep a process from, which has all powers in a namespace of its own."""


@pytest.mark.skipif(
    not Path("/proc/sys/kernel/seccomp").exists() or platform.machine() not in confined._CALLS,
    reason="needs the filter of Linux, and the numbers of the calls",
)
def test_who_opens_a_file_connects_to_nothing_and_starts_nothing(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CALLS, str(tmp_path / "socket")]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ran.stdout.split() == ["thread", "0"], ran.stderr


WORKS = """
import ctypes, io, sys, time
from pathlib import Path
from services.ingestion import worker

def parse(path, recognised, **options):
    if path.name == "slow.txt":
        time.sleep(60)
    if ctypes.CDLL(None).syscall(444, None, ctypes.c_size_t(0), 1) < 1:
        raise LookupError("not here")
    path.with_name("new.txt").write_text("x")

worker.parse = parse
answered = io.BytesIO()
job = worker.WorkerJob(Path(sys.argv[1]), timeout_s=float(sys.argv[2]), memory_mb=1024)
worker.work(worker.json.loads(job.as_json()), answered)
print(answered.getvalue().decode())
"""
"""A parser that sleeps, or writes."""


def working(path: Path, timeout_s: float) -> "subprocess.CompletedProcess[str]":
    """A worker of its own, which no host ends when its time is over."""
    path.write_text("Ein Satz.")
    command = [sys.executable, "-c", WORKS, str(path), str(timeout_s)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120)


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is Linux's")
def test_whatever_parses_is_confined(tmp_path: Path) -> None:
    said = working(tmp_path / "bad.txt", SECONDS).stdout
    if "not here" in said:
        pytest.skip("this kernel has no Landlock")
    assert "PermissionError" in said
    assert not (tmp_path / "new.txt").exists()


@pytest.mark.skipif(os.name != "posix", reason="needs a timer of the system")
def test_a_worker_ends_itself_when_its_time_is_over(tmp_path: Path) -> None:
    assert working(tmp_path / "slow.txt", 0.2).returncode == -signal.SIGALRM


STOPPED = """
import subprocess, sys
from services.ingestion import worker

child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
print(worker._wait(child.pid, 0.2))
"""
"""A host whose worker has no timer any more."""


@pytest.mark.skipif(os.name != "posix", reason="needs a timer of the system")
def test_a_worker_that_stops_its_timer_is_killed() -> None:
    command = [sys.executable, "-c", STOPPED]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=45)
    assert int(ran.stdout) in worker._OUT_OF_TIME, ran.stderr


def test_a_worker_knows_nothing_of_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RABBITHOLE_OPENAI_API_KEY", "sk-secret")
    end_idle_hosts()
    (good := tmp_path / "good.txt").write_text("Ein Satz.")
    with closing(FileParser(limits(SECONDS, MEMORY_MB))) as parser:
        parser(good)
        host = parser._workers._host
        assert host is not None
        known = Path(f"/proc/{host.pid}/environ")
        if known.exists():
            assert b"sk-secret" not in known.read_bytes()


@pytest.fixture
def answer_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], object]:
    """What the program takes for the answer of a host with other code."""

    def run(code: str) -> object:
        host = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        monkeypatch.setattr(worker, "_start", lambda fork: host)
        (file := tmp_path / "good.txt").write_text("Ein Satz.")
        with closing(WorkerPool()) as workers:
            return workers.run(WorkerJob(file, SECONDS, MEMORY_MB))

    return run


def test_half_an_answer_is_none(answer_of: Callable[[str], object]) -> None:
    """A host may be killed while it hands over what a worker has read."""
    half = """print('{"status": 0, "length": 9}\\n{"doc')"""
    assert answer_of(half) == {"out_of": "memory"}


@pytest.mark.parametrize("length", [-1, 10**12])
def test_an_answer_of_any_length_is_not_awaited(
    answer_of: Callable[[str], object], length: int
) -> None:
    assert answer_of(f"""print('{{"status": 0, "length": {length}}}\\n{{}}')""") == {
        "out_of": "memory"
    }


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a fork")
def test_a_worker_has_no_pipe_of_its_host(answer_of: Callable[[str], object]) -> None:
    listing = """
import os, stat
from services.ingestion import worker

def parse(path, recognised, **options):
    opened = [os.fstat(n).st_mode for n in range(64) if os.path.exists(f"/dev/fd/{n}")]
    raise LookupError(sum(map(stat.S_ISFIFO, opened)), "of", sum(map(stat.S_ISREG, opened)))

worker.parse = parse
worker.main("fork")
"""
    assert answer_of(listing) == {"failed": "LookupError: (0, 'of', 1)"}


def test_a_host_that_was_killed_is_started_again(tmp_path: Path) -> None:
    good = tmp_path / "good.txt"
    good.write_text("Ein Satz.")
    with closing(FileParser(limits(SECONDS, MEMORY_MB))) as parser:
        parser(good)
        assert parser._workers._host is not None
        parser._workers._host.kill()
        parser._workers._host.wait()
        assert parser(good).text == "Ein Satz."
