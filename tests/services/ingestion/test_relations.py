"""What texts say that they replace, amend or repeal."""

import pytest

from services.references import detect_references, with_relations

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
