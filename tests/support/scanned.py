"""PDF files whose pages are pictures of the pages of others, as a scanner would make them."""

import io
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import closing
from functools import cache
from pathlib import Path

import pypdfium2
import pytest
from PIL.Image import Image

from services.domain import RecognisedLine
from services.ingestion.worker import WorkerJob, WorkerPool
from tests.support.pdf_files import Text, make_pdf


def scanned(pdf: bytes, *, dpi: int = 200, pages: Sequence[int] | None = None) -> bytes:
    """The pages (from 0, all unless named) of a PDF as pictures, of the same size in points."""
    with pypdfium2.PdfDocument(pdf) as document:
        chosen = range(len(document)) if pages is None else pages
        images = [document[number].render(scale=dpi / 72).to_pil() for number in chosen]
    return of_images(images, dpi)


def of_images(images: Sequence[Image], dpi: int = 200) -> bytes:
    stream = io.BytesIO()
    first, *others = (image.convert("L") for image in images)
    first.save(stream, "PDF", save_all=True, append_images=others, resolution=dpi)
    return stream.getvalue()


def scanned_text(*pages: Sequence[Text]) -> bytes:
    return scanned(make_pdf(pages))


def joined(*pdfs: bytes) -> bytes:
    stream = io.BytesIO()
    with pypdfium2.PdfDocument.new() as whole:
        for pdf in pdfs:
            with pypdfium2.PdfDocument(pdf) as part:
                whole.import_pages(part)
        whole.save(stream)
    return stream.getvalue()


@cache
def has_engine() -> bool:
    """Whether Tesseract is installed, with its data for Latin letters."""
    if shutil.which("tesseract") is None:
        return False
    listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True)
    return {"Latin", "script/Latin"} & set(listed.stdout.split()) != set()


def read_first(path: Path) -> list[RecognisedLine]:
    """The lines of the first page, read by a worker: its OpenMP and torch's disagree."""
    if not has_engine():
        pytest.skip("needs Tesseract (Debian: tesseract-ocr tesseract-ocr-script-latn)")
    with closing(WorkerPool()) as workers:
        answer = workers.run(WorkerJob(path, 60, 2048, "lines", 1))
    return list(answer["lines"])
