"""Units on texts that were made for it: what is quoted, with which case, and what stands alone."""

from functools import cache

import pytest

from services.evidence.quotes import widen_quote
from services.evidence.units import QuotableUnit, quotable_units
from services.ingestion.parsers.extraction import Extraction
from services.ingestion.parsers.headings import build_sections
from services.ingestion.worker import parse
from services.settings import Settings

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


def units(text: str, start: int = 0, end: int | None = None) -> list[QuotableUnit]:
    return quotable_units(text, start, len(text) if end is None else end, (0, len(text)))


def one_line(text: str, span: tuple[int, int] | None) -> str:
    return " ".join(text[slice(*span)].split()) if span else ""


def words(text: str, unit: QuotableUnit) -> str:
    return one_line(text, (unit.start, unit.end))


def shown(text: str, *kinds: str) -> list[tuple[str, str]]:
    """Case and quote of the units, on one line each."""
    found = [unit for unit in units(text) if not kinds or unit.kind in kinds]
    return [(one_line(text, unit.case), words(text, unit)) for unit in found]


def alone(text: str, part: str) -> tuple[str, str]:
    """Case and quote of the shortest unit with these words, as it is shown."""
    holding = [unit for unit in units(text) if part in text[unit.start : unit.end]]
    unit = min(holding, key=lambda each: each.end - each.start)
    quote, case = widen_quote(text, (unit.start, unit.end), unit.case, (0, len(text)))
    return one_line(text, case), one_line(text, quote)


def test_what_a_statute_says_is_quoted_with_whom_it_is_for() -> None:
    rule = "Für Beschäftigte an Pressen beträgt der Grenzwert des Tagesmittels 80 Dezibel."
    duty = "Wer Schwangere beschäftigt, hat für jede von ihnen einen ruhigen Platz vorzuhalten."
    found = shown(NOISE)
    assert ("", rule) in found and ("", duty) in found
    assert (f"{rule} Der Spitzenwert beträgt", "2. in der Werkstatt 120 Dezibel und") in found
    ((case, quote),) = shown(NOISE, "list")
    assert case == rule
    assert quote.startswith("Der Spitzenwert beträgt 1.") and quote.endswith("90 Dezibel.")


def test_an_exception_is_quoted_with_its_rule() -> None:
    """It says ``Satz 1``, which is more than two sentences away and is its case then."""
    (found,) = (each for each in shown(NOISE) if each[1].endswith("Wartungsarbeiten."))
    assert found[0].endswith("80 Dezibel.") and found[1].startswith("Satz 1 gilt nicht")
    text = (
        "(4) Anlagen sind jährlich zu prüfen. Abweichend von Satz 1 genügt für kleine Anlagen eine "
        "Prüfung alle drei Jahre."
    )
    assert shown(text)[1] == ("", text.removeprefix("(4) "))


def test_items_have_the_lead_in_of_their_own_list() -> None:
    nested = (
        "An operator must:\n\n- keep these records:\n  - the date of each test\n"
        "  - the name of the tester\n- answer letters within a week\n"
    )
    ended = "We deliver to none of these islands.\n\n- Upper Skerry\n- Long Holm (on request)\n"
    bold = (
        "Rents rise.\n\n**From 2031:**\n\nWe ask for:\n\n- the last two bills\n\n"
        "**From 2032**\n\n- the last bill\n"
    )
    for text, item, lead_in in (
        (MANUAL, "2. Wait until the lamp is out", "Before you open the housing:"),
        (MANUAL, "- the spring of the lock", "Check these parts:"),
        (MANUAL, "2. Close the lid", "If the seal is torn:"),
        (nested, "- the date of each test", "An operator must: - keep these records:"),
        (nested, "- answer letters within a week", "An operator must:"),
        (ended, "- Long Holm (on request)", "We deliver to none of these islands."),
        (bold, "- the last two bills", "**From 2031:** We ask for:"),
        (bold, "- the last bill", "**From 2032**"),
    ):
        assert (lead_in, item) in shown(text, "item")


def test_words_before_a_comma_lead_into_their_list() -> None:
    lead_in = "Der Betreiber ist verpflichtet,"
    text = f"(1) {lead_in}\n\n1.  die Kessel zu prüfen,\n\n\n2.  die Prüfung festzuhalten.\n"
    found = shown(text)
    assert (lead_in, "2. die Prüfung festzuhalten.") in found
    assert ("", f"{lead_in} 1. die Kessel zu prüfen, 2. die Prüfung festzuhalten.") in found
    assert ("", lead_in) not in found


def test_a_list_is_quoted_as_a_whole_and_a_long_one_item_by_item_alone() -> None:
    lists = [quote for _, quote in shown(MANUAL, "list")]
    assert lists[-1] == "If the seal is torn: 1. Order a new one 2. Close the lid"
    assert all("Pull the plug" not in quote or "torn" not in quote for quote in lists)
    items = "".join(f"- the part with the number {n}, in all of its colours\n" for n in range(50))
    assert {unit.kind for unit in units(f"We sell these parts:\n\n{items}")} == {"item"}


def test_items_below_half_a_clause_are_quoted_with_it_alone() -> None:
    found = shown(
        "(2) Der Halter eines Hundes hat\n1. das Tier zu melden,\n2. bei großen Rassen\n"
        "a) einen Kurs zu besuchen,\nb) eine Leine zu führen und\n3. Steuer zu zahlen.\n"
        "Die Meldung ist gebührenfrei.\n"
    )
    assert not any(quote.startswith("b)") for _, quote in found)
    whole = "2. bei großen Rassen a) einen Kurs zu besuchen, b) eine Leine zu führen und"
    assert ("Der Halter eines Hundes hat", whole) in found
    assert ("Der Halter eines Hundes hat", "3. Steuer zu zahlen.") in found


def test_prose_that_refers_back_begins_with_what_it_refers_to() -> None:
    found = [quote for _, quote in shown(MANUAL, "sentence")]
    for last in ("It is heavy.", "This does not apply to the travel model."):
        assert any(each.startswith("Then the housing") and each.endswith(last) for each in found)
        assert last not in found
    text = "The tank is emptied once a year and is then\r\n\fcleaned from within. Nobody is inside."
    assert shown(text)[0][1].endswith("cleaned from within.")


def test_rows_have_their_header() -> None:
    header = "| Model | Load | Test |"
    assert shown(TABLE, "row") == [
        (header, "| Light | 20 kg | every year |"),
        (header, "| Heavy | 90 kg | every month |"),
    ]


def test_a_row_that_names_its_columns_is_quoted_by_itself() -> None:
    rows = [
        "Model: Light | Load: 20 kg",
        "Model: Heavy | Load: 90 kg | Test: yearly",
        "A: 1 | B: 2",
    ]
    text = "\n".join(["Largest loads by model.", "", *rows, "", "Other models have no limit."])
    assert shown(text, "row") == [("", row) for row in rows]
    start = text.index(rows[1])
    span = start, start + len(rows[1])
    assert widen_quote(text, span, None, (0, len(text))) == (span, None)


def test_units_reach_beyond_the_passage_and_never_beyond_the_section() -> None:
    start = MANUAL.index("2. Wait")
    (found,) = (unit for unit in units(MANUAL, start, start + 9) if unit.kind == "item")
    assert words(MANUAL, found) == "2. Wait until the lamp is out"
    assert found.case is not None and found.case[1] < start
    start = MANUAL.index("1. Order")
    inside = quotable_units(MANUAL, start, start + 20, (start, len(MANUAL)))
    assert all(unit.start >= start and unit.case is None for unit in inside)


@pytest.mark.parametrize(
    ("text", "part", "case", "begin", "end"),
    [
        # what stands between a sentence and its case belongs to it, and the exception behind it
        (WORKS, "Zustimmung ist schriftlich", "Wer an einem Kessel arbeitet, trägt einen Helm."
         " Der Betreiber kann mehr verlangen, wenn der Beschäftigte zustimmt.",
         "Die Zustimmung ist schriftlich festzuhalten.", "Satz 1 gilt nicht im Leitstand."),
        # an item is quoted as its list, under what the section begins with
        *((WORKS, item, "Wer an einem Kessel arbeitet, trägt einen Helm.",
           "Vor dem Öffnen eines Kessels ist zu prüfen, ob 1.", "ein Blick auf das Messgerät.")
          for item in ("Druck abgelassen", "Aufseher zugestimmt")),
        (PAPER, "two stations",
         "The index holds one record for each station. The record names its height.",
         "However, two stations", "have no record at all."),
        (PAPER, "grid = read", "", "We repeated this with a smaller grid:", "tolerance=0.01)"),
        ("The order does not matter::\n\n    (int | str) == (str | int)\n    (a | b) == (b | a)\n",
         "(b | a)", "", "The order does not matter::", "(b | a)"),
    ],
)  # fmt: skip
def test_what_a_quote_takes_along(text: str, part: str, case: str, begin: str, end: str) -> None:
    around, quote = alone(text, part)
    assert around == case and quote.startswith(begin) and quote.endswith(end)


@pytest.mark.parametrize("numbers", [(1, 1, 1, 1), (1, 2, 3, 4)])
def test_numbered_paragraphs_are_quoted_apart(numbers: tuple[int, ...]) -> None:
    """Also where Markdown leaves the counting to who shows it; what refers back is not alone."""
    rules = (
        "The store sells pens and paper. It opens at nine.",
        "The store keeps an account of its own.",
        "This account is read every year by the treasurer.",
        "Two officers sign every order.",
    )
    listed = [f"{n}. {rule}" for n, rule in zip(numbers, rules, strict=True)]
    text = "\n".join(["## Store", *listed, ""])
    assert shown(text, "list") == []
    assert alone(text, "pens") == ("", listed[0])
    assert alone(text, "read every year") == (rules[1], listed[2])
    assert alone(text, "Two officers") == ("", listed[3])
    below = "   1. it was bought by one of the officers;\n   1. it was paid in time."
    text = "\n".join(["## Store", *listed, f"{len(numbers) + 1}. A thing is kept if:", below, ""])
    assert alone(text, "Two officers") == ("", listed[3])
    assert alone(text, "paid in time")[1].endswith(f"kept if: {one_line(below, (0, len(below)))}")
    things = [f"{n}. a copy of the {n}th letter that came with it" for n in numbers]
    for_all = "\n".join(["## Bring along", *things, ""])
    assert alone(for_all, things[-1]) == ("", " ".join(things))
    bullets = [f"- {rule}" for rule in rules]
    assert alone("\n".join(["## Store", *bullets, ""]), rules[3]) == ("", " ".join(bullets))


def test_an_item_of_a_long_list_keeps_its_lead_in() -> None:
    items = "\n".join(f"{n}. das Teil Nummer {n} {'sehr ' * 40}sauber ist," for n in range(1, 9))
    case, quote = alone(f"Vor dem Start ist zu prüfen, ob\n{items}\n", "Teil Nummer 7")
    assert case == "Vor dem Start ist zu prüfen, ob"
    assert quote.startswith("7. das Teil Nummer 7")


def test_far_in_a_long_paragraph_the_sentences_before_are_the_case() -> None:
    text = " ".join(f"The {n}th probe was heated for {n} hours in the oven." for n in range(1, 40))
    case, quote = alone(text, "The 30th probe")
    assert quote.startswith("The 29th probe") and quote.endswith("30 hours in the oven.")
    assert case.startswith("The ") and len(case) <= 600
    for unit in units(text):
        span, own = widen_quote(text, (unit.start, unit.end), unit.case, (0, len(text)))
        assert own is None or own[1] <= span[0]


@pytest.mark.parametrize(
    ("behind", "quote"),
    [
        (
            "\n\n- Speak to her.\n- Write it down.\n",
            "It looks at this:\n\n- Speak to her.\n- Write it down.",
        ),
        (f"\n\n- {'Speak. ' * 200}\n- {'Write. ' * 200}\n", ""),
        ("", ""),
    ],
    ids=["whole", "too long", "nothing follows"],
)
def test_a_quote_does_not_end_with_words_that_wait_for_a_list(behind: str, quote: str) -> None:
    rule = "The manager chooses the buddy of a newcomer."
    text = f"{rule} It looks at this:{behind}"
    case, found = widen_quote(text, (0, len(rule)), None, (0, len(text)))
    assert found is None and text[slice(*case)] == " ".join(filter(None, (rule, quote)))


def test_a_question_is_quoted_with_its_answer() -> None:
    question = "**What happens when a check fails badly?**"
    text = f"{question}\n\nThe office looks at it and decides.\n\nMore of it follows.\n"
    span, _ = widen_quote(text, (0, len(question)), None, (0, len(text)))
    assert text[slice(*span)].endswith("looks at it and decides.")


def test_a_case_outside_of_what_is_looked_at_is_kept() -> None:
    text = f"Für Kräne gilt:\n\n{'Ein Satz über Seile. ' * 400}\n\nDas Seil ist zu ölen.\n"
    start = text.index("Das Seil")
    _, case = widen_quote(text, (start, len(text) - 1), (0, 15), (0, len(text)))
    assert case == (0, 15)


@pytest.mark.parametrize("between", ["\n", " "])
def test_what_never_ends_is_quoted_in_parts(between: str) -> None:
    """A transcript, a log: nothing is lost, no part is longer than a list, and none grows again."""
    text = between.join(f"and then we said that part {n} is fine" for n in range(900))
    found = units(text)
    assert "".join(words(text, unit) for unit in found).replace(" ", "") == "".join(text.split())
    whole = "and then we said that part"
    for unit in found:
        assert between == " " or words(text, unit).startswith(whole)
        quote, case = widen_quote(text, (unit.start, unit.end), unit.case, (0, len(text)))
        assert quote[1] - quote[0] <= 1_500 and case is None
    tail = "This holds for all of us, and it is written down."
    assert shown(f"{text}. {tail}")[-1] == ("", tail)
    (*_, (case, item)) = shown(f"{text} in this order:\n\n- the first part\n- the second part\n")
    assert item == "- the second part" and case.endswith("in this order:") and len(case) <= 600


def test_a_section_without_a_blank_line_keeps_its_first_character() -> None:
    lead_in = "The following parts are in the box:"
    items = "".join(f"- the part with the number {n}, in all of its colours\n" for n in range(99))
    text = f"{lead_in}\n{items}"
    assert {one_line(text, unit.case) for unit in units(text, 4_500)} == {lead_in}


@cache
def extraction(name: str) -> Extraction:
    return parse(Settings().samples / name)


def sample(name: str, heading: str) -> tuple[str, list[QuotableUnit]]:
    """The text of a sample and the units of the section with a heading."""
    read = extraction(name)
    section = next(each for each in build_sections(read) if each.heading_path[-1:] == (heading,))
    span = (section.start, section.end)
    return read.text, quotable_units(read.text, *span, span)


def test_every_limit_for_minors_says_so() -> None:
    heading = "§ 78 Grenzwerte für beruflich exponierte Personen"
    text, found = sample("strahlenschutz/StrlSchG.pdf", heading)
    begin = text.index("(3) Für beruflich", found[0].start)
    minors = [unit for unit in found if begin < unit.start < text.index("(4) ", begin)]
    limits = [unit for unit in minors if "Millisievert" in words(text, unit)]
    assert {unit.kind for unit in limits} == {"sentence", "item", "list"}
    for unit in limits:
        assert "unter 18 Jahren" in one_line(text, unit.case) + words(text, unit)
    (lens,) = (u for u in limits if text.startswith("1. für die Augenlinse 15", u.start))
    assert "Organ-Äquivalentdosis beträgt" in one_line(text, lens.case)


def test_ordinances_name_who_has_a_duty_and_the_rule_of_an_exception() -> None:
    heading = "§ 3 Anforderungen an den Betrieb von UV-Bestrahlungsgeräten"
    text, found = sample("strahlenschutz/UVSV.txt", heading)
    cases = [one_line(text, unit.case)[:34] for unit in found if unit.kind == "item"]
    assert cases == ["Wer ein UV-Bestrahlungsgerät betre"] * 9
    text, found = sample("strahlenschutz/StrlSchV.pdf", "§ 5 Genehmigungsfreier Umgang")
    (exception,) = (unit for unit in found if "Dies gilt nicht" in words(text, unit))
    assert text.startswith("Bei einem nach § 12", exception.start)


@pytest.mark.parametrize(
    ("heading", "lead_in", "items"),
    [
        ("Stub Files", "There are several use", 5),
        ("Compatibility with other uses of function annotations", "To mark portions of the", 3),
    ],
)
def test_a_list_of_a_pep_is_whole_and_in_items(heading: str, lead_in: str, items: int) -> None:
    text, found = sample("typing-peps/pep-0484.txt", heading)
    own = [unit for unit in found if one_line(text, unit.case).startswith(lead_in)]
    assert [unit.kind for unit in own] == ["item"] * items
    (whole,) = (u for u in found if u.kind == "list" and text.startswith(lead_in, u.start))
    assert whole.end == own[-1].end
