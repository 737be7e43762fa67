"""What a citation in a format without pages is called: always by its nearest heading."""

from pathlib import Path

import docx
import pytest

from services.domain import ParsedDocument
from services.ingestion.chunking import regions
from services.ingestion.parsers.headings import build_sections
from services.ingestion.worker import parse
from services.report_check.check import labels_of

# A file, its text, and the label of the passage in which a word stands.
PLACES = [
    (
        "hashes.md",
        "# Lease\n\nIntro text.\n\n## 2 Deposit\n\nBody.\n\n## Art 39\n\nMore.\n",
        {"Intro": "Lease", "Body": "2", "More": "Art 39"},
    ),
    (
        "two-tops.md",
        "# Lease\n\nIntro text.\n\n# B\n\n## 2 Deposit\n\nBody.\n",
        {"Intro": "Lease", "Body": "2 Deposit"},
    ),
    (
        "underlined.txt",
        "Lease\n=====\n\nIntro text.\n\nDeposit\n-------\n\nBody.\n",
        {"Intro": "Lease", "Body": "Deposit"},
    ),
    (
        "numbered.txt",
        "Lease\n\nIntro text.\n\n1 Deposit\n\nBody.\n\n2 Repairs\n\nMore.\n",
        {"Intro": "Lease", "Body": "1", "More": "2"},
    ),
    (
        "part.md",
        "# Part 1 Rooms\n\nIntro text.\n\n## Deposit\n\nBody.\n",
        {"Intro": "Part 1", "Body": "Part 1"},
    ),
    ("note.txt", "Lease\n\nOnly text.\n", {"Only": ""}),
]


def parsed(path: Path) -> ParsedDocument:
    extraction = parse(path)
    return ParsedDocument(
        title=extraction.title or "",
        text=extraction.text,
        pages=extraction.pages,
        sections=[section.model_dump() for section in build_sections(extraction)],
        language="en",
        parser_version="test",
    )


def labels(document: ParsedDocument, words: dict[str, str]) -> dict[str, str]:
    """The labels of the passages in which these words stand."""
    text, found = document.text, list(regions(document))
    for each in found:
        assert labels_of(document, each.start, each.end) == [each.label], "as reports are checked"
    return {
        word: each.label for word in words for each in found if word in text[each.start : each.end]
    }


@pytest.mark.parametrize(("name", "text", "named"), PLACES)
def test_a_passage_is_called_by_its_nearest_heading(
    tmp_path: Path, name: str, text: str, named: dict[str, str]
) -> None:
    (tmp_path / name).write_text(text)
    assert labels(parsed(tmp_path / name), named) == named


def test_a_word_document_is_cited_by_the_headings_of_its_styles(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Lease", style="Title")
    document.add_paragraph("Intro text.")
    document.add_heading("Deposit", 1)
    document.add_paragraph("Body.")
    document.save(str(tmp_path / "a.docx"))
    named = {"Intro": "Lease", "Body": "Deposit"}
    assert labels(parsed(tmp_path / "a.docx"), named) == named
