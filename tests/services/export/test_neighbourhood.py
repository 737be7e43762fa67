"""What stands around the sections that an answer cites."""

from typing import Any

from services.export.neighbourhood import nearest, of_report, sentences


def reference(source: str, target: str | None) -> dict[str, Any]:
    return {"from": source, "resolved_to": target, "found": target is not None, "chunk_ids": []}


def answer(*references: dict[str, Any], section: str = "§ 78") -> dict[str, Any]:
    citation = {"document": "StrlSchG.pdf", "section": section}
    return {"sentences": [{"citations": [citation]}], "evidence": [], "references": references}


def test_sections_up_to_two_references_away_are_shown_in_any_order_of_the_report() -> None:
    references = [
        reference("StrlSchG § 78", "StrlSchG § 79"),
        reference("StrlSchG § 79", "StrlSchG Anlage 4"),
        reference("StrlSchG Anlage 4", "StrlSchV § 5"),
        reference("StrlSchG § 200", "StrlSchG § 78"),
        reference("StrlSchG § 100", "StrlSchG § 78"),
        reference("StrlSchG § 78", None),
    ]
    around = of_report(answer(*references))
    assert around.cited == ("StrlSchG § 78",)
    assert around.links == (
        ("StrlSchG § 78", "StrlSchG § 79"),
        ("StrlSchG § 79", "StrlSchG Anlage 4"),
        ("StrlSchG § 100", "StrlSchG § 78"),
        ("StrlSchG § 200", "StrlSchG § 78"),
    )
    assert around.left_out == 1
    assert of_report(answer(*reversed(references))) == around
    assert sentences(around, "de") == [
        "StrlSchG § 78 verweist auf StrlSchG § 79.",
        "StrlSchG § 79 verweist auf StrlSchG Anlage 4.",
        "StrlSchG § 100, StrlSchG § 200 verweisen auf StrlSchG § 78.",
        "und 1 weitere",
    ]
    assert sentences(of_report(answer()), "de") == []


def test_a_document_is_known_by_the_short_name_that_references_use() -> None:
    value = answer({**reference("AtG § 2", "AtG § 7"), "chunk_ids": ["c"]}, section="§ 7")
    value["sentences"][0]["citations"][0]["document"] = "Atomgesetz_2026.pdf"
    value["evidence"] = [{"chunk_id": "c", "document": "Atomgesetz_2026.pdf", "section": "§ 7"}]
    assert of_report(value).cited == ("AtG § 7",)


def test_of_many_sections_those_with_the_most_links_are_shown() -> None:
    others = [f"A § {number}" for number in range(2, 40)]
    links = [*(("A § 1", other) for other in others), (others[-1], others[-2])]
    around = nearest(["A § 1"], links)
    shown = {name for link in around.links for name in link}
    assert len(shown) == 11 and {"A § 39", "A § 38"} <= shown
    assert around.left_out == 28
