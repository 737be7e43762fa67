"""Which references a text holds, form by form, and what must not be taken for one."""

import re
import time
from pathlib import Path

import pytest

from services.ingestion.references import detect_references
from tests.support.tables import rows

SAMPLES = Path(__file__).resolve().parents[3] / "kb" / "samples"

# A text | each of its references: label ; subdivision ; document, without what is None at the end.
REFERENCES = r"""
nach § 5 Absatz 32 gilt | § 5 ; Absatz 32
nach § 5 Abs. 32 Satz 1 Nr. 2 gilt | § 5 ; Abs. 32 Satz 1 Nr. 2
nach §5 Abs. 1 S. 2 gilt | § 5 ; Abs. 1 S. 2
nach § 8 a Abs. 1 gilt | § 8a ; Abs. 1
nach § 5 (1) Nr. 2 gilt | § 5 ; (1) Nr. 2
nach § 4 Absatz 1 Nummer 2 Buchstabe aa gilt | § 4 ; Absatz 1 Nummer 2 Buchstabe aa
§ 9a Absatz 3 Satz 1 erster\nHalbsatz gilt | § 9a ; Absatz 3 Satz 1 erster Halbsatz
die Werte der Anlage 4 Tabelle 1 Spalte 2 sind | Anlage 4 ; Tabelle 1 Spalte 2
nach Anlage 18 Teil D, der | Anlage 18 ; Teil D
nach Artikel 5 Abs. 2 sind | Artikel 5 ; Abs. 2
nach Absatz 2 des § 7 sind | § 7 ; Absatz 2
see section 3.2 for | 3.2
In Section 4 we | 4
listed in Appendix B of this | Appendix B
see Table 2 of section 5 for | 5 ; Table 2
siehe Abschnitt 3.2 dazu | 3.2
see chapter 4 for | Chapter 4
§ 9a Absatz 3 erster Halbsatz des Atomgesetzes ist | § 9a ; Absatz 3 erster Halbsatz ; Atomgesetzes
nach § 172 des Bürgerlichen Gesetzbuchs ist | § 172 ; - ; Bürgerlichen Gesetzbuchs
nach § 78 Abs. 1 StrlSchG ist | § 78 ; Abs. 1 ; StrlSchG
nach AtG § 9a ist | § 9a ; - ; AtG
Art. 6 Abs. 1 lit. f DSGVO ist | Artikel 6 ; Abs. 1 lit. f ; DSGVO
nach § 110 des Siebten Buches Sozialgesetzbuch ist | § 110 ; - ; Siebten Buches Sozialgesetzbuch
nach § 1 der EU-Meldeverordnung ist | § 1 ; - ; EU-Meldeverordnung
in Anlage 3 zur Trinkwasserverordnung sind | Anlage 3 ; - ; Trinkwasserverordnung
Artikel 5 der Richtlinie 2013/59/Euratom ist | Artikel 5 ; - ; Richtlinie 2013/59/Euratom
Anhang I der Verordnung (EU) Nr. 536/2014 ist | Anhang I ; - ; Verordnung (EU) Nr. 536/2014
Article 6(1) of Regulation (EU) 2016/679 is | Article 6 ; (1) ; Regulation (EU) 2016/679
§ 1 des Gesetzes über Ordnungswidrigkeiten ist | § 1 ; - ; Gesetzes über Ordnungswidrigkeiten
Artikel 4 des Gesetzes vom 5. Mai 2004 ist | Artikel 4 ; - ; Gesetzes vom 5. Mai 2004
geändert durch Art. 4 G v. 23.10.2024 I Nr. 324 | Artikel 4 ; - ; G v. 23.10.2024
see section 4.2 of RFC 9110 for | 4.2 ; - ; RFC 9110
see RFC 9110, section 4.2, for | 4.2 ; - ; RFC 9110
see IEC 60601-1, clause 8.2, for | 8.2 ; - ; IEC 60601-1
nach Abschnitt 5.2 der DIN 6812 ist | 5.2 ; - ; DIN 6812
section 3 of the Atomic Energy Act 1954 says | 3 ; - ; Atomic Energy Act 1954
nach dem Medizinproduktegesetz ist | - ; - ; Medizinproduktegesetz
Die Strahlenschutzverordnung gilt | - ; - ; Strahlenschutzverordnung
nach dem StrlSchG und laut UVSV ist | - ; - ; StrlSchG & - ; - ; UVSV
der Atomrechtlichen Entsorgungsverordnung | - ; - ; Atomrechtlichen Entsorgungsverordnung
des Gesetzes zum Schutz vor Strahlung bei der Anwendung am Menschen geahndet werden | \
    - ; - ; Gesetzes zum Schutz vor Strahlung bei der Anwendung am Menschen
nach dem Gesetz über die Umweltverträglichkeitsprüfung eine Verpflichtung | \
    - ; - ; Gesetz über die Umweltverträglichkeitsprüfung
die Kostenverordnung zum Atomgesetz ist | - ; - ; Kostenverordnung zum Atomgesetz
die Verordnung (EU) 2017/745 gilt | - ; - ; Verordnung (EU) 2017/745
der Richtlinien 90/385/EWG und 93/42/EWG | \
    - ; - ; Richtlinien 90/385/EWG & - ; - ; Richtlinien 93/42/EWG
as PEP 484 says | - ; - ; PEP 484
by PEPs 484, 526, and 563 was | - ; - ; PEP 484 & - ; - ; PEP 526 & - ; - ; PEP 563
Requires: 649, 749\n | - ; - ; PEP 649 & - ; - ; PEP 749
with ISO 27001, DIN 6812 or IEC 60601-1. | \
    - ; - ; ISO 27001 & - ; - ; DIN 6812 & - ; - ; IEC 60601-1
nach DIN EN ISO 9001:2015 ist | - ; - ; DIN EN ISO 9001:2015
den §§ 73, 74 Absatz 3 oder 4 Nummer 1, 2 oder 6, § 76 Absatz 1 und | \
    § 73 & § 74 ; Absatz 3 oder 4 Nummer 1, 2 oder 6 & § 76 ; Absatz 1
der §§ 5 Absatz 1 und 2, 7 Absatz 2 gelten | § 5 ; Absatz 1 und 2 & § 7 ; Absatz 2
nach § 9 des Atomgesetzes oder § 12 dieses Gesetzes oder § 27 des Strahlenschutzgesetzes | \
    § 9 ; - ; Atomgesetzes & § 12 & § 27 ; - ; Strahlenschutzgesetzes
nach § 30 der Röntgenverordnung vom 8. Januar 1987 (BGBl. I S. 114) in der bis zum\n30. Juni \
    2002 geltenden Fassung und § 24 in seiner bis dahin geltenden Fassung | \
    § 30 ; - ; \
    Röntgenverordnung vom 8. Januar 1987 in der bis zum 30. Juni 2002 geltenden Fassung & § 24 ; \
    - ; in seiner bis dahin geltenden Fassung
see :pep:`647`, :pep:`the totality <589#totality>` and :rfc:`9110#section-4.2` | \
    - ; - ; PEP 647 & - ; #totality ; PEP 589 & 4.2 ; - ; RFC 9110
Anlage 1 (zu § 5 Absatz 32) | § 5 ; Absatz 32
nach den §§ 6, 9 StrlSchV 2018 · Seite 87 | § 6 & § 9
nach § 5\n\nAbsatz 2 | § 5
nach § 4, 6 oder 9 des Atomgesetzes | § 4 ; - ; Atomgesetzes & § 6 ; - ; Atomgesetzes & § 9 ; \
    - ; Atomgesetzes
nach § 4, 6 oder 9 Personen | § 4 & § 6
nach § 4 und 30 Tage danach | § 4
Genehmigung nach\n§ 12 Genehmigungen | § 12
gilt.\n§ 9 Absatz 1 gilt | § 9 ; Absatz 1
gilt.\n§ 9 StrlSchG gilt | § 9 ; - ; StrlSchG
"""
# A list or range | its labels, of which each reference has the span of the whole.
LISTS = """
den §§ 171, 197 und | § 171, § 197
die §§ 6 bis 9 gelten | § 6, § 7, § 8, § 9
die §§ 8, 9 und 12a gelten | § 8, § 9, § 12a
die §§ 5 bis 7a gelten | § 5, § 6, § 7, § 7a
die §§ 9d bis 9g gelten | § 9d, § 9e, § 9f, § 9g
die §§ 5-7 gelten | § 5, § 6, § 7
die §§ 92 und 106 bis 108 gelten | § 92, § 106, § 107, § 108
die Anlagen I bis III gelten | Anlage I, Anlage II, Anlage III
see sections 2 and 3 for | 2, 3
see clauses 6.2 to 6.4 for | 6.2, 6.3, 6.4
in Appendices A to C we | Appendix A, Appendix B, Appendix C
"""
WEB_ADDRESSES = """
see https://a.org/b_(c). | https://a.org/b_(c) | https://a.org/b_(c)
(see https://a.org/b, or | https://a.org/b | https://a.org/b
<https://a.org/b> | https://a.org/b | https://a.org/b
a `link <https://a.org/b>`__. | `link <https://a.org/b>`__ | https://a.org/b
a [link](https://a.org/b). | [link](https://a.org/b) | https://a.org/b
"""
# What leads nowhere else, and the headings of sections.
NOTHING = r"""
nach Absatz 1 Satz 2 und Nummer 2 gilt
einer Rechtsverordnung und der Anordnung, dieses Gesetzes
die Anlagen nach den Vorschriften
the section describes an article and I agree
5 MeV oder der GeV-Bereich
`rejected ideas <PEP 526 rejected_>`_ and\n.. _PEP 526 rejected:\n
die § und §§ ohne Zahl
§ 78 Grenzwerte für beruflich exponierte Personen
#### § 1 Anwendungsbereich
gilt entsprechend.\n§ 3 (weggefallen)\n
gilt entsprechend.\n§ 5\n(1) Die Behörde
Teil 1 Allgemeine Vorschriften\n§ 1 Zweck\n
Ende.\n\nAppendix A: Survey of Syntax\n====
Ende.\nSection 3. Definitions
"""


def sections(text: str) -> list[tuple[str | None, str | None, str | None]]:
    """(label, subdivision, document) of each reference."""
    return [(each.label, each.subdivision, each.document) for each in detect_references(text)]


def shown(text: str) -> str:
    """The references of a text as they stand in the table."""
    cells = (" ; ".join(cell or "-" for cell in each) for each in sections(text))
    return " & ".join(re.sub(r"(?: ; -)+$", "", each) for each in cells)


@pytest.mark.parametrize(("text", "references"), rows(REFERENCES))
def test_the_references_of_a_text(text: str, references: str) -> None:
    assert shown(text) == references


@pytest.mark.parametrize(("text", "labels"), rows(LISTS))
def test_a_list_or_range_yields_each_label_with_the_span_of_the_whole(
    text: str, labels: str
) -> None:
    references = detect_references(text)
    assert ", ".join(str(each.label) for each in references) == labels
    assert len({(each.start, each.end) for each in references}) == 1


@pytest.mark.parametrize(("text", "reference", "url"), rows(WEB_ADDRESSES))
def test_a_web_address_is_external(text: str, reference: str, url: str) -> None:
    (found,) = detect_references(text)
    assert (found.type, found.text, found.target) == ("external", reference, url)


@pytest.mark.parametrize("text", [text for (text,) in rows(NOTHING)])
def test_what_leads_nowhere_else_is_left_out(text: str) -> None:
    assert detect_references(text) == []


def test_ranges_and_lists_without_end_are_capped() -> None:
    assert len(detect_references("die §§ 1 bis 9999 gelten")) == 20
    endless = "§§ " + ", ".join(str(1000 + number % 9000) for number in range(100_000))
    assert len(detect_references(endless)) == 100


def test_the_law_at_the_end_belongs_to_the_whole_chain() -> None:
    text = "nach § 6 Absatz 1 Satz 1 oder Absatz 3, § 7 oder den §§ 8 und 9b des Atomgesetzes"
    references = detect_references(text)
    assert [each.label for each in references] == ["§ 6", "§ 7", "§ 8", "§ 9b"]
    assert {each.document for each in references} == {"Atomgesetzes"}
    assert references[0].text == "§ 6 Absatz 1 Satz 1 oder Absatz 3"
    assert references[3].text == "§§ 8 und 9b des Atomgesetzes"
    assert references[3].target == "§ 9b Atomgesetz"


def test_the_number_of_the_next_item_is_not_part_of_the_citation() -> None:
    text = "1. nach § 16 oder 2. nach den §§ 17, 18, 3. nach § 19 Absatz 1 oder 2. eine"
    found = [each.text for each in detect_references(text)]
    assert found == ["§ 16", "§§ 17, 18", "§§ 17, 18", "§ 19 Absatz 1"]
    roles = "see :pep:`647`, :pep:`the totality <589#totality>`"
    assert [each.text for each in detect_references(roles)] == re.findall(r":pep:`.*?`", roles)


@pytest.mark.parametrize("name", ["NiSG.md", "UVSV.txt"])
def test_sections_that_a_sample_law_cites_in_itself_exist(name: str) -> None:
    text = (SAMPLES / "strahlenschutz" / name).read_text(encoding="utf-8")
    headings = {
        " ".join(found.split())
        for found in re.findall(r"(?m)^#* ?((?:§|Anlage) \d+[a-z]?)\b", text)
    }
    cited = [each.label for each in detect_references(text) if each.document is None]
    assert len(cited) > 15
    assert set(cited) <= headings


@pytest.mark.parametrize(
    "unit",
    [
        "§ ",
        "§ 1 des Gesetzes über die ",
        "`[a](https://",
        "Gesetz-Gesetz ",
        "§ 5 in der bis ",
        "<A ",
    ],
)
def test_time_is_linear_on_adversarial_text(unit: str) -> None:
    def seconds(length: int) -> float:
        text = unit * (length // len(unit))
        begin = time.process_time()
        detect_references(text)
        return time.process_time() - begin

    seconds(1_000)
    assert seconds(300_000) < 2.0
