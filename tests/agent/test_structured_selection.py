"""Which sentences are quoted for each item: in pairs, as whole lists, by document, by need."""

from agent.ask.structured.selection import selected
from agent.ask.structured.sentences import ItemBest
from services.evidence import EvidenceSentence


def sentence(text: str, start: int, document: str = "d", section: str = "§ 1") -> EvidenceSentence:
    return EvidenceSentence(
        document_id=document,
        document=f"{document}.txt",
        section=section,
        page=None,
        start=start,
        end=start + len(text),
        text=text,
        context=text,
    )


def best(item: str, *ranked: tuple[float, EvidenceSentence]) -> ItemBest:
    return ItemBest(item, ranked)


WORKERS_BODY = sentence("Für Beschäftigte beträgt der Grenzwert der effektiven Dosis 20.", 0)
WORKERS_EYES = sentence("Für Beschäftigte beträgt der Grenzwert der Augenlinse 20.", 100)
PUBLIC_EYES = sentence("Für die Bevölkerung beträgt der Grenzwert der Augenlinse 15.", 200)
PUBLIC_BODY = sentence("Für die Bevölkerung beträgt der Grenzwert der effektiven Dosis 1.", 300)
PUBLIC_ELSE = sentence("Die Bevölkerung ist bei Notfällen rechtzeitig zu unterrichten.", 400)


def test_a_comparison_pairs_what_both_sides_say_of_the_same() -> None:
    sides = [
        best("Grenzwert für Beschäftigte", (1.0, WORKERS_BODY), (0.9, WORKERS_EYES)),
        best(
            "Grenzwert für die Bevölkerung",
            (1.0, PUBLIC_ELSE),
            (0.95, PUBLIC_EYES),
            (0.9, PUBLIC_BODY),
        ),
    ]
    (_, left), (_, right) = selected(sides, "comparison", "de")
    assert left == [WORKERS_BODY, WORKERS_EYES]
    assert right == [PUBLIC_BODY, PUBLIC_EYES]


def test_a_comparison_without_pairs_has_the_best_of_each_side() -> None:
    sides = [
        best("Grenzwert für Beschäftigte", (1.0, WORKERS_BODY)),
        best("Bevölkerung", (1.0, PUBLIC_ELSE)),
    ]
    assert selected(sides, "comparison", "de") == [
        ("Grenzwert für Beschäftigte", [WORKERS_BODY]),
        ("Bevölkerung", [PUBLIC_ELSE]),
    ]


def test_a_list_is_quoted_whole_in_its_order_and_no_other_list_with_it() -> None:
    items = [sentence(f"{n}. die Unterlagen der Art Nummer {n},", 100 * n) for n in (1, 2, 3)]
    other = sentence("1. die Anlagen einer anderen Liste,", 400)
    elsewhere = sentence("4. die Unterlagen eines anderen Paragraphen,", 450, section="§ 2")
    ranked = (1.0, items[1]), (0.9, other), (0.8, elsewhere), (0.0, items[2]), (0.0, items[0])
    (found,) = selected([best("Welche Unterlagen", *ranked)], "enumeration", "de")
    assert found == ("Welche Unterlagen", items)


def test_a_history_has_the_best_of_each_document() -> None:
    old, new = sentence("Union was introduced.", 0, "old"), sentence("Now it is |.", 0, "new")
    second = sentence("Union was also extended.", 50, "old")
    ranked = (1.0, old), (0.95, second), (0.8, new)
    (found,) = selected([best("How has the union syntax changed", *ranked)], "temporal", "en")
    assert found[1] == [old, new]


def test_of_a_fact_only_what_adds_to_it_is_quoted() -> None:
    first = sentence("Der Grenzwert der Haut beträgt 500 Millisievert.", 0)
    same = sentence("Der Grenzwert der Haut ist 500 Millisievert.", 100)
    adds = sentence("Für Beschäftigte wird der Grenzwert gemessen.", 200)
    item = "Welcher Grenzwert der Haut gilt für Beschäftigte"
    ranked = (1.0, first), (0.9, same), (0.85, adds)
    (found,) = selected([best(item, *ranked)], "factual", "de")
    assert found[1] == [first, adds]


def test_where_nothing_has_what_is_wanted_one_sentence_is_enough() -> None:
    vague = sentence("Die Messung wird von der Stelle wiederholt.", 0)
    other = sentence("Die Messung ist der Behörde vorzulegen.", 100)
    item = "Wie lange ist die Messung aufzubewahren"
    (found,) = selected([best(item, (1.0, vague), (0.99, other))], "temporal", "de")
    assert found[1] == [vague]


def test_a_comparison_begins_with_what_holds_one_side_against_the_other() -> None:
    against = sentence("Unlike a crane, a hoist lifts only upwards.", 0)
    crane, hoist = sentence("A crane lifts loads.", 100), sentence("A hoist lifts loads.", 200)
    sides = [
        best("crane", (1.0, crane), (0.8, against)),
        best("hoist", (1.0, hoist), (0.9, against)),
    ]
    (_, left), (_, right) = selected(sides, "comparison", "en")
    assert (left, right) == ([crane], [against, hoist])
