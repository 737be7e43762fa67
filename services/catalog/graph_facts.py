"""What models read in passages of texts, kept passage by passage."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from services.catalog import ids
from services.catalog.database import Database, one_of
from services.catalog.graph_models import GraphFactsRow
from services.catalog.models import TextRow
from services.knowledge_graph.names import node_id
from services.knowledge_graph.values import GraphPart, Mention, Node, PartEdge, PassageFacts


class GraphFacts:
    """A result for each passage, the latest one counting."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, text_id: str, facts: PassageFacts) -> None:
        """Keep what was read in a passage, in place of an earlier reading of it.

        Without effect where the text has been deleted meanwhile.
        """
        row = GraphFactsRow(
            text_id=text_id,
            start=facts.start,
            end=facts.end,
            made_by=facts.made_by,
            found=facts.model_dump(mode="json"),
            read_at=ids.now(),
        )
        of_text = select(TextRow.text_id).where(TextRow.text_id == text_id)
        with self._database.write() as session:
            if session.scalar(of_text) is not None:
                session.merge(row)

    def done(self, text_id: str, made_by: str) -> set[tuple[int, int]]:
        """The passages of a text that this model has read with these prompts."""
        query = select(GraphFactsRow.start, GraphFactsRow.end).where(
            GraphFactsRow.text_id == text_id, GraphFactsRow.made_by == made_by
        )
        with self._database.read() as session:
            return {(start, end) for start, end in session.execute(query)}

    def read(self, session: Session, text_ids: Iterable[str]) -> dict[str, list[PassageFacts]]:
        """What was read in these texts, by text id, in the order of the passages."""
        query = (
            select(GraphFactsRow.text_id, GraphFactsRow.found)
            .where(one_of(session, GraphFactsRow.text_id, text_ids))
            .order_by(GraphFactsRow.text_id, GraphFactsRow.start, GraphFactsRow.end)
        )
        found: defaultdict[str, list[PassageFacts]] = defaultdict(list)
        for text_id, facts in session.execute(query):
            found[text_id].append(PassageFacts.model_validate(facts))
        return dict(found)

    def texts(self, session: Session, text_ids: Iterable[str]) -> int:
        """How many of these texts a model has read."""
        query = select(func.count(GraphFactsRow.text_id.distinct()))
        return session.scalar(query.where(one_of(session, GraphFactsRow.text_id, text_ids))) or 0


def with_facts(part: GraphPart, read: Sequence[PassageFacts]) -> GraphPart:
    """The part with the entities and relations that a model found in its text."""
    if not read:
        return part
    entities = [each for facts in read for each in facts.entities]
    named: dict[str, str] = {}
    for entity in entities:
        named.setdefault(node_id("entity", entity.name), entity.name)
    places = Counter(node_id("entity", entity.name) for entity in entities)
    nodes = [
        Node(node_id=identity, kind="entity", name=name, places=places[identity])
        for identity, name in named.items()
    ]
    mentions = [
        Mention(node_id=node_id("entity", each.name), start=each.start, end=each.end)
        for each in entities
    ]
    edges = [
        PartEdge(
            source=node_id("entity", fact.subject),
            target=node_id("entity", fact.object),
            kind="relates",
            label=fact.relation,
            start=fact.start,
            end=fact.end,
            by="model",
        )
        for facts in read
        for fact in facts.facts
    ]
    return part.model_copy(
        update={
            "nodes": (*part.nodes, *nodes),
            "mentions": (*part.mentions, *mentions),
            "edges": (*part.edges, *edges),
        }
    )
