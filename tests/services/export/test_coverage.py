"""What an answer needed by documents: as a table, and in every format."""

from typing import Any

import pytest

from services.export.coverage import CoverageCell, coverage_map, coverage_table, required_info
from tests.support.exported import READING, export_report, read, report

HOSTILE = (
    '"><script>alert(1)</script><img src=x onerror=alert(1)>\x1b\u202e | **laut** [x](http://y)'
)
LAW, RULES = "StrlSchG.pdf", "StrlSchV.pdf"


def passage(
    chunk_id: str,
    task: int | None = 1,
    *,
    tier: int = 1,
    document: str = LAW,
    section: str = "§ 78",
) -> dict[str, Any]:
    place = {"document_id": document, "document": document, "section": section, "page": 1}
    return {"chunk_id": chunk_id, "task": task, "tier": tier, "score": 0.5, **place}


def quote(chunk_id: str, task: int = 1) -> dict[str, Any]:
    return {"chunk_id": chunk_id, "task_id": task, "quote": chunk_id}


def research(
    evidence: list[dict[str, Any]], quotes: list[dict[str, Any]], tasks: int = 1
) -> dict[str, Any]:
    todo = [{"id": number, "task": f"Aufgabe {number}"} for number in range(1, tasks + 1)]
    return {"todo": todo, "evidence": evidence, "quotes": quotes, "language": "de"}


def statuses(value: dict[str, Any]) -> list[str]:
    return [row.status for row in coverage_table(value, "de").rows]


@pytest.mark.parametrize(
    ("evidence", "quotes", "status"),
    [
        ([passage("a")], [quote("a")], "covered"),
        ([passage("a", tier=2)], [quote("a")], "covered"),
        ([passage("a", tier=3)], [quote("a")], "partial"),
        ([passage("a")], [], "partial"),
        ([], [quote("dropped")], "missing"),
    ],
)
def test_a_task_is_covered_by_a_quote_that_answers_or_supports(
    evidence: list[dict[str, Any]], quotes: list[dict[str, Any]], status: str
) -> None:
    assert statuses(research(evidence, quotes)) == [status]


def test_a_cell_counts_passages_by_tier_and_quotes() -> None:
    evidence = [
        passage("a", section="§ 79", tier=2),
        passage("b"),
        passage("c", tier=2),
        passage("d", document=RULES, section=""),
        passage("e", None, tier=3, document=RULES, section="§ 5"),
    ]
    value = research(evidence, [quote("b"), quote("b"), quote("c")])
    table = coverage_table(value, "de")
    assert (table.header, table.documents) == (("Teilfrage", "Stand"), (LAW, RULES))
    first, beside = table.rows
    assert (first.item, first.word) == ("Aufgabe 1", "gefunden")
    law, rules = first.cells
    tiers = "Stufe\u00a01:\u00a01, Stufe\u00a02:\u00a02"
    assert law == CoverageCell("§ 78, § 79", (tiers, "3\u00a0Zitate"), True)
    assert rules.places == "•" and not rules.quoted
    assert (beside.item, beside.word) == ("Zu keiner Aufgabe", "–"), "what belongs to no task"
    assert [str(cell) for cell in beside.cells] == ["–", "§ 5; Stufe\u00a03:\u00a01"]
    backwards = research(evidence[::-1], value["quotes"])
    assert coverage_table(backwards, "de") == table


def test_required_information_is_a_piece_for_each_task() -> None:
    value = research([passage("a", 1)], [quote("a", 2)], tasks=2)
    required = required_info(value)
    assert [(each["item"], each["task"], each["status"]) for each in required] == [
        ("Aufgabe 1", 1, "partial"),
        ("Aufgabe 2", 2, "covered"),
    ]
    assert coverage_map(required) == {"Aufgabe 1": ["a"], "Aufgabe 2": ["a"]}


def test_documents_beyond_the_most_share_a_column_that_names_them() -> None:
    names = [f"{letter}.pdf" for letter in "abcdef"]
    value = research([passage(name, document=name) for name in names], [])
    table = coverage_table(value, "en", 3)
    assert table.documents == ("a.pdf", "b.pdf", "c.pdf", "3 others")
    assert table.rows[0].cells[3].places == "d.pdf, e.pdf, f.pdf"
    assert len(coverage_table(value, "en", 5).documents) == 6, "one document is no group"


def test_documents_of_the_same_name_are_told_apart() -> None:
    rows = [{**passage(each), "document_id": each} for each in "ab"]
    assert coverage_table(research(rows, []), "de").documents == (LAW, f"{LAW} (2)")


def test_a_quick_answer_needs_nothing() -> None:
    assert coverage_table({"sentences": []}, "de").rows == ()


@pytest.mark.parametrize("name", READING)
def test_every_format_holds_the_table_and_what_stands_around(name: str) -> None:
    made = report()
    german = read(name, made)
    assert "Abdeckung" in german and "Stufe 1: 1" in german and "1 Zitat" in german
    assert "StrlSchG § 78 verweist auf StrlSchG § 77." in german
    english = read(name, {**made, "language": "en", "references": []})
    assert "Coverage" in english and "tier 1: 1" in english and "Stufe 1" not in english
    assert "Related sections" not in english


@pytest.mark.parametrize("name", READING)
def test_hostile_names_stay_text_in_files(name: str) -> None:
    made = report()
    made["evidence"][0] |= {"document": HOSTILE, "section": HOSTILE}
    made["todo"][0]["task"] = HOSTILE
    made["references"] = [{**each, "from": HOSTILE} for each in made["references"]]
    content = export_report(made, name)
    if name in ("md", "html"):
        text = content.decode().replace("\\<", "")
        assert "<script" not in text and "<img" not in text and "\u202e" not in text
    assert "alert(1)" in read(name, made)
