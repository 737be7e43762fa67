"""Text and Markdown: encodings, titles and headings."""

from pathlib import Path

import pytest

from services.domain.errors import UnreadableDocument
from services.ingestion.extraction import Extraction, Heading
from services.ingestion.headings import (
    build_sections,
    markdown_headings,
    pattern_headings,
    underlined_headings,
)
from services.ingestion.plain_parser import decode, parse_text

PEP = """\
PEP: 604
Title: Allow writing union types as ``X | Y``
Author: A. Person <a@example.org>,
        B. Person <b@example.org>
Status: Final

Abstract
========

This PEP proposes ``X | Y``.

Specification
=============

Simplified Syntax
-----------------

Text with code::

    title
    =====

1. Add an operator
------------------

More.
"""


def parsed(folder: Path, name: str, text: str) -> Extraction:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return parse_text(path)


def outline(headings: list[Heading]) -> str:
    """Level and title of each heading."""
    return ", ".join(f"{heading.level} {heading.title}" for heading in headings)


def test_encodings_and_line_ends(tmp_path: Path) -> None:
    text = "Größe: 20 mSv – „Grenzwert“"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "cp1252"):
        assert decode(text.encode(encoding)) == text
    for data in (b"a\x00b", b"\xff\xfe\x00", b"\x81\x8d\x8f", b"\x01\x02\x03abc"):
        with pytest.raises(UnreadableDocument, match="binary"):
            decode(data)
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\rthree\n")
    assert parse_text(tmp_path / "a.txt").text == "one\ntwo\nthree\n"


def test_document_of_a_series_is_labelled_throughout(tmp_path: Path) -> None:
    extraction = parsed(tmp_path, "pep-0604.txt", PEP)
    assert extraction.title == "PEP 604 – Allow writing union types as X | Y"
    sections = build_sections(extraction)
    assert {section.label for section in sections} == {"PEP 604"}
    assert [section.heading_path for section in sections] == [
        (),
        ("Abstract",),
        ("Specification",),
        ("Specification", "Simplified Syntax"),
        ("Specification", "1. Add an operator"),
    ]
    assert sections[0].start == 0
    assert extraction.text[sections[1].start :].startswith("Abstract")


def test_underlined_headings_take_levels_in_order_of_their_style() -> None:
    text = "****\nBook\n****\n\nPart\n====\n\nx\n\nChapter\n~~~~~~~\n\ny\n\nPart two\n========\n"
    found = underlined_headings(text)
    assert outline(found) == "0 Book, 1 Part, 2 Chapter, 1 Part two"
    assert text[found[0].start : found[0].end] == "****\nBook\n****"
    for other in (
        "A line of a paragraph\nthat ends here\n--------\n",
        "  indented\n  ========\n",
        "=====  =====\n  A      B\n=====  =====\n",
        "A title much longer than its rule\n====\n",
    ):
        assert underlined_headings(other) == []


def test_markdown_headings_outside_fences() -> None:
    text = (
        "---\ntitle: x\n---\n# One ##\n\n```python\n# not a heading\n```\n\n"
        "    # nor this\n\nTwo\n---\n\n### `Three` [four](http://a.b)\n\n| a |\n|---|\n"
    )
    assert outline(markdown_headings(text)) == "1 One, 2 Two, 3 Three four"


def test_markdown_title_is_no_section(tmp_path: Path) -> None:
    extraction = parsed(tmp_path, "a.md", "# Law (L)\n\nDated.\n\n#### § 1 Scope\n\nText.\n")
    assert extraction.title == "Law (L)"
    assert [section.heading_path for section in build_sections(extraction)] == [("§ 1 Scope",)]


def test_lines_that_read_as_headings() -> None:
    text = (
        "Verordnung über Strahlung (V)\n\n"
        "§ 1 Anwendungsbereich\n\n(1) Text.\n\n"
        "§ 2 Absatz 1 gilt entsprechend\n\n"
        "§ 3 ist nicht anzuwenden.\n\n"
        "§ 4\n\nnach Maßgabe von\n§ 5 Ausnahmen\n\n"
        "Anlage 1 (zu § 2 Nummer 4)\n\nText.\n"
    )
    found = outline(pattern_headings(text))
    assert found == "4 § 1 Anwendungsbereich, 4 § 4, 1 Anlage 1 (zu § 2 Nummer 4)"


def test_numbered_lines_count_where_they_continue_the_numbering() -> None:
    lines = "1 Scope|Text.|1.1 Terms|3.7 Million people|Text.|1.2 Signs|2 Duties|4. Not a heading"
    text = "\n\n".join([*lines.split("|"), "2.1 Contents ........ 12", "2.1 Records"])
    found = outline(pattern_headings(text))
    assert found == "5 1 Scope, 6 1.1 Terms, 6 1.2 Signs, 5 2 Duties, 6 2.1 Records"


def test_first_lines_are_the_title_unless_they_are_a_sentence(tmp_path: Path) -> None:
    law = parsed(tmp_path, "a.txt", "Verordnung zum Schutz vor\nStrahlung (V)\n\n§ 1 Zweck\n\nX.\n")
    assert law.title == "Verordnung zum Schutz vor Strahlung (V)"
    assert parsed(tmp_path, "b.txt", "This is a sentence.\n\nAnother one.").title is None
    assert parsed(tmp_path, "c.txt", "§ 1 Zweck\n\nX.\n\n§ 2 Pflichten\n\nY.").title is None
