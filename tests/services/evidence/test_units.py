"""Units on texts that were made for it: what is quoted, and with which case."""

import pytest

from services.evidence.units import Unit, quotable_units


def units(text: str, start: int = 0, end: int | None = None) -> list[Unit]:
    return quotable_units(text, start, len(text) if end is None else end, (0, len(text)))


def shown(text: str, *kinds: str) -> list[tuple[str, str]]:
    """Case and quote of the units, on one line each."""
    return [
        (" ".join(text[slice(*unit.case)].split()) if unit.case else "", words(text, unit))
        for unit in units(text)
        if not kinds or unit.kind in kinds
    ]


def words(text: str, unit: Unit) -> str:
    return " ".join(text[unit.start : unit.end].split())


NOISE = """§ 12 Lärm am Arbeitsplatz

(1) Für Beschäftigte an Pressen beträgt der Grenzwert des Tagesmittels 80 Dezibel. Der Spitzenwert \
beträgt 1. in der Halle 130 Dezibel, 2. in der Werkstatt 120 Dezibel und 3. im Büro 90 Dezibel. \
Er ist vierteljährlich zu messen. Satz 1 gilt nicht für Wartungsarbeiten.

(2) Wer Schwangere beschäftigt, hat für jede von ihnen einen ruhigen Platz vorzuhalten.
"""

MANUAL = """# Service

Before you open the housing:

1. Pull the plug
2. Wait until the
   lamp is out
3. Check these parts:
   - the seal of the lid
   - the spring of the lock

If the seal is torn:

1. Order a new one
2. Close the lid

Then the housing may be opened. It is heavy. This does not apply to the travel model.
"""

TABLE = """Largest loads by model.

| Model | Load | Test |
|-------|------|------|
| Light | 20 kg | every year |
| Heavy | 90 kg | every month |

Other models have no limit at all.
"""


@pytest.mark.parametrize(
    ("quote", "case"),
    [
        ("Für Beschäftigte an Pressen beträgt der Grenzwert des Tagesmittels 80 Dezibel.", ""),
        (
            "2. in der Werkstatt 120 Dezibel und",
            "Für Beschäftigte an Pressen beträgt der Grenzwert des Tagesmittels 80 Dezibel."
            " Der Spitzenwert beträgt",
        ),
        (
            "Wer Schwangere beschäftigt, hat für jede von ihnen einen ruhigen Platz vorzuhalten.",
            "",
        ),
    ],
)
def test_what_a_statute_says_is_quoted_with_whom_it_is_for(quote: str, case: str) -> None:
    assert (case, quote) in shown(NOISE)


def test_a_list_within_a_sentence_is_also_one_quote() -> None:
    ((case, quote),) = shown(NOISE, "list")
    assert case.startswith("Für Beschäftigte an Pressen")
    assert quote.startswith("Der Spitzenwert beträgt 1.") and quote.endswith("90 Dezibel.")


def test_an_exception_is_quoted_with_its_rule() -> None:
    """It says ``Satz 1``, which is more than two sentences away and is its case then."""
    (found,) = (each for each in shown(NOISE) if each[1].endswith("Wartungsarbeiten."))
    assert found[0].endswith("80 Dezibel.") and found[1].startswith("Satz 1 gilt nicht")


def test_an_exception_right_behind_its_rule_is_one_quote_with_it() -> None:
    text = (
        "(4) Anlagen sind jährlich zu prüfen. Abweichend von Satz 1 genügt für kleine Anlagen eine "
        "Prüfung alle drei Jahre."
    )
    assert shown(text)[1] == ("", text.removeprefix("(4) "))


def test_items_have_the_lead_in_of_their_own_list() -> None:
    cases = {quote: case for case, quote in shown(MANUAL, "item")}
    assert cases["2. Wait until the lamp is out"] == "Before you open the housing:"
    assert cases["- the spring of the lock"] == "Check these parts:"
    assert cases["2. Close the lid"] == "If the seal is torn:"


def test_a_list_is_quoted_as_a_whole_and_never_with_another() -> None:
    lists = [quote for _, quote in shown(MANUAL, "list")]
    assert lists[-1] == "If the seal is torn: 1. Order a new one 2. Close the lid"
    assert all("Pull the plug" not in quote or "torn" not in quote for quote in lists)


def test_a_nested_list_that_comes_first_has_both_lead_ins() -> None:
    text = (
        "An operator must:\n\n- keep these records:\n  - the date of each test\n"
        "  - the name of the tester\n- answer letters within a week\n"
    )
    cases = {quote: case for case, quote in shown(text, "item")}
    assert cases["- the date of each test"] == "An operator must: - keep these records:"
    assert cases["- answer letters within a week"] == "An operator must:"


def test_items_below_half_a_clause_are_quoted_with_it_alone() -> None:
    text = (
        "(2) Der Halter eines Hundes hat\n1. das Tier zu melden,\n2. bei großen Rassen\n"
        "a) einen Kurs zu besuchen,\nb) eine Leine zu führen und\n3. Steuer zu zahlen.\n"
        "Die Meldung ist gebührenfrei.\n"
    )
    found = shown(text)
    assert not any(quote.startswith("b)") for _, quote in found)
    whole = "2. bei großen Rassen a) einen Kurs zu besuchen, b) eine Leine zu führen und"
    assert ("Der Halter eines Hundes hat", whole) in found
    assert ("Der Halter eines Hundes hat", "3. Steuer zu zahlen.") in found


@pytest.mark.parametrize(
    ("last", "first"),
    [
        ("It is heavy.", "Then the housing"),
        ("This does not apply to the travel model.", "Then the housing"),
    ],
)
def test_prose_that_refers_back_begins_with_what_it_refers_to(last: str, first: str) -> None:
    found = [quote for _, quote in shown(MANUAL, "sentence")]
    assert any(quote.startswith(first) and quote.endswith(last) for quote in found)
    assert last not in found


def test_rows_have_their_header() -> None:
    header = "| Model | Load | Test |"
    assert shown(TABLE, "row") == [
        (header, "| Light | 20 kg | every year |"),
        (header, "| Heavy | 90 kg | every month |"),
    ]


def test_rows_without_outer_bars_have_their_header() -> None:
    found = shown("Teil | Preis\nDeckel | 5 Euro\nRiegel | 7 Euro\n", "row")
    assert found[1] == ("Teil | Preis", "Riegel | 7 Euro")


@pytest.mark.parametrize(
    "text",
    [
        "## Prices and payment\n",
        "Prices\n======\n",
        "The following holds:\n",
        "```\nrun --fast\n```\n",
        "----------\n",
        "Appendix B Tables of the older models\n",
    ],
)
def test_what_says_nothing_alone_is_no_unit(text: str) -> None:
    assert units(text) == []


def test_the_case_may_stand_before_the_passage_and_the_unit_end_after_it() -> None:
    start = MANUAL.index("2. Wait")
    found = [unit for unit in units(MANUAL, start, start + 9) if unit.kind == "item"]
    assert [words(MANUAL, unit) for unit in found] == ["2. Wait until the lamp is out"]
    assert found[0].case is not None and found[0].case[1] < start


def test_nothing_is_taken_from_beyond_the_section() -> None:
    start = MANUAL.index("1. Order")
    found = quotable_units(MANUAL, start, start + 20, (start, len(MANUAL)))
    assert all(unit.start >= start and unit.case is None for unit in found)


def test_a_sentence_over_a_page_border_is_one_quote() -> None:
    text = "The tank is emptied once a year and is then\r\n\fcleaned from within. Nobody is inside."
    assert shown(text)[0][1].endswith("cleaned from within.")


def test_a_date_at_the_beginning_of_a_line_begins_no_item() -> None:
    text = "Die Gebühr beträgt seit dem\n1. Januar 2020 insgesamt 30 Euro je Tier.\n"
    assert [unit.kind for unit in units(text)] == ["sentence"]


def test_a_long_list_is_quoted_item_by_item_alone() -> None:
    items = "".join(f"- the part with the number {n}, in all of its colours\n" for n in range(50))
    kinds = {unit.kind for unit in units(f"We sell these parts:\n\n{items}")}
    assert kinds == {"item"}
