"""PDF files through Docling: its stored result as text, and files that it does not read."""

from contextlib import closing
from pathlib import Path

import pytest
from docling_core.types.doc.document import DoclingDocument

from services.domain.errors import UnreadableDocument
from services.ingestion.parse import FileParser
from services.ingestion.parsers.pdf import docling_parser
from services.ingestion.parsers.pdf.docling_parser import extraction_of
from services.ingestion.worker import parse
from services.settings import Settings
from tests.support.pdf_files import PAGE_WIDTH, Text, lines, make_pdf

RESULT = Path(__file__).parents[2] / "data" / "docling_result.json"
"""What Docling's exports look like: a lease of three pages, the last one a picture."""


@pytest.fixture
def document() -> DoclingDocument:
    return DoclingDocument.model_validate_json(RESULT.read_text(encoding="utf-8"))


def pdf(folder: Path, *pages: str) -> Path:
    path = folder / "lease.pdf"
    path.write_bytes(make_pdf([lines(700, text) if text else [] for text in pages]))
    return path


def test_text_headings_and_pages_are_those_of_the_result(document: DoclingDocument) -> None:
    extraction = extraction_of(document)
    assert extraction.title == "Lease of the Mill"
    assert [(heading.title, heading.level) for heading in extraction.headings] == [
        ("1 Rent", 1),
        ("1.1 Deposit", 2),
    ]
    for heading in extraction.headings:
        assert extraction.text[heading.start : heading.end] == heading.title
    second, third = extraction.pages[1:]
    assert extraction.text[second:].startswith(" and is paid before the keys")
    assert third == len(extraction.text) + 2
    assert "1. by transfer\n\n2. in cash" in extraction.text
    assert "Draft 7" not in extraction.text


def test_a_row_has_its_cells_after_their_heads(document: DoclingDocument) -> None:
    rows = extraction_of(document).text.splitlines()
    assert "Flat: Ground floor | Rent in EUR: 777" in rows
    assert "Flat: Attic | Rent in EUR: 778" in rows


def test_a_file_is_read_through_docling(
    tmp_path: Path, document: DoclingDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docling_parser, "_converted", lambda path: document)
    path = pdf(tmp_path, "The deposit is three months' rent.")
    assert "Rent in EUR: 778" in parse(path, docling=True).text
    assert "Rent in EUR: 778" not in parse(path).text


def test_a_file_with_text_that_no_page_shows_is_read_as_without_docling(
    tmp_path: Path, document: DoclingDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(docling_parser, "_converted", lambda path: document)
    beyond_the_page = Text(PAGE_WIDTH + 50, 700, "The deposit is ten months' rent.")
    path = tmp_path / "lease.pdf"
    path.write_bytes(
        make_pdf([[*lines(700, "The deposit is three months' rent."), beyond_the_page]])
    )
    extraction = parse(path, docling=True)
    assert extraction.text == "The deposit is three months' rent."
    assert "invisible text" in extraction.warnings[0].message


def test_without_docling_there_is_advice(tmp_path: Path) -> None:
    path = pdf(tmp_path, "The deposit is three months' rent.")
    settings = Settings(pdf_reader="docling")
    with closing(FileParser(settings)) as parser:
        assert parser.version != FileParser(Settings()).version
        with pytest.raises(UnreadableDocument, match=r'pip install "rabbithole\[docling\]"'):
            parser(path)
        with pytest.raises(UnreadableDocument, match="docling-tools models download"):
            parser(path)
