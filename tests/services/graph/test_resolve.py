"""Which nodes are taken for one, which never are, and what a person has told apart."""

from services.graph.build import resolve
from services.graph.values import Named, NodeKind
from tests.support.tables import rows


def named(
    *names: str, kind: NodeKind = "word", places: int = 5, language: str = "de"
) -> list[Named]:
    return [Named(f"{kind}:{name.casefold()}", kind, name, places, language) for name in names]


# Two spellings | the rule by which they are one, if they are.
SPELLINGS = """
Strahlenschutz-Verantwortlicher | Strahlenschutzverantwortlicher | hyphenation
Strahlenschutzverantwortlichen | Strahlenschutzverantwortlicher | inflection
beruflich exponierte Personen | Beruflich exponierte Person | inflection
Photographie | Fotografie |
ionisierende Strahlung | nichtionisierende Strahlung |
nicht festhaftende Oberflächenkontamination | festhaftende Oberflächenkontamination |
Gefahrengruppe I | Gefahrengruppe II |
Plutonium 239 | Plutonium 241 |
Strahlung | Strahlen |
Verletzungen | Versetzungen |
Ableitungen | Anleitungen |
Symmetrische | Asymmetrische |
Anlage | Anlagenteil |
"""


def test_spellings_of_one_name_are_one_and_other_things_never() -> None:
    for one, other, why in rows(SPELLINGS):
        found = resolve([*named(other, kind="term", places=9), *named(one, places=1)])
        expected = [(f"word:{one.casefold()}", f"term:{other.casefold()}", why)] if why else []
        assert [(each.node_id, each.into, each.why) for each in found] == expected


def test_equal_names_of_other_kinds_are_one_and_terms_stand_for_them() -> None:
    kinds: tuple[NodeKind, ...] = ("word", "entity", "term")
    found = resolve([node for kind in kinds for node in named("Dosis", kind=kind)])
    assert {(merge.node_id, merge.into, merge.why) for merge in found} == {
        ("word:dosis", "term:dosis", "case"),
        ("entity:dosis", "term:dosis", "case"),
    }


def test_a_short_form_is_its_long_form_unless_it_has_several() -> None:
    nodes = [*named("SSK", kind="abbreviation"), *named("Strahlenschutzkommission", "Sonderkasse")]
    (merge,) = resolve(nodes, [("abbreviation:ssk", "word:strahlenschutzkommission")])
    assert (merge.node_id, merge.why) == ("abbreviation:ssk", "abbreviation")
    both = [("abbreviation:ssk", node.node_id) for node in nodes[1:]]
    assert resolve(nodes, both) == []


def test_what_was_told_apart_stays_apart_by_any_way() -> None:
    nodes = named("Grenzwert", "Grenzwerte", "Grenzwerten")
    apart = {("word:grenzwerte", "word:grenzwert")}
    found = {(merge.node_id, merge.into) for merge in resolve(nodes, (), apart)}
    grouped = {frozenset(pair) for pair in found}
    assert len(found) == 1
    assert frozenset(("word:grenzwerte", "word:grenzwert")) not in grouped


def test_the_order_of_the_nodes_does_not_matter() -> None:
    nodes = named("Grenzwert", "Grenzwerte", "Dosis", "Grenzwerten", "Behörde", "Behörden")
    assert resolve(nodes) == resolve(reversed(nodes))
    assert len(resolve(nodes)) == 3
