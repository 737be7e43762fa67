"""Labels of headings, and sections from headings."""

from itertools import pairwise

import pytest

from services.ingestion.extraction import Extraction, Heading, plain_title
from services.ingestion.headings import Section, build_sections, label_of
from tests.support.tables import rows

# A heading | its label, if it has one.
LABELS = """
§ 12a Titel | § 12a
§78 Grenzwerte | § 78
§ 10 | § 10
§§ 5 bis 7 (weggefallen) | §§ 5 bis 7
§ 23b (weggefallen) | § 23b
Anlage 4 (zu den §§ 5, 10) | Anlage 4
Anlage (zu § 3) | Anlage
ANHANG II Muster | Anhang II
Appendix A: Survey | Appendix A
Artikel 5 Grundsätze | Artikel 5
Art. 5 Grundsätze | Artikel 5
Article 17 Right to erasure | Article 17
Teil 2 Strahlenschutz | Teil 2
Unterabschnitt 3 Bauart | Unterabschnitt 3
Zweiter Abschnitt Überwachung | Zweiter Abschnitt
Chapter IV Duties | Chapter IV
3.2 Title | 3.2
3. Title | 3
A.1 Proofs | A.1
IV. Ergebnis | IV
Abstract |
Anlagen zur Erzeugung |
Teilnahme am Verfahren |
Appendix |
2018 im Rückblick |
Titel |
Part of the truth |
Artikelgesetz |
A title |
3D models |
"""


@pytest.mark.parametrize(("title", "label"), rows(LABELS))
def test_label_of_a_heading(title: str, label: str) -> None:
    found = label_of(title)
    assert (found.text if found else "") == label


def sections(*headings: tuple[int, str], series: str | None = None) -> list[Section]:
    """Sections of a text that consists of headings, each followed by "x"."""
    text = "Front matter.\n"
    found = []
    for level, title in headings:
        found.append(Heading(len(text), len(text) + len(title), title, level))
        text += f"{title}\nx\n"
    return build_sections(Extraction("Title", text, tuple(found), series=series))


# The level of a heading and its words | the label of its section | the headings above.
OUTLINES = """
0 Teil 1 A | Teil 1 |
1 § 1 B | § 1 | Teil 1 A
1 Teil 2 C | Teil 2 |
2 Kapitel 1 D | Kapitel 1 | Teil 2 C
3 § 2 E | § 2 | Teil 2 C > Kapitel 1 D
2 Kapitel 2 F | Kapitel 2 | Teil 2 C
2 Abschnitt 1 G | Abschnitt 1 | Teil 2 C > Kapitel 2 F
2 Unterabschnitt 1 H | Unterabschnitt 1 | Teil 2 C > Kapitel 2 F > Abschnitt 1 G
3 § 3 I | § 3 | Teil 2 C > Kapitel 2 F > Abschnitt 1 G > Unterabschnitt 1 H
2 Abschnitt 2 J | Abschnitt 2 | Teil 2 C > Kapitel 2 F
3 Anlage 1 (zu § 3) | Anlage 1 |
3 Anlage 2 (zu § 3) | Anlage 2 |

1 Erster Abschnitt A | Erster Abschnitt |
4 § 1 B | § 1 | Erster Abschnitt A
2 Zweiter Abschnitt C | Zweiter Abschnitt |

0 1 Scope | 1 |
1 1.2 Terms | 1.2 | 1 Scope
2 Notes | 1.2 | 1 Scope > 1.2 Terms
0 Annexes | Annexes |

0 Objections | Objections |
1 1. Too slow | 1. Too slow | Objections

0 Anlage 2 | Anlage 2 |
1 Teil A Werte | Anlage 2 | Anlage 2
"""


@pytest.mark.parametrize("outline", OUTLINES.strip().split("\n\n"))
def test_sections_nest_by_name_and_level_and_take_the_nearest_label(outline: str) -> None:
    table = rows(outline)
    headings = [(int(cell[0]), cell[2:]) for cell, _, _ in table]
    expected = [
        (label, tuple(filter(None, (*path.split(" > "), title))))
        for (_, title), (_, label, path) in zip(headings, table, strict=True)
    ]
    assert [(each.label, each.heading_path) for each in sections(*headings)] == expected


def test_markup_leaves_the_title() -> None:
    assert plain_title("The ``Any`` type of :pep:`484`") == "The Any type of 484"
    assert plain_title("**Bold** `code` [link](http://a.b)") == "Bold code link"
    assert plain_title("from ``__future__`` import") == "from __future__ import"


def test_series_label_stands_in_and_covers_the_front_matter() -> None:
    found = sections((0, "Abstract"), (0, "3.1 Rules"), (0, "Appendix A: More"), series="PEP 604")
    assert [section.label for section in found] == ["PEP 604", "PEP 604", "3.1", "PEP 604"]
    assert (found[0].start, found[0].end, found[0].heading_path) == (0, found[1].start, ())


def test_sections_are_ordered_and_gapless() -> None:
    found = sections((0, "A"), (1, "B"), (5, "C"), (0, "D"))
    assert [section.level for section in found] == [0, 1, 2, 0]
    assert all(a.end == b.start for a, b in pairwise(found))
    assert found[-1].end == len("Front matter.\n") + 4 * len("A\nx\n")


def test_two_headings_at_one_place_give_one_section() -> None:
    text = "1 A\nx"
    both = (Heading(0, 0, "Part I B", 0), Heading(0, 3, "1 A", 1))
    found = build_sections(Extraction(None, text, both))
    assert [section.heading_path for section in found] == [("Part I B", "1 A")]


def test_first_heading_above_all_others_is_the_title() -> None:
    text = "Title\nA\nB\n"
    headings = (Heading(0, 5, "Title", 1), Heading(6, 7, "A", 2), Heading(8, 9, "B", 2))
    found = build_sections(Extraction("Title", text, headings))
    assert [section.heading_path for section in found] == [("A",), ("B",)]
