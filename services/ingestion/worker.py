"""Open untrusted files in separate processes, with limits on time and memory.

`WorkerPool` runs in the program. ``python -m services.ingestion.worker`` is a host that forks a
worker for every file (without fork it does one job and ends). It reads a line a file
(`WorkerJob.as_json`), and writes a line ``{"status", "length"}`` and that many bytes, the answer.
``multiprocessing`` would run the main module anew in every process, here perhaps a page of the app.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, BinaryIO, Final

from pydantic import TypeAdapter

from services.domain import Recognised
from services.domain.errors import UnreadableDocument
from services.domain.formats import SUFFIXES, Kind
from services.ingestion.answers import Task, longest_answer, read_answer
from services.ingestion.confined import confine
from services.ingestion.parsers.extraction import Extraction, detect_kind, require_length
from services.ingestion.parsers.headings import build_sections
from services.library.pages.marks import RenderRequest

_ROOT: Final = Path(__file__).resolve().parents[2]
_GRACE_S: Final = 5.0
_OUT_OF_TIME: Final = {-int(getattr(signal, name, 14)) for name in ("SIGALRM", "SIGXCPU")}
_ENVIRONMENT: Final = (
    "PATH", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT",
    "DOCLING_ARTIFACTS_PATH",
)  # fmt: skip
"""Environment variables that a worker gets: no keys, no addresses."""
_LONGEST_HEAD: Final = 100  # bytes of the line before an answer
_OUT_OF_MEMORY: Final = 3  # exit status when the memory limit was reached
_MAIL: Final = "services.ingestion.parsers.mail_parser"
_PARSERS: Final[dict[Kind, tuple[str, str]]] = {
    "pdf": ("services.ingestion.parsers.pdf.parser", "parse_pdf"),
    "docx": ("services.ingestion.parsers.docx_parser", "parse_docx"),
    "odt": ("services.ingestion.parsers.odt_parser", "parse_odt"),
    "rtf": ("services.ingestion.parsers.rtf_parser", "parse_rtf"),
    "xlsx": ("services.ingestion.parsers.office_parser", "parse_workbook"),
    "csv": ("services.ingestion.parsers.office_parser", "parse_csv"),
    "pptx": ("services.ingestion.parsers.slides_parser", "parse_slides"),
    "html": ("services.ingestion.parsers.web_parser", "parse_html"),
    "epub": ("services.ingestion.parsers.web_parser", "parse_epub"),
    "eml": (_MAIL, "parse_mail"),
    "msg": (_MAIL, "parse_mail"),
    "text": ("services.ingestion.parsers.plain_parser", "parse_text"),
}
_DOCLING: Final = ("services.ingestion.parsers.pdf.docling_parser", "parse_pdf")
_OCR: Final = "services.ingestion.parsers.pdf.ocr"
_DRAWING: Final = "services.library.pages.draw"
_LOADED: Final[dict[Task, tuple[str, ...]]] = {
    "page": (_DRAWING, "pypdfium2", "PIL.ImageDraw", "PIL.PngImagePlugin"),
    "lines": (_OCR,),
    "attachments": (_MAIL,),
}
"""What is loaded before the fork; for documents it is the parser of their format."""


@dataclass(frozen=True)
class WorkerJob:
    """A file to open, with its limits and the ``task``.

    ``about`` depends on the task: for a ``document`` the text that was recognised in it, for a
    ``page`` how it is drawn, for the ``lines`` that OCR reads the number of the page (from 1).
    ``docling`` reads a PDF through Docling.
    """

    path: Path
    timeout_s: float
    memory_mb: int
    task: Task = "document"
    about: Recognised | RenderRequest | int | None = None
    docling: bool = False

    def as_json(self) -> str:
        return json.dumps({**asdict(self), "path": str(self.path)})


class WorkerPool:
    """Runs jobs one after the other; safe to share among threads, which take turns.

    Every file is opened in a process of its own, so that a broken or hostile one can neither
    crash nor stall this program. Without ``fork`` each is started anew, which takes 0.2 s
    longer.
    """

    def __init__(self, *, fork: bool = hasattr(os, "fork")) -> None:
        self._fork = fork
        self._turn = threading.Lock()
        self._host: subprocess.Popen[bytes] | None = None

    def run(self, job: WorkerJob) -> dict[str, Any]:
        """Return the worker's answer (`read_answer`), or ``{"out_of": "time"}`` or ``"memory"``.

        A worker that crashed counts as out of memory. Never raises for what is in the file.
        """
        with self._turn:
            status, response = self._ask(job)
        if status == 0:
            return read_answer(job.task, response)
        if status in _OUT_OF_TIME:
            return {"out_of": "time"}
        if status == _OUT_OF_MEMORY or status < 0:
            return {"out_of": "memory"}
        return {"failed": f"exit status {status}"}

    def close(self) -> None:
        """End the host process; the next job starts another one."""
        with self._turn:
            host, self._host = self._host, None
        if host is not None:
            with host:
                with suppress(BrokenPipeError):  # it has ended already
                    _pipe(host.stdin).close()
                try:
                    host.wait(_GRACE_S)
                except subprocess.TimeoutExpired:
                    host.kill()

    def _ask(self, job: WorkerJob) -> tuple[int, bytes]:
        """Return the exit status of the worker (negative: its signal) and its answer."""
        if self._host is None or self._host.poll() is not None:
            self._host = _start(self._fork)
        host = self._host
        # A forked worker keeps to its time itself; the host must not outlast it for long.
        limit_s = job.timeout_s + self._fork * _GRACE_S
        patience = threading.Timer(limit_s, host.kill)
        started = time.monotonic()
        patience.start()
        try:
            _pipe(host.stdin).write(job.as_json().encode() + b"\n")
            _pipe(host.stdin).flush()
            head = json.loads(_pipe(host.stdout).readline(_LONGEST_HEAD))
            if not 0 <= head["length"] <= longest_answer(job.task):
                raise ValueError
            response = _pipe(host.stdout).read(head["length"])
            if len(response) < head["length"]:
                raise EOFError
            if not self._fork:
                host.wait()
        except (OSError, ValueError, EOFError):  # the host is gone; the next file gets a new one
            is_late = time.monotonic() - started >= limit_s
            host.kill()
            status = host.wait()
            return (min(_OUT_OF_TIME) if is_late else min(status, -1)), b""
        finally:
            patience.cancel()
        return head["status"], response


def _start(fork: bool) -> "subprocess.Popen[bytes]":
    # This package is found in the worker even where it runs from a working copy. The arrays of a
    # file are too small for the threads of NumPy, which wait for one another in a busy loop.
    path = os.pathsep.join(filter(None, (str(_ROOT), os.environ.get("PYTHONPATH"))))
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "services.ingestion.worker", "fork" if fork else "once"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        | {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"},
    )


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def main(mode: str) -> None:
    """Serve as the host; in the mode ``once`` do a single job without a fork."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started the host ends it
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints goes to standard error, which nobody reads
    for line in sys.stdin.buffer:
        job = json.loads(line)
        with tempfile.TemporaryFile() as response:
            status = _forked(job, response) if mode == "fork" else work(job, response)
            head = {"status": status, "length": response.seek(0, os.SEEK_END)}
            response.seek(0)
            output.write(json.dumps(head).encode() + b"\n" + response.read())
            output.flush()
        if mode == "once":
            return


def _forked(job: dict[str, Any], output: BinaryIO) -> int:
    for module in _needed(job):
        importlib.import_module(module)
    child = os.fork()
    if child:
        return _wait(child, job["timeout_s"] + _GRACE_S / 2)
    status = 1
    try:  # the worker's whole life; it never returns into the host's loop
        _keep_only(output.fileno())
        status = work(job, output)
    finally:
        os._exit(status)


def _wait(child: int, seconds: float) -> int:
    """Return the exit status of a worker, which is killed if it has stopped its own timer."""
    signal.signal(signal.SIGALRM, lambda *_: os.kill(child, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    left, _ = signal.setitimer(signal.ITIMER_REAL, 0)
    return status if left else -signal.SIGALRM


def _keep_only(descriptor: int) -> None:
    """Close what a worker has inherited of the host: through its pipes it could answer for others.

    The standard descriptors stay, on the null device.
    """
    os.dup2(2, 0)
    for inherited in map(int, os.listdir("/dev/fd")):  # noqa: PTH208 - a third of the time
        if inherited > 2 and inherited != descriptor:
            os.closerange(inherited, inherited + 1)  # which ignores that one is closed already


def _needed(job: dict[str, Any]) -> tuple[str, ...]:
    kind = SUFFIXES.get(Path(job["path"]).suffix.lower())
    return _LOADED.get(job["task"]) or ((_parser(kind, job["docling"])[0],) if kind else ())


def _parser(kind: Kind, docling: bool) -> tuple[str, str]:
    return _DOCLING if docling and kind == "pdf" else _PARSERS[kind]


def work(job: dict[str, Any], output: BinaryIO) -> int:
    """Limit and confine this process, open a file, write the `answer`; return the exit status."""
    limit(job["memory_mb"], job["timeout_s"], longest_answer(job["task"]))
    confine()
    try:
        output.write(answer(job))
        output.flush()
    except (MemoryError, OSError):  # there is no memory or no room for an answer
        return _OUT_OF_MEMORY
    return 0


def answer(job: dict[str, Any]) -> bytes:
    """Return JSON: ``{task: result}``, ``{"unreadable": why}``, or ``{"failed": what}`` of a fault.

    Raises MemoryError if the limit was reached.
    """
    path, about = Path(job["path"]), job["about"]
    result: object
    try:
        match job["task"]:
            case "lines":
                result = importlib.import_module(_OCR).recognise(path, about)
            case "attachments":
                result = importlib.import_module(_MAIL).attachments(path)
            case "page":
                result = importlib.import_module(_DRAWING).draw(path, RenderRequest(**about))
            case _:
                recognised = TypeAdapter(Recognised).validate_python(about or {})
                result = _document(parse(path, recognised, docling=job["docling"]))
        reply = {job["task"]: result}
    except UnreadableDocument as error:
        reply = {"unreadable": error.notice.model_dump()}
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault of this one file
        reply = {"failed": f"{type(error).__name__}: {str(error)[:200]}"}
    return json.dumps(reply, ensure_ascii=False).encode("utf-8", "replace")


def parse(path: Path, recognised: Recognised | None = None, *, docling: bool = False) -> Extraction:
    """Parse a file in this process, without limits. Raises UnreadableDocument."""
    try:
        module, function = _parser(detect_kind(path), docling)
        read = getattr(importlib.import_module(module), function)
        extraction: Extraction = read(path, recognised) if recognised else read(path)
    except OSError as error:
        raise UnreadableDocument(
            "it cannot be opened ({cause}); locate the file and ingest it again",
            cause=error.strerror,
        ) from error
    is_empty = not extraction.text.strip() and not extraction.pictures
    if is_empty and extraction.warnings:
        (reason, *_) = extraction.warnings
        raise UnreadableDocument(reason.message, **reason.fields)
    if is_empty:
        raise UnreadableDocument("the file contains no text, so there is nothing to ingest")
    require_length(len(extraction.text))
    return extraction


def _document(extraction: Extraction) -> dict[str, object]:
    """Return the fields without the file's name, which others with the same bytes must not see."""
    return {
        "title": extraction.title or "",
        "text": extraction.text,
        "pages": extraction.pages,
        "page_labels": extraction.page_labels,
        "sections": [section.model_dump() for section in build_sections(extraction)],
        "metadata": extraction.metadata.model_dump(mode="json"),
        "unread_pages": extraction.unread_pages,
        "pictures": extraction.pictures,
        "warnings": [warning.model_dump(mode="json") for warning in extraction.warnings],
    }


def limit(memory_mb: int, timeout_s: float, answer_bytes: int) -> None:
    """Limit address space, times and the answer, where the system can (not on Windows)."""
    if sys.platform == "win32":
        return
    import resource

    cpu_s = int(timeout_s) + 1
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (answer_bytes, answer_bytes))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # which ends the process
    signal.setitimer(signal.ITIMER_REAL, timeout_s)


if __name__ == "__main__":
    main(sys.argv[1])
