"""Readers for workers of Ray: the real parser and a fake model, or a parser that crashes."""

import os
import signal
from pathlib import Path

from services.domain import ParsedDocument
from services.ingestion.file_reader import FileReader
from services.ingestion.parse import FileParser
from services.settings import Settings
from tests.support.fakes_retrieval import HashEmbedder
from tests.support.ingestion import HeadingParser


def fake_reader(settings: Settings) -> FileReader:
    return FileReader(FileParser(settings), HashEmbedder())


def crashing_reader(settings: Settings) -> FileReader:
    return FileReader(CrashingParser(), HashEmbedder())


class CrashingParser(HeadingParser):
    """Kills its process at a file ``once…``, the first time, and at one ``always…`` every time."""

    def __call__(self, path: Path, *, language: str = "auto") -> ParsedDocument:
        died = path.with_suffix(".died")
        if path.name.startswith("always") or (path.name.startswith("once") and not died.exists()):
            with died.open("a") as deaths:
                deaths.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(path, language=language)
