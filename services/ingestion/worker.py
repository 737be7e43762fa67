"""What happens in the processes that open files from outside, under limits of their own.

They import neither Pydantic nor anything else that slows their start. Starting Python and
loading a parser takes longer than most files do, so ``python -m services.ingestion.worker`` is a
host that forks a worker for every file, which takes a few milliseconds. The host itself never
opens a file. Of standard input it reads a line a file (``Job.as_json`` of
``services.ingestion.processes``); to standard output it writes a line ``{"status", "length"}``
(as of ``os.waitstatus_to_exitcode``) and that many bytes, the worker's answer. It ends with its
input. Where there is no fork, the job is an argument and the answer the whole output.
"""

import importlib
import json
import os
import signal
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO, Final

from services.domain.errors import UnreadableDocument
from services.ingestion.extraction import Extraction, require_length
from services.ingestion.formats import SUFFIXES, Kind, detect_kind
from services.ingestion.sections import build_sections
from services.library.pages.request import RenderRequest

OUT_OF_MEMORY: Final = 3
"""Exit status when the memory limit was reached."""
_PARSERS: Final[dict[Kind, tuple[str, str]]] = {
    "pdf": ("services.ingestion.pdf_parser", "parse_pdf"),
    "docx": ("services.ingestion.docx_parser", "parse_docx"),
    "text": ("services.ingestion.plain_parser", "parse_text"),
}
_LIBRARIES: Final[dict[Kind, str]] = {"pdf": "pypdfium2", "docx": "docx"}
_DRAWING: Final = (
    "pypdfium2",
    "PIL.ImageDraw",
    "PIL.PngImagePlugin",
    "services.library.pages.draw",
)
_SLICE: Final = 1 << 20


def main(arguments: list[str]) -> int:
    """Serve as the host, or do the one job that is named; the exit status as of `work`."""
    output = os.dup(1)
    if arguments:
        os.dup2(2, 1)  # whatever a library prints goes to standard error
        return work(json.loads(arguments[0]), output)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started the host ends it
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    stream = os.fdopen(output, "wb")
    for line in sys.stdin.buffer:
        serve(json.loads(line), stream)
    return 0


def serve(job: dict[str, Any], output: BinaryIO) -> None:
    """Have a worker open one file, and pass its answer on."""
    for module in _needed(job):
        importlib.import_module(module)
    with tempfile.TemporaryFile() as answer:
        child = os.fork()
        if not child:
            _live(job, answer.fileno())
        _, status = os.waitpid(child, 0)
        length = os.fstat(answer.fileno()).st_size
        head = {"status": os.waitstatus_to_exitcode(status), "length": length}
        output.write(json.dumps(head).encode() + b"\n")
        answer.seek(0)
        while part := answer.read(_SLICE):
            output.write(part)
        output.flush()


def _needed(job: dict[str, Any]) -> tuple[str, ...]:
    """What is loaded before the fork, by the ending of the file name."""
    kind = SUFFIXES.get(Path(job["path"]).suffix.lower())
    if job["page"] is not None:
        return _DRAWING
    return tuple(filter(None, (_LIBRARIES.get(kind), _PARSERS[kind][0]))) if kind else ()


def _live(job: dict[str, Any], output: int) -> None:
    """The worker's whole life; it never returns into the host's loop."""
    status = 1
    try:
        os.close(0)
        status = work(job, output)
    finally:
        os._exit(status)


def work(job: dict[str, Any], output: int) -> int:
    """Limit this process, then open a file and write the `answer` to a file descriptor.

    Returns:
        The exit status: 0 with an answer, or `OUT_OF_MEMORY`.
    """
    limit(job["memory_mb"], job["timeout_s"])
    page = None if job["page"] is None else RenderRequest(**job["page"])
    try:
        result = answer(Path(job["path"]), page)
    except MemoryError:
        return OUT_OF_MEMORY
    with os.fdopen(output, "wb") as stream:
        stream.write(result)
    return 0


def answer(path: Path, page: RenderRequest | None = None) -> bytes:
    """A JSON object: ``{"document": {…}}``, ``{"unreadable": "why"}`` or ``{"failed": "what"}``.

    With a page to draw it is ``{"page": {…}}`` in place of the document.

    Raises:
        MemoryError: the limit was reached.
    """
    result: dict[str, object]
    try:
        if page is None:
            result = {"document": _document(parse(path), path)}
        else:
            from services.library.pages.draw import draw

            result = {"page": draw(path, page)}
    except UnreadableDocument as error:
        result = {"unreadable": error.notice.model_dump()}
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a fault of this one file
        result = {"failed": f"{type(error).__name__}: {str(error)[:200]}"}
    return json.dumps(result, ensure_ascii=False).encode("utf-8", "replace")


def parse(path: Path) -> Extraction:
    """Parse a file in this process, without limits.

    Raises:
        UnreadableDocument: the file cannot be read; the message says why and what to do.
    """
    try:
        module, function = _PARSERS[detect_kind(path)]
        extraction: Extraction = getattr(importlib.import_module(module), function)(path)
    except OSError as error:
        raise UnreadableDocument(
            "it cannot be opened ({cause}); look where it is, and ingest it again",
            cause=error.strerror,
        ) from error
    if not extraction.text.strip():
        raise UnreadableDocument("the file holds no text; there is nothing to ingest")
    require_length(extraction.text)
    return extraction


def _document(extraction: Extraction, path: Path) -> dict[str, object]:
    return {
        "title": extraction.title or path.stem,
        "text": extraction.text,
        "pages": extraction.pages,
        "sections": [asdict(section) for section in build_sections(extraction)],
        "metadata": asdict(extraction.metadata),
        "unread_pages": extraction.unread_pages,
    }


def limit(memory_mb: int, timeout_s: float) -> None:
    """Limit address space, processor time and time, where the system can (not on Windows)."""
    if sys.platform == "win32":
        return
    import resource

    cpu_s = int(timeout_s) + 1
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (memory_mb << 20, memory_mb << 20))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # which ends the process
    signal.setitimer(signal.ITIMER_REAL, timeout_s)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
