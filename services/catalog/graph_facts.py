"""What models read in texts of the knowledge graph, and which of its nodes are merged."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session, aliased

from services.catalog import ids
from services.catalog.database import Repository, batches, one_of
from services.catalog.graph_models import GraphFactsRow, GraphMergeRow
from services.catalog.models import ExtractionRow, MembershipRow, TextRow
from services.domain.errors import NotFound
from services.graph.values import Merge, PassageFacts

_PACE: Final = 50
"""Number of the latest passages that a model's speed is taken from."""


class GraphFacts(Repository):
    """What models read in passages, one result per passage; the latest counts."""

    def put(self, text_id: str, facts: PassageFacts) -> None:
        """Store what was read in a passage of an existing text, in place of what overlaps it."""
        of_text = select(TextRow.text_id).where(TextRow.text_id == text_id)
        overlapping = delete(GraphFactsRow).where(
            GraphFactsRow.text_id == text_id,
            GraphFactsRow.start < facts.end,
            GraphFactsRow.end > facts.start,
        )
        with self._database.write() as session:
            if session.scalar(of_text) is not None:
                session.execute(overlapping)
                session.add(_row(text_id, facts))

    def carry_over(self, text_id: str, passages: Sequence[tuple[int, int]]) -> int:
        """Copy what was read in unchanged passages of earlier versions; return how many."""
        with self._database.read() as session:
            before = _of_versions(session, text_id)
            if not before:
                return 0
            text = session.scalar(select(TextRow.text).where(TextRow.text_id == text_id)) or ""
            of_text = select(GraphFactsRow.start).where(GraphFactsRow.text_id == text_id)
            there = set(session.scalars(of_text))
        rows = [
            _row(text_id, old.moved(start - old.start))
            for start, end in passages
            if start not in there and (old := before.get(text[start:end])) is not None
        ]
        with self._database.write() as session:
            session.add_all(rows)
        return len(rows)

    def pace(self, made_by: str) -> tuple[int, float]:
        """Return the number of the latest passages of this model and prompts, and their seconds."""
        query = (
            select(GraphFactsRow.found)
            .where(GraphFactsRow.made_by == made_by)
            .order_by(GraphFactsRow.read_at.desc())
            .limit(_PACE)
        )
        with self._database.read() as session:
            latest = [PassageFacts.model_validate(facts) for facts in session.scalars(query)]
        return len(latest), sum(facts.seconds for facts in latest)

    def done(self, text_id: str, made_by: str) -> set[tuple[int, int]]:
        """Return the passages of a text that this model has read with these prompts."""
        query = select(GraphFactsRow.start, GraphFactsRow.end).where(
            GraphFactsRow.text_id == text_id, GraphFactsRow.made_by == made_by
        )
        return {(start, end) for start, end in self._database.rows(query)}

    def read(self, session: Session, text_ids: Iterable[str]) -> dict[str, list[PassageFacts]]:
        """Return what was read in these texts, by text id, in the order of the passages."""
        query = (
            select(GraphFactsRow.text_id, GraphFactsRow.found)
            .where(one_of(session, GraphFactsRow.text_id, text_ids))
            .order_by(GraphFactsRow.text_id, GraphFactsRow.start, GraphFactsRow.end)
        )
        by_text: defaultdict[str, list[PassageFacts]] = defaultdict(list)
        for text_id, facts in session.execute(query):
            by_text[text_id].append(PassageFacts.model_validate(facts))
        return dict(by_text)


def _row(text_id: str, facts: PassageFacts) -> GraphFactsRow:
    result = facts.model_dump(mode="json")
    key = facts.model_dump(include={"start", "end", "made_by"})
    return GraphFactsRow(text_id=text_id, **key, found=result, read_at=ids.now())


def _of_versions(session: Session, text_id: str) -> dict[str, PassageFacts]:
    """Return what was last read in other versions of the same files, by passage text."""
    current, other = aliased(MembershipRow), aliased(MembershipRow)
    own_text, other_text = aliased(ExtractionRow), aliased(ExtractionRow)
    versions = (
        select(other_text.text_id)
        .join(other, other.content_id == other_text.content_id)
        .join(
            current,
            (current.collection_id == other.collection_id) & (current.document == other.document),
        )
        .join(own_text, own_text.content_id == current.content_id)
        .where(own_text.text_id == text_id, other_text.text_id != text_id)
    )
    query = (
        select(GraphFactsRow.text_id, GraphFactsRow.found)
        .where(GraphFactsRow.text_id.in_(versions))
        .order_by(GraphFactsRow.read_at, GraphFactsRow.text_id, GraphFactsRow.start)
    )
    read = [(key, PassageFacts.model_validate(facts)) for key, facts in session.execute(query)]
    these = one_of(session, TextRow.text_id, {key for key, _ in read})
    texts = dict(session.execute(select(TextRow.text_id, TextRow.text).where(these)).all())
    return {texts[key][facts.start : facts.end]: facts for key, facts in read}


class GraphMerges(Repository):
    """Merged nodes of collections, recorded so that they can be undone. Access has been checked."""

    def of(self, collection_id: str) -> list[Merge]:
        """Return the merges of a collection, undone ones included, by node id."""
        query = (
            select(GraphMergeRow)
            .where(GraphMergeRow.collection_id == collection_id)
            .order_by(GraphMergeRow.node_id, GraphMergeRow.into)
        )
        return self._database.values(Merge, query)

    def replace(self, collection_id: str, merges: Sequence[Merge]) -> None:
        """Record the current merges. Those that stay keep their time; undone merges stay undone."""
        before = {(merge.node_id, merge.into) for merge in self.of(collection_id)}
        now = {(merge.node_id, merge.into): merge for merge in merges}
        key = {"collection_id": collection_id, "undone": False}
        for batch in batches(sorted(before - now.keys())):
            self._database.execute(
                *(
                    delete(GraphMergeRow).filter_by(**key, node_id=node, into=into)
                    for node, into in batch
                )
            )
        new = key | {"at": ids.now()}
        rows = (
            new | merge.model_dump(include={"node_id", "into", "why"})
            for pair, merge in now.items()
            if pair not in before
        )
        self._database.insert_missing(GraphMergeRow, rows)

    def undo(self, collection_id: str, node_id: str) -> Merge:
        """Undo a merge for good, whatever later builds find; raise NotFound."""
        key = {"collection_id": collection_id, "node_id": node_id, "undone": False}
        with self._database.write() as session:
            row = session.scalar(select(GraphMergeRow).filter_by(**key))
            if row is None:
                raise NotFound("No merge of {node!r} is recorded in this collection.", node=node_id)
            session.execute(update(GraphMergeRow).filter_by(**key).values(undone=True))
            return Merge.model_validate(row, from_attributes=True).model_copy(
                update={"undone": True}
            )

    def merged(self, collections: Sequence[str]) -> dict[str, str]:
        """Return every merged node of these collections with the node that stands for its group.

        Groups of several collections that share a node are one, unless one of the collections has
        undone the merge. The first representative by id stands for the group.
        """
        query = (
            select(GraphMergeRow.node_id, GraphMergeRow.into, GraphMergeRow.undone)
            .where(GraphMergeRow.collection_id.in_(collections))
            .order_by(GraphMergeRow.node_id, GraphMergeRow.into)
        )
        rows = self._database.rows(query)
        undone = {(node, into) for node, into, taken_back in rows if taken_back}
        standing: dict[str, str] = {}
        for node, into, _ in rows:
            if (node, into) in undone:
                continue
            one, other = sorted((_standing(standing, node), _standing(standing, into)))
            if one != other:
                keep = into if into in (one, other) else one
                standing[other if keep == one else one] = keep
        return {node: _standing(standing, node) for node in sorted(standing)}


def _standing(merged: dict[str, str], node: str) -> str:
    while node in merged:
        node = merged[node]
    return node
