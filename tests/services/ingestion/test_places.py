"""What a citation in a format without pages is called: always by its nearest heading."""

from pathlib import Path

import docx
import pytest

from services.domain import ParsedDocument
from services.evidence.verification.claims import labels_of
from services.ingestion.chunking import regions
from services.ingestion.parse import parse_file

TEXTS = {
    "hashes.md": "# Lease\n\nIntro text.\n\n## 2 Deposit\n\nBody.\n\n## Art 39\n\nMore.\n",
    "two-tops.md": "# Lease\n\nIntro text.\n\n# B\n\n## 2 Deposit\n\nBody.\n\n## Art 39\n\nMore.\n",
    "setext.md": "Lease\n=====\n\nIntro text.\n\nDeposit\n-------\n\nBody.\n",
    "underlined.txt": "Lease\n=====\n\nIntro text.\n\nDeposit\n-------\n\nBody.\n",
    "numbered.txt": "Lease\n\nIntro text.\n\n1 Deposit\n\nBody.\n\n2 Repairs\n\nMore.\n",
    "part.md": "# Part 1 Rooms\n\nIntro text.\n\n## Deposit\n\nBody.\n",
}
NAMED = {
    "hashes.md": {"Intro": "Lease", "Body": "2", "More": "Art 39"},
    "two-tops.md": {"Intro": "Lease", "Body": "2 Deposit", "More": "Art 39"},
    "setext.md": {"Intro": "Lease", "Body": "Deposit"},
    "underlined.txt": {"Intro": "Lease", "Body": "Deposit"},
    "numbered.txt": {"Intro": "Lease", "Body": "1", "More": "2"},
    "part.md": {"Intro": "Part 1", "Body": "Part 1"},
}


def parsed(path: Path) -> ParsedDocument:
    return parse_file(path, language="en", timeout_s=20, memory_mb=2000)


def names(document: ParsedDocument, words: dict[str, str]) -> dict[str, str]:
    """The labels of the passages in which these words stand."""
    text = document.text
    found = list(regions(document))
    return {
        word: each.label for word in words for each in found if word in text[each.start : each.end]
    }


@pytest.mark.parametrize("name", TEXTS)
def test_a_passage_is_called_by_its_nearest_heading(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(TEXTS[name])
    document = parsed(tmp_path / name)
    assert names(document, NAMED[name]) == NAMED[name]
    for each in regions(document):
        assert labels_of(document, each.start, each.end) == [each.label], "as reports are checked"


def test_a_word_document_is_cited_by_the_headings_of_its_styles(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Lease", style="Title")
    document.add_paragraph("Intro text.")
    document.add_heading("Deposit", 1)
    document.add_paragraph("Body.")
    document.save(str(tmp_path / "a.docx"))
    expected = {"Intro": "Lease", "Body": "Deposit"}
    assert names(parsed(tmp_path / "a.docx"), expected) == expected


def test_a_text_without_headings_has_no_name(tmp_path: Path) -> None:
    (tmp_path / "note.txt").write_text("Lease\n\nOnly text.\n")
    assert [each.label for each in regions(parsed(tmp_path / "note.txt"))] == [""]
