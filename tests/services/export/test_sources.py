"""Sources as BibTeX and RIS, read again by pybtex and rispy."""

import datetime

import rispy
from pybtex.database import parse_string

from services.domain.passages import DocumentMetadata
from tests.support.exported import export_report, report
from tests.support.played_session import EXCEPTION, LIMIT, ORGANS

KNOWN = {
    "d1": DocumentMetadata(author="Amt für {Strahlen} & Co", date=datetime.date(2017, 6, 27)),
}


def two_sources() -> dict:
    made = report()
    first = made["sources"][0]
    made["sources"] = [first, {**first, "document_id": "d2", "title": "Zweites"}]
    return made


def test_bibtex_has_one_entry_a_source_with_what_is_known() -> None:
    entries = parse_string(export_report(two_sources(), "bib", metadata=KNOWN).decode(), "bibtex")
    assert list(entries.entries) == ["StrlSchG", "StrlSchG-2"]
    fields = entries.entries["StrlSchG"].fields
    assert fields["title"] == "{Strahlenschutzgesetz}"
    assert (fields["year"], fields["date"], fields["pages"]) == ("2017", "2017-06-27", "50, 51")
    assert "StrlSchG.pdf" in fields["howpublished"] and "9f" * 32 in fields["note"]
    person = entries.entries["StrlSchG"].persons["author"][0]
    assert str(person) == r"{Amt für \textbraceleft{}Strahlen\textbraceright{} \& Co}"
    for number, quote in enumerate((LIMIT, EXCEPTION, ORGANS), 1):
        assert fields["annote"].count(quote) == 1
        assert fields["annote"].count(f"[{number}]") == 1
    other = entries.entries["StrlSchG-2"].fields
    assert "annote" not in other and "year" not in other


def test_keys_differ_without_regard_to_case() -> None:
    made = report()
    first = made["sources"][0]
    made["sources"] = [
        {**first, "document": name, "document_id": name} for name in ("AtG.pdf", "atg.docx")
    ]
    entries = parse_string(export_report(made, "bib").decode(), "bibtex")
    assert list(entries.entries) == ["AtG", "atg-2"]


def test_ris_has_one_record_a_source_with_what_is_known() -> None:
    content = export_report(two_sources(), "ris", metadata=KNOWN).decode()
    assert content.startswith("TY  - GEN\n")
    first, other = rispy.loads(content)
    assert first["title"] == "Strahlenschutzgesetz"
    assert first["authors"] == ["Amt für {Strahlen} & Co"]
    assert (first["year"], first["date"]) == ("2017", "2017/06/27")
    assert (first["start_page"], first["end_page"]) == ("50", "51")
    notes = "\n".join(first["notes"])
    assert "9f" * 32 in notes
    for number, quote in enumerate((LIMIT, EXCEPTION, ORGANS), 1):
        assert notes.count(quote) == 1 and notes.count(f"[{number}]") == 1
    assert "year" not in other and "authors" not in other and len(other["notes"]) == 1


def test_a_report_without_sources_makes_an_empty_file() -> None:
    made = report() | {"sentences": [], "sources": []}
    assert export_report(made, "bib") == b""
    assert export_report(made, "ris").strip() == b""
