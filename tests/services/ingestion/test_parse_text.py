"""Text and Markdown: titles and headings."""

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from time import process_time

import docx
import pytest

from services.domain import ParsedDocument, SectionSpan
from services.ingestion.chunking import regions
from services.ingestion.parsers.extraction import Extraction, Heading
from services.ingestion.parsers.headings import build_sections, markdown_headings
from services.ingestion.parsers.plain_parser import parse_text
from services.ingestion.parsers.web_parser import parse_html
from services.ingestion.worker import parse
from services.report_check.check import labels_of

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


def test_line_ends(tmp_path: Path) -> None:
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


def test_first_lines_are_the_title_unless_they_are_a_sentence(tmp_path: Path) -> None:
    law = parsed(tmp_path, "a.txt", "Verordnung zum Schutz vor\nStrahlung (V)\n\n§ 1 Zweck\n\nX.\n")
    assert law.title == "Verordnung zum Schutz vor Strahlung (V)"
    assert parsed(tmp_path, "b.txt", "This is a sentence.\n\nAnother one.").title is None
    rules = "Rules of the club\n\n# Name\n\nX.\n\n# Purpose\n\nY.\n"
    assert parsed(tmp_path, "d.md", rules).title == "Rules of the club"
    assert parsed(tmp_path, "e.md", "This is a sentence.\n\n# Name\n\n# Purpose\n").title == "Name"
    assert parsed(tmp_path, "f.md", "***\n\n## Fees\n\n5 euros.\n\n## Rules\n\nNone.").title is None
    assert parsed(tmp_path, "c.txt", "§ 1 Zweck\n\nX.\n\n§ 2 Pflichten\n\nY.").title is None


@pytest.mark.parametrize(
    ("lines", "labels"),
    [
        (["81 Zweck", "82 Form", "§ 3 Dauer", "$ 4 Ende"], ["§ 1", "§ 2", "§ 3", "§ 4"]),
        (
            ["§ 5 Dauer", "89 Gebühren", "810 (Weitere) Fristen", "§ 12 Ende"],
            ["§ 5", "§ 9", "§ 10", "§ 12"],
        ),
        (["§ 4 Lärm", "85 Dezibel", "§ 5 Staub", "87 Dezibel gelten."], ["§ 4", "§ 5"]),
        (["§ 4 Lärm", "850 Euro"], ["§ 4"]),
        (["81 Zweck", "82 Form", "83 Dauer"], []),
        (["§ 6", "88", "89", "§ 10", "56"], ["§ 6", "§ 8", "§ 9", "§ 10"]),
    ],
)
def test_a_sign_of_paragraphs_that_was_misread_is_told_by_the_numbers_around_it(
    tmp_path: Path, lines: Sequence[str], labels: Sequence[str]
) -> None:
    text = "".join(f"{line}\n\nDas ist der erste Satz. Das ist noch einer.\n\n" for line in lines)
    sections = build_sections(parsed(tmp_path, "scan.txt", text))
    assert [s.label for s in sections if s.label.startswith("§")] == labels


def test_front_matter_feeds_title_and_metadata_and_not_the_text(tmp_path: Path) -> None:
    matter = "---\ntitle: House rules\nauthor: Ada\ndate: 2020-06-07\nsum: {{ site.sum }}\n---\n"
    extraction = parsed(tmp_path, "a.md", f"{matter}\n## Quiet\n\nFrom 10 pm.\n")
    assert (extraction.text, extraction.title) == ("## Quiet\n\nFrom 10 pm.\n", "House rules")
    assert (extraction.metadata.author, str(extraction.metadata.date)) == ("Ada", "2020-06-07")
    first = extraction.headings[0]
    assert extraction.text[first.start : first.end] == "## Quiet"
    between_rules = "---\n\nA rule, and then text.\n\n---\n\nMore.\n"
    assert parsed(tmp_path, "b.md", between_rules).text == between_rules


def test_headings_between_rules_stay_headings(tmp_path: Path) -> None:
    text = "---\n\n# Quiet\n\nFrom 10 pm.\n\n---\n\n# Waste\n\nOn Mondays.\n"
    assert [each.title for each in parsed(tmp_path, "a.md", text).headings] == ["Quiet", "Waste"]


def test_a_heading_with_a_gap_is_read_fast() -> None:
    began = process_time()
    (found,) = markdown_headings(f"# One{' ' * 40_000}two ##  ")
    assert found.title.startswith("One")
    assert process_time() - began < 2


def test_a_title_holds_no_character_that_a_text_may_not_hold(tmp_path: Path) -> None:
    assert parsed(tmp_path, "a.md", '---\ntitle: "Der\\0 Titel"\n---\nText.\n').title == "Der Titel"
    page = tmp_path / "a.html"
    page.write_bytes(b'<html><meta charset="utf-8"><title>Der\0 Titel</title><p>Text.</p></html>')
    assert parse_html(page).title == "Der Titel"


def sections(*headings: tuple[int, str], series: str | None = None) -> list[SectionSpan]:
    """Sections of a text that consists of headings, each followed by "x"."""
    text, found = "Front matter.\n", []
    for level, title in headings:
        found.append(Heading(len(text), len(text) + len(title), title, level))
        text += f"{title}\nx\n"
    return build_sections(Extraction("Title", text, tuple(found), series=series))


def test_sections_are_ordered_and_gapless() -> None:
    found = sections((0, "A"), (1, "B"), (5, "C"), (0, "D"))
    assert [section.level for section in found] == [0, 1, 2, 0]
    assert all(a.end == b.start for a, b in pairwise(found))
    assert found[-1].end == len("Front matter.\n") + 4 * len("A\nx\n")
    found = sections((0, "Abstract"), (0, "3.1 Rules"), (0, "Appendix A: More"), series="PEP 604")
    assert [section.label for section in found] == ["PEP 604", "PEP 604", "3.1", "PEP 604"]
    assert (found[0].start, found[0].end, found[0].heading_path) == (0, found[1].start, ())


def test_a_title_is_no_section_and_two_headings_at_one_place_give_one(tmp_path: Path) -> None:
    extraction = parsed(tmp_path, "a.md", "# Law (L)\n\nDated.\n\n#### § 1 Scope\n\nText.\n")
    assert extraction.title == "Law (L)"
    assert [section.heading_path for section in build_sections(extraction)] == [("§ 1 Scope",)]
    both = (Heading(0, 0, "Part I B", 0), Heading(0, 3, "1 A", 1))
    found = build_sections(Extraction(None, "1 A\nx", both))
    assert [section.heading_path for section in found] == [("Part I B", "1 A")]


def test_a_stated_title_names_a_file_whose_headings_do_not(tmp_path: Path) -> None:
    matter, several = '---\ntitle: "Satzung"\n---\n', "# Name\n\nA.\n\n# Zweck\n\nB.\n"
    assert parsed(tmp_path, "a.md", matter + several).title == "Satzung"
    assert parsed(tmp_path, "b.md", several).title == "Name"
    assert (
        parsed(tmp_path, "c.md", f"{matter}# Satzung des Vereins\n").title == "Satzung des Vereins"
    )


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


def parsed_document(path: Path) -> ParsedDocument:
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
    assert labels(parsed_document(tmp_path / name), named) == named


def test_a_word_document_is_cited_by_the_headings_of_its_styles(tmp_path: Path) -> None:
    document = docx.Document()
    document.add_paragraph("Lease", style="Title")
    document.add_paragraph("Intro text.")
    document.add_heading("Deposit", 1)
    document.add_paragraph("Body.")
    document.save(str(tmp_path / "a.docx"))
    named = {"Intro": "Lease", "Body": "Deposit"}
    assert labels(parsed_document(tmp_path / "a.docx"), named) == named
