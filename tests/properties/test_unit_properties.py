"""Units of any text: within the section, in order, verbatim, apart from their case."""

from hypothesis import example, given
from hypothesis import strategies as st

from services.evidence.units import LONGEST_LIST, quotable_units
from services.language.text.sentences import is_heading
from tests.support.parsed_texts import body

line = st.sampled_from(
    [
        "Der Betreiber hat Folgendes zu tun:",
        "Die Anlage ist zu prüfen. Satz 1 gilt nicht für kleine Anlagen.",
        "It is heavy, however. This does not apply to others.",
        "(1) Der Grenzwert beträgt 1. im Haus 5 Gramm, 2. im Hof 7 Gramm.",
        "(2) Wer baut, hat",
        "- die Fenster zu schließen",
        "  - die Türen zu öffnen",
        "1. das Dach zu decken,",
        "2. den Keller zu lüften.",
        "a) die Wände",
        "| Teil | Preis |",
        "|---|---|",
        "| Dach | 5 Euro |",
        "## Titel",
        "=====",
        "```",
        "x = run(1)",
        "",
    ]
)
laid_out = st.lists(line, max_size=14).map("\n".join)
texts = st.one_of(laid_out, body)


@given(texts, st.data())
def test_units_lie_in_the_section_apart_from_their_case(text: str, data: st.DataObject) -> None:
    borders = sorted(data.draw(st.tuples(*[st.integers(0, len(text))] * 4)))
    first, start, end, last = borders
    found = quotable_units(text, start, end, (first, last))
    assert [(unit.start, unit.end) for unit in found] == sorted(
        {(unit.start, unit.end) for unit in found}
    )
    for unit in found:
        assert first <= unit.start < unit.end <= last
        assert unit.start < end and unit.end > start
        assert unit.end - unit.start <= LONGEST_LIST
        assert text[unit.start : unit.end].strip()
        if unit.case:
            assert first <= unit.case[0] < unit.case[1] <= last
            assert text[slice(*unit.case)].strip()
            assert unit.case[1] <= unit.start or unit.end <= unit.case[0]


@given(texts)
@example("| Teil | Preis |\n|---|---|")
def test_no_unit_is_a_heading_alone(text: str) -> None:
    for unit in quotable_units(text, 0, len(text), (0, len(text))):
        quote = text[unit.start : unit.end]
        assert unit.case or unit.kind == "row" or not is_heading(quote)
        assert any(character.isalnum() for character in quote)


@given(texts, st.integers(1, 60))
def test_passages_together_have_the_units_of_the_section(text: str, size: int) -> None:
    """However a section is cut into passages, nothing is lost at their borders."""
    section = (0, len(text))
    whole = quotable_units(text, 0, len(text), section)
    parts = [
        unit
        for start in range(0, len(text), size)
        for unit in quotable_units(text, start, min(start + size, len(text)), section)
    ]
    assert set(parts) == set(whole)
