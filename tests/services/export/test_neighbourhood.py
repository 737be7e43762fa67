"""The picture of an answer's neighbourhood: what stands in it, and that it is safe to show."""

from typing import Any
from xml.etree import ElementTree

import pytest

from services.export.formats import export_report
from services.export.neighbourhood import Section, arranged, of_entity, of_report
from services.export.neighbourhood_picture import LONGEST, neighbourhood_svg
from tests.support.exported import report

HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(1)>\x1b\u202e'
SVG = "{http://www.w3.org/2000/svg}"


def reference(source: str, target: str | None) -> dict[str, Any]:
    return {"from": source, "resolved_to": target, "found": target is not None, "chunk_ids": []}


def answer(*references: dict[str, Any], section: str = "§ 78") -> dict[str, Any]:
    citation = {"document": "StrlSchG.pdf", "section": section}
    sentences = [{"citations": [citation]}]
    return {"sentences": sentences, "evidence": [], "references": list(references)}


def names(column: tuple[Section, ...]) -> list[str]:
    return [section.name for section in column]


def test_sections_stand_in_columns_by_their_distance_from_what_is_cited() -> None:
    found = of_report(
        answer(
            reference("StrlSchG § 78", "StrlSchG § 79"),
            reference("StrlSchG § 79", "StrlSchG Anlage 4"),
            reference("StrlSchG § 79", "StrlSchV § 4"),
            reference("StrlSchV § 4", "StrlSchV § 5"),
            reference("StrlSchG § 200", "StrlSchG § 78"),
            reference("StrlSchG § 78", None),
        )
    )
    assert [names(column) for column in found.columns] == [
        ["StrlSchG § 78"],
        ["StrlSchG § 79", "StrlSchG § 200"],
        ["StrlSchG Anlage 4", "StrlSchV § 4"],
    ]
    assert {each.document for each in found.columns[2]} == {"StrlSchG", "StrlSchV"}
    assert found.left_out == 1
    assert (Section("StrlSchG", "StrlSchG § 200"), found.columns[0][0]) in found.links


def test_a_document_is_known_by_the_short_name_that_references_use() -> None:
    value = answer({**reference("AtG § 2", "AtG § 7"), "chunk_ids": ["c"]}, section="§ 7")
    value["sentences"][0]["citations"][0]["document"] = "Atomgesetz_2026.pdf"
    value["evidence"] = [{"chunk_id": "c", "document": "Atomgesetz_2026.pdf", "section": "§ 7"}]
    assert names(of_report(value).columns[0]) == ["AtG § 7"]


def test_a_node_of_the_graph_has_its_ties_in_groups() -> None:
    found = of_entity("A § 1", [("cites", "A § 3", False), ("is cited by", "A § 2", True)] * 2)
    assert [names(column) for column in found.columns] == [["A § 1"], ["A § 3", "A § 2"]]
    assert [(one.name, two.name) for one, two in found.links] == [
        ("A § 1", "A § 3"),
        ("A § 2", "A § 1"),
    ]
    picture = neighbourhood_svg(found, "de", of_entity=True)
    assert "Damit verbunden" in picture and ">is cited by</text>" in picture


def test_of_many_ties_the_closest_are_drawn() -> None:
    found = of_entity("A", [("names", f"B {number}", False) for number in range(30, 0, -1)])
    assert "B 30" in names(found.columns[1]) and "B 1" not in names(found.columns[1])
    assert found.left_out == 20


def test_no_more_than_can_be_read_is_shown_the_most_tied_first() -> None:
    centre = Section("A", "A § 1")
    others = [Section("A", f"A § {number}") for number in range(2, 40)]
    extra = [(others[-1], others[-2])]
    found = arranged([centre], [*((centre, other) for other in others), *extra])
    assert len(found.columns[1]) == 10
    assert {"A § 39", "A § 38"} <= set(names(found.columns[1]))
    assert found.left_out == 28
    assert "und 28 weitere" in neighbourhood_svg(found, "de")


def test_the_picture_says_what_it_shows_to_those_who_do_not_see_it() -> None:
    picture = neighbourhood_svg(
        of_report(answer(reference("StrlSchG § 78", "StrlSchG § 79"))), "de"
    )
    root = ElementTree.fromstring(picture)
    assert root.get("role") == "img" and root.get("aria-label") == "Umgebung der Antwort"
    told = root.findtext(f"{SVG}desc") or ""
    assert told == "2 Abschnitte, 1 Verweise. StrlSchG § 78 verweist auf StrlSchG § 79."
    assert "currentColor" in picture and "#" not in picture


def test_the_same_report_gives_the_same_bytes_whatever_the_order() -> None:
    pairs = [reference("StrlSchG § 78", f"StrlSchG § {n}") for n in range(80, 88)]
    first = neighbourhood_svg(of_report(answer(*pairs)), "en")
    assert first == neighbourhood_svg(of_report(answer(*reversed(pairs))), "en")


def test_nothing_is_drawn_without_references() -> None:
    assert neighbourhood_svg(of_report(answer()), "de") == ""
    turn = {"sentences": []}
    assert neighbourhood_svg(of_report(turn), "de") == ""


@pytest.mark.parametrize("language", ["de", "en"])
def test_hostile_names_stay_text(language: str) -> None:
    value = answer(reference(f"StrlSchG {HOSTILE}", f"{HOSTILE * 9} § 3"), section=HOSTILE)
    picture = neighbourhood_svg(of_report(value), language)
    root = ElementTree.fromstring(picture)
    tags = {element.tag.removeprefix(SVG) for element in root.iter()}
    assert tags == {"svg", "title", "desc", "text", "g", "rect", "path"}
    assert not any(name.startswith("on") for each in root.iter() for name in each.attrib)
    assert "\x1b" not in picture and "\u202e" not in picture
    shown = [element.text or "" for element in root.iter(f"{SVG}text")]
    assert all(len(text) <= LONGEST for text in shown)


def test_an_exported_page_holds_the_picture() -> None:
    value = report()
    page = export_report(value, "html").decode()
    told = "StrlSchG § 78 verweist auf StrlSchG § 77."
    assert told in page
    assert told not in export_report({**value, "references": []}, "html").decode()
