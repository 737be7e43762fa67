"""Hands for workers of Ray: the real parser and a fake model, or ones that die on the way."""

import os
import signal
from pathlib import Path

from services.domain import ParsedDocument
from services.ingestion.hands import Hands
from services.ingestion.parse import FileParser
from services.settings import Settings
from tests.support.fakes_retrieval import HashEmbedder
from tests.support.ingestion import HeadingParser


def hands(settings: Settings) -> Hands:
    return Hands(FileParser(settings), HashEmbedder())


def mortal_hands(settings: Settings) -> Hands:
    return Hands(MortalParser(), HashEmbedder())


class MortalParser(HeadingParser):
    """Kills its process at a file ``once…``, the first time, and at one ``always…`` every time."""

    def __call__(self, path: Path, *, language: str = "auto") -> ParsedDocument:
        died = path.with_suffix(".died")
        if path.name.startswith("always") or (path.name.startswith("once") and not died.exists()):
            with died.open("a") as deaths:
                deaths.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(path, language=language)
