"""What the graph finds in two small laws, and that it is always the same."""

import pytest

from services.catalog import Alias, Catalog
from services.catalog.values import NewMember
from services.domain import ParsedDocument, Scope
from services.domain.errors import NotFound
from services.graph.graph import read_graph
from services.graph.search import SOON, KnowledgeGraph
from services.graph.values import GraphPassage, Merge, PartEdge, Step
from tests.support.documents import law, store
from tests.support.graph_parts import ANNA, CountedParts, parts_of, two_laws

WEATHER = "Wie wird das Wetter?"


@pytest.fixture
def laws(catalog: Catalog) -> Scope:
    return two_laws(catalog)


@pytest.fixture
def parts(catalog: Catalog, laws: Scope) -> CountedParts:
    return CountedParts(catalog, parts_of(catalog, laws))


@pytest.fixture
def graph(catalog: Catalog, parts: CountedParts) -> KnowledgeGraph:
    return KnowledgeGraph(catalog, parts)


@pytest.fixture
def place_of(catalog: Catalog, laws: Scope) -> dict[str, str]:
    """The document and the label of the section of each passage."""
    ids = [each.chunk_id for each in catalog.corpus.chunk_places(laws)]
    chunks = catalog.chunks.get(ids, scope=laws)
    return {name: f"{each.document} {each.section}" for name, each in chunks.items()}


def walked(way: tuple[Step, ...]) -> list[str]:
    return [f"{each.source.name} {each.kind} {each.target.name}" for each in way]


def by_section(
    place_of: dict[str, str], passages: tuple[GraphPassage, ...]
) -> dict[str, GraphPassage]:
    """The best passage of each section."""
    return {place_of[each.chunk_id]: each for each in reversed(passages)}


def test_a_reference_leads_from_what_is_named_to_what_it_means(
    catalog: Catalog, laws: Scope, graph: KnowledgeGraph, place_of: dict[str, str]
) -> None:
    result = graph.search("Was sagt § 1 ZutrittsV?", laws)
    found = by_section(place_of, result.passages)
    assert found["ZutrittsV.txt § 1"].path == ()
    cited = found["ÄrzteG.txt § 2"].path
    assert walked(cited) == ["ZutrittsV § 1 cites ÄrzteG § 2"]
    assert walked(found["ÄrzteG.txt § 3"].path)[-1] == "ÄrzteG § 2 cites ÄrzteG § 3"
    place = cited[0].place
    assert place is not None
    assert catalog.documents.text_of(place.text_id)[place.start : place.end] == "§ 2 ÄrzteG"
    scores = [each.score for each in result.passages]
    assert scores[0] == 1.0 and scores == sorted(scores, reverse=True)
    catalog.collections.ensure(ANNA, "empty")
    nothing = catalog.collections.scope(ANNA, ["empty"])
    assert graph.search("§ 1 ZutrittsV", nothing).passages == ()


def test_a_text_in_two_files_is_found_once(catalog: Catalog, laws: Scope) -> None:
    for name in ("one", "other"):
        store(catalog, laws.collections[0], law("Ein Arzt."), name=name, data=name.encode())
    graph = KnowledgeGraph(catalog, CountedParts(catalog, parts_of(catalog, laws)))
    chunks = [each.chunk_id for each in graph.search("Was macht ein Arzt?", laws).passages]
    assert len(chunks) == len(set(chunks)) > 1


def test_an_edge_that_weighs_nothing_does_not_spoil_a_walk(catalog: Catalog, laws: Scope) -> None:
    """A share of nothing is no number, and one of those makes none of all others."""
    part, *others = parts_of(catalog, laws)
    ends = [node.node_id for node in part.nodes if node.kind == "term"][:2]
    weightless = PartEdge(source=ends[0], target=ends[1], kind="cooccurs", weight=0, start=0, end=1)
    spoilt = part.model_copy(update={"edges": (*part.edges, weightless)})
    found = []
    for each in (part, spoilt):
        graph = KnowledgeGraph(catalog, CountedParts(catalog, [each, *others]))
        found.append(graph.search("Was ist im Kontrollbereich die Körperdosis?", laws).passages)
    assert found[0] and found[0] == found[1]


def test_terms_are_linked_inflected_and_within_compounds(
    laws: Scope, graph: KnowledgeGraph
) -> None:
    inflected = graph.search("Wie viele Kontrollbereiche gibt es?", laws).entities
    assert inflected[0].node.name == "Kontrollbereich"
    compound = graph.search("Was ist ein Strahlenkontrollbereich?", laws).entities
    assert {each.node.name: each.score for each in compound}["Kontrollbereich"] < inflected[0].score


def test_what_links_nothing_is_led_by_the_passages_of_another_search(
    laws: Scope, graph: KnowledgeGraph, place_of: dict[str, str]
) -> None:
    result = graph.search(WEATHER, laws)
    assert (result.entities, result.passages, result.confidence) == ((), (), 0.0)
    seed = next(name for name, place in place_of.items() if place == "ZutrittsV.txt § 1")
    seeded = by_section(place_of, graph.search(WEATHER, laws, seeds=[(seed, 0.9)]).passages)
    assert walked(seeded["ÄrzteG.txt § 2"].path) == ["ZutrittsV § 1 cites ÄrzteG § 2"]


def test_paths_are_shown_from_both_ends(laws: Scope, graph: KnowledgeGraph) -> None:
    there = graph.paths("§ 1 ZutrittsV", "§ 3 ÄrzteG", laws, limit=1)
    assert walked(there[0]) == ["ZutrittsV § 1 cites ÄrzteG § 2", "ÄrzteG § 2 cites ÄrzteG § 3"]
    back = graph.paths("§ 3 ÄrzteG", "§ 1 ZutrittsV", laws, limit=1)
    assert [each.against for each in back[0]] == [True, True]
    with pytest.raises(NotFound, match="Wetterfrosch"):
        graph.paths("§ 1 ZutrittsV", "Wetterfrosch", laws)


def test_a_card_has_the_definition_with_its_place(
    catalog: Catalog, laws: Scope, graph: KnowledgeGraph
) -> None:
    card = graph.card("körperdosis", laws)
    assert card is not None and card.defined_at is not None
    assert "Die Körperdosis ist die Dosis eines Körpers." in card.definition
    assert card.neighbours[0].kind == "defines"
    assert graph.card("Wetterfrosch", laws) is None
    merge = Merge(node_id="word:arzt", into="term:körperdosis", why="case")
    catalog.graph.merges.replace(laws.collections[0], [merge])
    card = graph.card("Arzt", laws)
    assert card is not None
    assert (card.node.name, card.aliases) == ("Körperdosis", ("Arzt",)), "under both names"
    assert {each.target.name for each in card.neighbours} >= {"ÄrzteG § 3", "ÄrzteG § 1"}


def test_it_is_read_again_only_when_something_changed(
    catalog: Catalog, laws: Scope, parts: CountedParts, graph: KnowledgeGraph
) -> None:
    assert graph.has_graph(laws) and graph.version(laws) and parts.reads == 0
    graph.search("Arzt", laws)
    graph.search("Körperdosis", laws)
    assert parts.reads == 1
    parts.number += 1
    graph.search("Arzt", laws)
    assert parts.reads == 2
    store(catalog, laws.collections[0], law("Ein neuer Text."), name="neu.txt")
    assert graph.status(laws).documents == 3


def test_a_large_graph_is_loaded_beside_whoever_asks(
    laws: Scope, parts: CountedParts, graph: KnowledgeGraph
) -> None:
    parts.size = SOON
    assert graph.ready(laws) and parts.reads == 0
    parts.size = SOON + 1
    for reads in (1, 2):
        parts.readable.clear()
        assert not graph.ready(laws)
        parts.readable.set()
        graph.search("", laws)  # waits for it
        assert parts.reads == reads and graph.ready(laws)
        assert graph.search("§ 1 ZutrittsV", laws).passages and parts.reads == reads
        parts.number += 1


def test_references_tie_sections_either_way(
    laws: Scope, graph: KnowledgeGraph, place_of: dict[str, str]
) -> None:
    """§ 1 ZutrittsV refers to § 2 ÄrzteG, and that to § 3."""
    second = next(name for name, place in place_of.items() if place == "ÄrzteG.txt § 2")
    ties = graph.reference_neighbours([second, "unknown"], laws)
    tied = [{place_of[name] for name in each.chunk_ids} for each in ties]
    assert sorted(tied, key=min) == [{"ZutrittsV.txt § 1"}, {"ÄrzteG.txt § 3"}]
    assert {each.step.against for each in ties} == {True, False}
    assert all(each.step.kind == "cites" and each.step.place for each in ties)
    assert graph.reference_neighbours([], laws) == ()


def test_two_builds_give_the_same_bytes(catalog: Catalog, laws: Scope) -> None:
    question = "Welcher Arzt misst die Körperdosis im Kontrollbereich nach § 1 ZutrittsV?"

    def answer() -> str:
        graph = KnowledgeGraph(catalog, CountedParts(catalog, parts_of(catalog, laws)[::-1]))
        found = graph.search(question, laws), graph.communities(laws)
        return found[0].model_dump_json() + "".join(each.model_dump_json() for each in found[1])

    assert answer() == answer()


def test_communities_say_what_they_are_about(laws: Scope, graph: KnowledgeGraph) -> None:
    groups = graph.communities(laws)
    assert groups and all(each.size >= 3 for each in groups)
    assert all(each.title and each.passages for each in groups)
    assert graph.status(laws).communities == len(groups)
    for each in groups:
        assert each.topics and set(each.topics) <= set(each.members)
        assert not any("§" in topic for topic in each.topics)


def test_areas_are_of_the_documents_that_are_meant(
    catalog: Catalog, laws: Scope, graph: KnowledgeGraph, place_of: dict[str, str]
) -> None:
    def documents(question: str, document: str | None = None) -> set[str]:
        areas = graph.areas(question, laws, document, limit=6)
        return {place_of[name].split()[0] for each in areas for name in each.passages}

    both = {"ÄrzteG.txt", "ZutrittsV.txt"}
    assert documents("Worum geht es?") == both
    assert documents("Worum geht es im ÄrzteG?") == {"ÄrzteG.txt"}
    names = {name: document for document, name in catalog.corpus.names(laws).items()}
    assert documents("Worum geht es?", names["ÄrzteG.txt"]) == {"ÄrzteG.txt"}
    assert documents("Gib mir einen Überblick über die Körperdosis.") == set()


def labelled(parsed: ParsedDocument, *names: tuple[str, str]) -> ParsedDocument:
    """The document with these labels and titles of its sections."""
    sections = tuple(
        section.model_copy(update={"label": label, "title": title})
        for section, (label, title) in zip(parsed.sections, names, strict=True)
    )
    return parsed.model_copy(update={"sections": sections})


def test_a_section_labelled_like_its_document_is_called_by_its_heading(catalog: Catalog) -> None:
    parsed = law("Was gilt.", "Warum es gilt.", title="Typing")
    parsed = labelled(parsed, ("PEP 9", "Abstract"), ("PEP 9", "Motivation"))
    collection = catalog.collections.ensure(ANNA, "peps").collection_id
    document = store(catalog, collection, parsed)
    alias = Alias(
        document_id=document, document="p.txt", title="Typing", alias="PEP 9", kind="abbreviation"
    )
    catalog.documents.attach(collection, NewMember(document, "p.txt", None, [alias]))
    catalog.documents.mark_indexed(collection, document)
    scope = catalog.collections.scope(ANNA, None)
    graph = KnowledgeGraph(catalog, CountedParts(catalog, parts_of(catalog, scope)))
    card = graph.card("PEP 9", scope)
    assert card is not None and card.node.kind == "document"
    assert {each.target.name for each in card.neighbours} == {"PEP 9 Abstract", "PEP 9 Motivation"}


def test_a_section_called_by_its_heading_is_found_by_its_words(catalog: Catalog) -> None:
    heading = "Rückzahlung der Kaution"
    parsed = law("Was gilt.", "Was sonst gilt.", title="Mietvertrag")
    parsed = labelled(parsed, ("§ 1", "Überschrift"), (heading, heading))
    store(catalog, catalog.collections.ensure(ANNA, "leases").collection_id, parsed)
    scope = catalog.collections.scope(ANNA, None)
    graph = read_graph(catalog, CountedParts(catalog, parts_of(catalog, scope)), scope)
    assert heading in graph.headings.values()
