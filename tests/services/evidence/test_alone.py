"""What a quote takes along, on texts that were made for it."""

import pytest

from services.evidence.alone import standing_alone
from services.evidence.units import quotable_units

WORKS = """§ 7 Arbeiten an Kesseln

(1) Wer an einem Kessel arbeitet, trägt einen Helm. Der Betreiber kann mehr verlangen, wenn der \
Beschäftigte zustimmt. Die Zustimmung ist schriftlich festzuhalten. Satz 1 gilt nicht im Leitstand.

(2) Vor dem Öffnen eines Kessels ist zu prüfen, ob
1. der Druck abgelassen ist,
2. die Zufuhr gesperrt ist und
3. der Aufseher zugestimmt hat.

(3) Abweichend von Absatz 2 genügt bei Handkesseln ein Blick auf das Messgerät.
"""

PAPER = """The index holds one record for each station. The record names its height.

However, two stations have no record at all.

We repeated this with a smaller grid:

::

    grid = read("small")
    for station in grid.stations:
        compare(station, records[station.name], tolerance=0.01)
"""


def alone(text: str, words: str) -> tuple[str, str]:
    """Case and quote of the shortest unit with these words, on one line each."""
    whole = (0, len(text))
    holding = [u for u in quotable_units(text, *whole, whole) if words in text[u.start : u.end]]
    unit = min(holding, key=lambda u: u.end - u.start)
    quote, case = standing_alone(text, (unit.start, unit.end), unit.case, whole)
    return one_line(text[slice(*case)] if case else ""), one_line(text[slice(*quote)])


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_what_stands_between_a_sentence_and_its_case_belongs_to_it() -> None:
    case, quote = alone(WORKS, "Zustimmung ist schriftlich")
    assert case.startswith("Wer an einem Kessel arbeitet, trägt einen Helm. Der Betreiber kann")
    assert case.endswith("wenn der Beschäftigte zustimmt.")
    assert quote.startswith("Die Zustimmung ist schriftlich festzuhalten.")


def test_a_sentence_takes_the_exception_behind_it_along() -> None:
    _, quote = alone(WORKS, "Zustimmung ist schriftlich")
    assert quote.endswith("Satz 1 gilt nicht im Leitstand.")


@pytest.mark.parametrize("item", ["Druck abgelassen", "Aufseher zugestimmt"])
def test_an_item_is_quoted_as_its_list_under_what_the_section_begins_with(item: str) -> None:
    case, quote = alone(WORKS, item)
    assert case == "Wer an einem Kessel arbeitet, trägt einen Helm."
    assert quote.startswith("Vor dem Öffnen eines Kessels ist zu prüfen, ob 1.")
    assert quote.endswith("ein Blick auf das Messgerät.")


def test_an_item_of_a_long_list_keeps_its_lead_in() -> None:
    items = "\n".join(f"{n}. das Teil Nummer {n} {'sehr ' * 40}sauber ist," for n in range(1, 9))
    case, quote = alone(f"Vor dem Start ist zu prüfen, ob\n{items}\n", "Teil Nummer 7")
    assert case == "Vor dem Start ist zu prüfen, ob"
    assert quote.startswith("7. das Teil Nummer 7")


def test_a_paragraph_that_leans_on_the_one_before_takes_it_along() -> None:
    case, quote = alone(PAPER, "two stations")
    assert case == "The index holds one record for each station. The record names its height."
    assert quote == "However, two stations have no record at all."


def test_an_example_is_quoted_with_what_leads_into_it() -> None:
    _, quote = alone(PAPER, "grid = read")
    assert quote.startswith("We repeated this with a smaller grid:")


def test_far_in_a_long_paragraph_the_sentences_before_are_the_case() -> None:
    text = " ".join(f"The {n}th probe was heated for {n} hours in the oven." for n in range(1, 40))
    case, quote = alone(text, "The 30th probe")
    assert quote.startswith("The 29th probe") and quote.endswith("30 hours in the oven.")
    assert case.startswith("The ") and len(case) <= 600


def test_a_case_outside_of_what_is_looked_at_is_kept() -> None:
    text = f"Für Kräne gilt:\n\n{'Ein Satz über Seile. ' * 400}\n\nDas Seil ist zu ölen.\n"
    start = text.index("Das Seil")
    _, case = standing_alone(text, (start, len(text) - 1), (0, 15), (0, len(text)))
    assert case == (0, 15)


def test_case_and_quote_do_not_overlap() -> None:
    text = " ".join(f"The {n}th probe was heated for {n} hours in the oven." for n in range(1, 40))
    whole = (0, len(text))
    for unit in quotable_units(text, *whole, whole):
        quote, case = standing_alone(text, (unit.start, unit.end), unit.case, whole)
        assert case is None or case[1] <= quote[0]


def test_what_is_indented_after_two_colons_is_no_table() -> None:
    text = "The order does not matter::\n\n    (int | str) == (str | int)\n    (a | b) == (b | a)\n"
    case, quote = alone(text, "(b | a)")
    assert not case and quote.startswith("The order does not matter::")
