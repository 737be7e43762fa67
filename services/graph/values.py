"""Values of the knowledge graph. Every edge says where it was read, so that it can be cited."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, Self

from pydantic import Field

from services.domain.notices import Notice
from services.domain.value import DocumentSpan, Language, Value

NodeKind = Literal[
    "document", "section", "term", "abbreviation", "quantity", "date", "word", "entity"
]
"""``term`` is defined somewhere, ``word`` only recurs, ``entity`` was named by a model."""
EdgeKind = Literal["contains", "cites", "defines", "abbreviates", "mentions", "cooccurs", "relates"]


class Place(DocumentSpan):
    """A span of one of a document's texts."""

    text_id: str


class Node(Value):
    """Something that texts speak of. ``places`` counts the spans that name it in the scope."""

    node_id: str
    kind: NodeKind
    name: str
    places: int = 0


class Step(Value):
    """An edge as it is walked and shown: from one node to the next.

    ``label`` is the relation in words where a model or the text gave one, else empty.
    ``against`` is true where the edge points the other way (is cited by, is defined in).
    """

    source: Node
    kind: EdgeKind
    target: Node
    label: str = ""
    against: bool = False
    weight: float = 1.0
    place: Place | None = None
    by: Literal["structure", "model"] = "structure"


class LinkedEntity(Value):
    """A node that a question speaks of: ``score`` (0-1) is how surely."""

    node: Node
    score: float = Field(ge=0.0, le=1.0)


class GraphPassage(Value):
    """A chunk that the graph leads to, and the path from a linked node to it.

    ``score`` is 0-1, the best passage of a search having the highest.
    """

    chunk_id: str
    score: float
    path: tuple[Step, ...]


class ReferenceNeighbour(Value):
    """The passages of a section that a reference joins to a passage, and that reference."""

    chunk_ids: tuple[str, ...]
    step: Step


class Community(Value):
    """Nodes that belong together; ``members`` are names, the most central first.

    ``topics`` are those of them that are no sections; ``title`` has the most central sections by
    heading and name, ``passages`` the first passage of each.
    """

    community_id: str
    members: tuple[str, ...]
    topics: tuple[str, ...] = ()
    size: int
    title: tuple[str, ...]
    passages: tuple[str, ...] = ()


class GraphResult(Value):
    """What the graph knows of a question, best first.

    ``confidence`` (0-1) is 0 where nothing was linked; weights are shifted by it.
    """

    entities: tuple[LinkedEntity, ...] = ()
    passages: tuple[GraphPassage, ...] = ()
    confidence: float = 0.0


class EntityCard(Value):
    """Everything about one node: what it is, what it is tied to, what it is also called."""

    node: Node
    definition: str = ""
    defined_at: Place | None = None
    neighbours: tuple[Step, ...] = ()
    aliases: tuple[str, ...] = ()


class GraphStatus(Value):
    """How far the graph of a scope has come. ``facts`` counts texts a model has read."""

    documents: int
    built: int
    facts: int
    nodes: dict[str, int]
    edges: dict[str, int]
    merges: int
    communities: int


class Mention(NamedTuple):
    """A span of a text that names a node; characters, end exclusive."""

    node_id: str
    start: int
    end: int


class PartEdge(Value):
    """An edge as it was read in a text, at ``start``/``end``."""

    source: str
    target: str
    kind: EdgeKind
    label: str = ""
    weight: float = 1.0
    start: int
    end: int
    by: Literal["structure", "model"] = "structure"


class GraphPart(Value):
    """What one text says; it needs no other text, so a changed document changes its part alone.

    A node that several texts can name (a term, a quantity, an entity) has the same id in all of
    them: its kind and its normalised name. ``document:TEXT_ID`` and ``section:TEXT_ID:N`` (``N`` as
    in the catalog) are the text's own. Citations are not part of it: the catalog keeps every
    reference, and where it leads depends on what else the scope holds.
    """

    text_id: str
    nodes: tuple[Node, ...]
    mentions: tuple[Mention, ...]
    edges: tuple[PartEdge, ...]


class Read(Value):
    """What stands at ``start``/``end`` of a text or of a passage; characters, end exclusive."""

    start: int
    end: int

    def moved(self, offset: int) -> Self:
        """The same, so many characters further on."""
        return self.model_copy(update={"start": self.start + offset, "end": self.end + offset})


class NamedEntity(Read):
    """What a model named in a passage, verbatim."""

    name: str


class Fact(Read):
    """How one named entity relates to another, and the sentence that says so."""

    subject: str
    relation: str
    object: str


class PassageFacts(Read):
    """What a model read in a passage of a text; ``made_by`` names model and prompts.

    ``seconds`` is how long that took; ``fallback`` is None, and stands in rows of earlier versions.
    """

    made_by: str
    seconds: float = 0.0
    entities: tuple[NamedEntity, ...] = ()
    facts: tuple[Fact, ...] = ()
    fallback: None = None

    def moved(self, offset: int) -> Self:
        inner = {
            "entities": tuple(entry.moved(offset) for entry in self.entities),
            "facts": tuple(entry.moved(offset) for entry in self.facts),
        }
        return super().moved(offset).model_copy(update=inner)


RESOLVED: Final[Sequence[NodeKind]] = ("term", "entity", "word", "abbreviation")
"""Kinds of nodes that may be one, those that stand for others first."""


class Named(NamedTuple):
    """A node as it is called in texts of a language; ``places`` counts the spans that name it."""

    node_id: str
    kind: NodeKind
    name: str
    places: int
    language: Language


class Merge(Value):
    """A node of a collection that is a duplicate of ``into``; ``why`` names the rule."""

    node_id: str
    into: str
    why: str
    at: str = ""
    undone: bool = False


class FactsCost(Value):
    """What reading the passages that are left takes: calls at most, seconds by measured speed.

    ``model`` is None, and so are the seconds, where no language model is set.
    """

    passages: int
    model_calls: int
    seconds: float | None = None
    model: str | None = None


class FactsRead(NamedTuple):
    """What reading took; ``warnings`` say why passages were not read."""

    passages: int
    model_calls: int
    warnings: tuple[Notice, ...]


class BuildReport(Value):
    """What a build did: of ``documents``, ``built`` were read now, the others were up to date.

    ``passages`` and ``model_calls`` count what a model was asked for facts.
    """

    documents: int
    built: int
    merges: int
    seconds: float
    passages: int = 0
    model_calls: int = 0
    warnings: tuple[Notice, ...] = ()
