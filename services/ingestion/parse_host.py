"""A process that forks a worker for every file: ``python -m services.ingestion.parse_host``.

Starting Python and loading a parser takes longer than most files do; a fork of a process that
has done so takes a few milliseconds. The host itself never opens a file. Of standard input it
reads a line a file (``Job.as_json`` of ``services.ingestion.processes``); to standard output it
writes a line
``{"status", "length"}`` (as of ``os.waitstatus_to_exitcode``) and that many bytes, the worker's
answer. It ends with its input.
"""

import importlib
import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any, BinaryIO, Final

from services.ingestion import worker

PARSERS: Final = {
    ".pdf": ("pypdfium2", "services.ingestion.pdf_parser"),
    ".docx": ("docx", "services.ingestion.docx_parser"),
    ".txt": ("services.ingestion.plain_parser",),
    ".md": ("services.ingestion.plain_parser",),
}
"""What is loaded before the fork, by the ending of the file name."""
DRAWING: Final = ("pypdfium2", "PIL.ImageDraw", "PIL.PngImagePlugin", "services.pages.draw")
SLICE: Final = 1 << 20


def main() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started the host ends it
    output = os.fdopen(os.dup(1), "wb")
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    for line in sys.stdin.buffer:
        serve(json.loads(line), output)


def serve(job: dict[str, Any], output: BinaryIO) -> None:
    """Have a worker open one file, and pass its answer on."""
    parser = PARSERS.get(Path(job["path"]).suffix.lower(), ())
    for module in parser if job["page"] is None else DRAWING:
        importlib.import_module(module)
    with tempfile.TemporaryFile() as answer:
        child = os.fork()
        if not child:
            work(job, answer.fileno())
        _, status = os.waitpid(child, 0)
        length = os.fstat(answer.fileno()).st_size
        head = {"status": os.waitstatus_to_exitcode(status), "length": length}
        output.write(json.dumps(head).encode() + b"\n")
        answer.seek(0)
        while part := answer.read(SLICE):
            output.write(part)
        output.flush()


def work(job: dict[str, Any], output: int) -> None:
    """The worker's whole life; it never returns into the host's loop."""
    status = 1
    try:
        os.close(0)
        status = worker.work(job, output)
    finally:
        os._exit(status)


if __name__ == "__main__":
    main()
