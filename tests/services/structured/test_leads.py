"""What a quote should not be without, and how a sentence is put."""

import pytest

from services.structured.form import (
    burden,
    contrasts,
    is_aside,
    is_code,
    is_item,
    lists,
    tells_itself,
)
from services.structured.leads import before_code, leads, needs_lead

YOUNG = "Für Personen unter 18 Jahren beträgt der Grenzwert 1 Millisievert im Jahr."
EYES = "Der Grenzwert für die Augen beträgt 15 Millisievert im Jahr."
LAW = f"§ 2 Grenzwerte\n\n(3) {YOUNG} {EYES}\n\n(4) Die Behörde prüft dies jährlich."


def spans(text: str, *parts: str) -> list[tuple[int, int]]:
    return [(text.index(part), text.index(part) + len(part)) for part in parts]


def test_a_value_is_led_by_the_sentence_that_says_for_whom_it_holds() -> None:
    found = leads(LAW, spans(LAW, YOUNG, EYES, "Die Behörde prüft dies jährlich."))
    assert list(found) == [LAW.index(EYES)]  # the others begin their paragraphs
    lead = found[LAW.index(EYES)]
    assert (lead.kind, lead.text, LAW[lead.start :].startswith(YOUNG)) == ("before", YOUNG, True)
    assert needs_lead(EYES, lead, "de")
    assert not needs_lead("Die Messung geschieht durch eine Stelle.", lead, "de")
    assert needs_lead("Sie geschieht durch eine Stelle.", lead, "de")


def test_the_first_item_of_a_long_sentence_is_led_by_its_beginning() -> None:
    items = [f"{n}. keine Tatsachen vorliegen, die gegen Nummer {n} sprechen," for n in (1, 2)]
    text = f"(1) Die Genehmigung ist zu erteilen, wenn {items[0]} {items[1]}"
    found = leads(text, spans(text, *items))
    first, second = (found[text.index(item)] for item in items)
    assert (first.kind, first.first, first.text) == (
        "list",
        True,
        "Die Genehmigung ist zu erteilen, wenn",
    )
    assert second.kind == "list" and not second.first and second.text == first.text
    assert needs_lead(items[0], first, "de") and not needs_lead(items[1], second, "de")


def test_half_a_sentence_is_known_as_such() -> None:
    text = "(1) Der Plan wird vom Ministerium regelmäßig aktualisiert, alle zehn Jahre."
    (lead,) = leads(text, spans(text, "regelmäßig aktualisiert, alle zehn Jahre.")).values()
    assert lead.kind == "cut"


@pytest.mark.parametrize(
    ("text", "item"),
    [("1. eine Anlage", True), ("* ``list``", True), ("a) dies", True), ("(1) Wer dies", False)],
)
def test_items_begin_with_a_mark_and_paragraphs_are_none(text: str, item: bool) -> None:
    assert is_item(text) == item


def test_what_is_put_as_code_exception_or_reference_is_worth_less() -> None:
    assert is_code("class ProtoA(Protocol): def meth(self, x: int) -> int: ...")
    assert not is_code("``NewType`` accepts exactly two arguments: a name and a base class.")
    rule = "Der Grenzwert beträgt 20 Millisievert."
    assert burden(rule, "Grenzwert", "de") == 0.0
    exception = "Abweichend davon kann die Behörde 50 Millisievert zulassen."
    assert burden(exception, "Grenzwert", "de") > 0.0
    assert burden(exception, "Ausnahmen vom Grenzwert", "de") == 0.0
    assert burden("Die Sätze 1 und 3 gelten entsprechend.", "Grenzwert", "de") > 0.0
    assert lists("Er beträgt 1. für die Augen 20, 2. für die Haut 500.") and not lists(rule)


def test_a_lead_in_of_code_may_be_a_statement() -> None:
    says = "Short names of types are made by simple assignments::"
    text = f"{says}\n\n    Url = str\n\nConsider this example of a longer one here::\n\n    x = 1\n"
    assert [text[start:end] for start, end in before_code(text)] == [says]
    assert before_code("These are the formats that all of them know:\n\n* one\n* two\n") == []


def test_a_document_may_say_what_it_is() -> None:
    assert tells_itself("This PEP proposes another syntax.")
    assert tells_itself("Dieses Gesetz regelt den Schutz vor Lärm.")
    assert not tells_itself("This section describes the rules.")
    assert not tells_itself("Das Gesetz regelt nichts.")


def test_a_sentence_may_hold_things_against_each_other() -> None:
    assert contrasts("Unlike the old form, the new one narrows both branches.")
    assert contrasts("Im Gegensatz zum Sperrbereich ist der Kontrollbereich größer.")
    assert not contrasts("Both forms narrow the type.")
    assert not contrasts("Während des Fluges gilt ein Grenzwert.")


def test_thanks_sources_and_what_was_rejected_count_less_unless_asked_for() -> None:
    assert is_aside(["Rejected Ideas", "A decorator"], "What does the decorator do")
    assert is_aside(["Acknowledgments"], "What does it add")
    assert not is_aside(["Rejected Ideas"], "Why was the decorator rejected")
    assert not is_aside(["Specification"], "What does the decorator do")
    assert burden("The thread is at <https://example.org/thread>.", "thread", "en") > 0.0
