"""Examples of the rules of ingestion, as tests/data/ingestion.yaml lists them."""

import re
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.catalog import Alias
from services.domain import DetectedReference, ParsedDocument
from services.ingestion.parsers.extraction import Extraction, Heading, plain_title
from services.ingestion.parsers.file_metadata import file_metadata, pdf_day, text_metadata
from services.ingestion.parsers.headings import (
    build_sections,
    label_of,
    markdown_headings,
    underlined_headings,
)
from services.ingestion.parsers.pdf.layout import Hyphens
from services.ingestion.parsers.plain_parser import as_shown
from services.ingestion.parsers.standalone import all_headings, blocks_of, labelled_headings
from services.references import detect_references, with_relations
from services.references.abbreviations import abbreviates, short_forms
from services.references.names import nominative
from services.references.registry import Registry, aliases_of
from services.settings import Settings
from tests.support.tables import read_yaml

EXAMPLES = Path(__file__).parents[2] / "data" / "ingestion.yaml"
TABLES: dict[str, Any] = read_yaml(EXAMPLES)
CORPUS, LAWS = TABLES.pop("corpus"), TABLES.pop("laws")


def label(title: str) -> str | None:
    found = label_of(title)
    return found.text if found else None


def nested(*outline: str) -> list[str]:
    """Label and headings above of each section; a line of an outline is a level and a title."""
    text, headings = "Front matter.\n", []
    for line in outline:
        level, title = line.split(" ", 1)
        headings.append(Heading(len(text), len(text) + len(title), title, int(level)))
        text += f"{title}\nx\n"
    sections = build_sections(Extraction("Title", text, tuple(headings)))
    return [" < ".join((each.label, *reversed(each.heading_path[:-1]))) for each in sections]


def outline(headings: Iterable[Heading]) -> list[str]:
    return [f"{heading.level} {heading.title}" for heading in headings]


def shown(reference: DetectedReference) -> str:
    """Label, subdivision and document; of a web address its text and where it leads."""
    if reference.type == "external":
        return f"{reference.text} -> {reference.target}"
    cells = (reference.label, reference.subdivision, reference.document)
    return re.sub(r"(?: ; -)+$", "", " ; ".join(cell or "-" for cell in cells))


def aliases(document: str, title: str, text: str = "", document_id: str = "") -> list[Alias]:
    parsed = ParsedDocument(
        title=title, text=text, pages=(), sections=(), language="de", parser_version="test"
    )
    return aliases_of(parsed, document=document, document_id=document_id or document)


@cache
def registry() -> Registry:
    return Registry([alias for names in CORPUS for alias in aliases(*names)])


def leads_to(text: str, source: str = "letter.txt") -> str:
    """Document, section and short name of a text's only reference, or why there is none."""
    (reference,) = detect_references(text)
    found = registry().resolve(reference, from_document_id=source)
    if found.document_id is None:
        return f"{found.label or '-'} ; {found.reason}"
    return f"{found.document_id} ; {found.label or '-'} ; {found.name or '-'}"


def are_versions(title: str, other: str) -> bool:
    titles = Registry([*aliases("a.txt", title), *aliases("b.txt", other)])
    return titles.versions("a.txt") == ["b.txt"]


def joined(above: str, below: str) -> str:
    hyphens = Hyphens(["A well-known name,", "large in scale.", above, below])
    cut, separator = hyphens.join(above, below)
    return (above[:-1] if cut else above) + separator + below


def stated(text: str) -> dict[str, Any]:
    """What a text says of itself, its tags in one line."""
    fields = text_metadata(text).model_dump(mode="json")
    return {name: value for name, value in fields.items() if value and name != "tags"} | (
        {"tags": ", ".join(fields["tags"])} if fields["tags"] else {}
    )


CHECKS: dict[str, Callable[..., Any]] = {
    "label": label,
    "nested": nested,
    "plain_title": plain_title,
    "markdown_headings": lambda text: outline(markdown_headings(text)),
    "underlined_headings": lambda text: outline(underlined_headings(text)),
    "standalone_headings": lambda text: outline(all_headings((), blocks_of(text))),
    "pattern_headings": lambda text: outline(labelled_headings(blocks_of(text))),
    "references": lambda text: [shown(each) for each in detect_references(text)],
    "aliases": lambda *names: [f"{each.kind}: {each.alias}" for each in aliases(*names)],
    "are_versions": are_versions,
    "leads_to": leads_to,
    "base_form": nominative,
    "joined": joined,
    "stated": stated,
    "day": lambda written: file_metadata(day=written).model_dump(mode="json")["date"],
    "pdf_day": lambda written: file_metadata(day=pdf_day(written)).model_dump(mode="json")["date"],
    "as_shown": as_shown,
}


TEXT = "Die Satzung wird in der folgenden Fassung neu bekannt gemacht:"


def test_every_table_has_its_check() -> None:
    assert TABLES.keys() == CHECKS.keys() and all(TABLES.values())


@pytest.mark.parametrize(
    ("check", "row"), [(check, row) for check, rows in TABLES.items() for row in rows]
)
def test_an_example(check: str, row: list[Any]) -> None:
    *inputs, expected = row
    assert CHECKS[check](*inputs) == expected


def test_an_abbreviation_fits_only_its_law() -> None:
    fitting = [
        (short, name, other)
        for short, name, title in LAWS
        for _, other, _ in LAWS
        if abbreviates(short, other, title)
    ]
    assert [each for each in fitting if each[1] != each[2]] == []
    assert len(fitting) >= len(LAWS) - 1


def test_a_name_of_two_documents_is_reported_and_not_guessed() -> None:
    (reference,) = detect_references("§ 9a des Atomgesetzes")
    law = next(names for names in CORPUS if names[0] == "AtG.docx")
    known = [alias for names in CORPUS for alias in aliases(*names)]
    twins = Registry([*known, *aliases("AtG-neu.pdf", law[1])])
    found = twins.resolve(reference, from_document_id="letter.txt")
    assert (found.label, str(found.reason)) == ("§ 9a", "ambiguous: AtG-neu.pdf, AtG.docx")
    assert twins.resolve(reference, from_document_id="AtG.docx").document_id == "AtG.docx"
    copy = Registry([*known, *aliases("copy.docx", law[1], document_id="AtG.docx")])
    assert copy.resolve(reference, from_document_id="x").document_id == "AtG.docx"


@pytest.mark.parametrize(
    ("source", "files", "target"),
    [
        ("club-satzung.md: Club Hafen", ["kosten.pdf: Satzung", "hundesatzung.pdf: Hunde"], None),
        ("club.md: Satzung des Clubs", ["kosten.pdf: Satzung"], None),
        ("neu.md: Satzung 2024", ["alt.pdf: Satzung 2019", "hundesatzung.pdf: Hunde"], "alt.pdf"),
        ("brief.md: Beschluss", ["kosten.pdf: Satzung", "parken.pdf: Parken"], "kosten.pdf"),
    ],
)
def test_a_document_changes_no_other_that_has_only_the_name_of_its_kind(
    source: str, files: Sequence[str], target: str | None
) -> None:
    names = [aliases(*each.split(": ")) for each in (source, *files)]
    (reference,) = with_relations(TEXT, detect_references(TEXT))
    registry = Registry([alias for each in names for alias in each])
    resolved = registry.resolve(reference, from_document_id=source.split(": ")[0])
    assert resolved.document_id == target


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("den §§ 171, 197 und", ["§§ 171, 197"] * 2),
        ("nach § 16 oder 2. nach den §§ 17, 18, 3. nach", ["§ 16", "§§ 17, 18", "§§ 17, 18"]),
        ("nach § 6 Absatz 3 oder den §§ 8 und 9b des Atomgesetzes",
         ["§ 6 Absatz 3", *["§§ 8 und 9b des Atomgesetzes"] * 2]),
        ("see :pep:`647`, :pep:`the totality <589#totality>`",
         [":pep:`647`", ":pep:`the totality <589#totality>`"]),
    ],
)  # fmt: skip
def test_a_reference_spans_its_list(text: str, spans: list[str]) -> None:
    references = detect_references(text)
    assert [each.text for each in references] == spans
    assert all(text[each.start : each.end] == each.text for each in references)


def test_ranges_and_lists_without_end_are_capped() -> None:
    assert len(detect_references("die §§ 1 bis 9999 gelten")) == 20
    endless = "§§ " + ", ".join(str(1000 + number % 9000) for number in range(100_000))
    assert len(detect_references(endless)) == 100


@pytest.mark.parametrize("name", ["NiSG.md", "UVSV.txt"])
def test_sections_that_a_sample_law_cites_in_itself_exist(name: str) -> None:
    text = (Settings().samples / "strahlenschutz" / name).read_text(encoding="utf-8")
    headings = re.findall(r"(?m)^#* ?((?:§|Anlage) \d+[a-z]?)\b", text)
    cited = [each.label for each in detect_references(text) if each.document is None]
    assert len(cited) > 15
    assert set(cited) <= {" ".join(heading.split()) for heading in headings}


# Each may be repeated up to the longest text without taking more than linear time.
HOSTILE_REFERENCES = (
    "§ ", "§ 1 des Gesetzes über die ", "`[a](https://", "Gesetz-Gesetz ", "§ 5 in der bis ", "<A ",
)  # fmt: skip
HOSTILE_TAGS = ("<!--", "{{", "{% ", "`", "` ``", " ", "{{ x }} ", "~~~\n")


@pytest.mark.parametrize("unit", HOSTILE_REFERENCES)
def test_references_take_linear_time(unit: str) -> None:
    begin = time.process_time()
    detect_references(unit * (300_000 // len(unit)))
    assert time.process_time() - begin < 2.0


def test_an_abbreviation_that_fits_in_many_ways_takes_no_longer() -> None:
    begin = time.process_time()
    assert list(short_forms("a" * 95 + "gesetz (AAAAAAQG)")) == []
    assert time.process_time() - begin < 1


@pytest.mark.parametrize("unit", HOSTILE_TAGS)
def test_tags_take_linear_time(unit: str) -> None:
    begin = time.process_time()
    as_shown(unit * 100_000)
    assert time.process_time() - begin < 5


@given(st.text(alphabet=st.sampled_from("ab`~{}%<!->\n "), max_size=60))
def test_only_tags_are_lost(text: str) -> None:
    left = iter(text)
    assert all(character in left for character in as_shown(text))


Found = list[tuple[str, str | None, str | None]]


def relations(text: str) -> Found:
    found = with_relations(text, detect_references(text))
    assert all(text[each.start : each.end] == each.text for each in found)
    return [(each.relation, each.label, each.document) for each in found if each.relation]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Diese Richtlinie ersetzt die Reisekostenrichtlinie vom 1. Mai 2019.",
            [("replaces", None, "Reisekostenrichtlinie vom 1. Mai 2019")],
        ),
        (
            "This policy hereby supersedes the Remote Work Policy, version 1.",
            [("replaces", None, "Remote Work Policy, version 1")],
        ),
        (
            "Clause 4.2 of the Supply Agreement is replaced by the following:\n\n“4.2 …”",
            [("replaces", "4.2", "Supply Agreement")],
        ),
        (
            "With effect from 1 May 2024, clauses 3 and 4 of the Lease are deleted.",
            [("repeals", "3", "Lease"), ("repeals", "4", "Lease")],
        ),
        (
            "Die Hortordnung vom 3. Mai 2011 wird wie folgt geändert:\n\n"
            "1. In § 5 Absatz 2 wird die Angabe „zehn, elf“ durch die Angabe „zwölf“ ersetzt.\n\n"
            "2. § 7 wird aufgehoben.",
            [
                ("amends", None, "Hortordnung vom 3. Mai 2011"),
                ("amends", "§ 5", "Hortordnung vom 3. Mai 2011"),
                ("repeals", "§ 7", "Hortordnung vom 3. Mai 2011"),
            ],
        ),
        (
            "Durch diese Vereinbarung wird § 4 des Mietvertrags wie folgt geändert:",
            [("amends", "§ 4", "Mietvertrags")],
        ),
        (
            "Dieser Nachtrag ersetzt § 4 des Mietvertrags und gilt nicht für Keller.",
            [("replaces", "§ 4", "Mietvertrags")],
        ),
        (
            "Diese Satzung ersetzt die Satzung über die nicht öffentlichen Wege.",
            [("replaces", None, "Satzung über die nicht öffentlichen Wege")],
        ),
        ("# Amendment No. 1\n\nto the Lease\n", [("amends", None, "Lease")]),
        ("PEP: 9\nReplaces: 8\n", [("replaces", None, "PEP 8")]),
    ],
)
def test_clear_forms_are_read(text: str, expected: Found) -> None:
    assert relations(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The pump was replaced under clause 4.2 of the Supply Agreement.",
        "Nach § 5 der Spielplatzverordnung werden kaputte Schaukeln ersetzt.",
        "This PEP supplements rather than supersedes PEP 649.",
        "Clause 4.2 of the Supply Agreement is not replaced.",
        "Diese Verordnung ändert § 5 der Strahlenschutzverordnung nicht.",
        "Dieser Nachtrag ersetzt § 4 des Mietvertrags nicht, er ergänzt ihn.",
        "Diese Richtlinie ersetzt die Hausordnung nicht.",
        "Die Verordnung wurde zuletzt durch Artikel 1 des Gesetzes vom 3. Mai 2020 geändert.",
        "Ersetzt der Mieter die Lampe nach § 4 des Mietvertrags, trägt er die Kosten.",
        "Antrag auf Änderung des Mietvertrags",
        "Der Leitfaden wird in seiner jeweils aktuellen Fassung im Internet bekannt gemacht.",
    ],
)
def test_what_only_cites_is_no_relation(text: str) -> None:
    assert relations(text) == []
