"""Values of the knowledge graph, and what may be the name of a node.

Every edge has the span where it was read, so that it can be cited. Names come from documents and
models, and are shown in prompts: a sentence, code or an instruction to a model is never a name.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, Self

from pydantic import Field

from services.domain.notices import Notice
from services.domain.value import DocumentSpan, Language, Value

NodeKind = Literal[
    "document", "section", "term", "abbreviation", "quantity", "date", "word", "entity"
]
"""A ``term`` is defined somewhere, a ``word`` only recurs, an ``entity`` was named by a model."""
EdgeKind = Literal["contains", "cites", "defines", "abbreviates", "mentions", "cooccurs", "relates"]


class TextSpan(DocumentSpan):
    """A span of one of a document's texts."""

    text_id: str


class Node(Value):
    """A node; ``places`` is the number of its mentions in the scope."""

    node_id: str
    kind: NodeKind
    name: str
    places: int = 0


class Step(Value):
    """An edge as it is walked and shown, from one node to the next.

    ``label`` is the relation in words, empty where neither a model nor the text gave one.
    ``against`` is true where the edge points the other way ("is cited by", "is defined in").
    """

    source: Node
    kind: EdgeKind
    target: Node
    label: str = ""
    against: bool = False
    weight: float = 1.0
    place: TextSpan | None = None
    by: Literal["structure", "model"] = "structure"


class LinkedEntity(Value):
    node: Node
    score: float = Field(ge=0.0, le=1.0)


class GraphPassage(Value):
    """A chunk that the graph leads to; ``score`` is 0-1, and 1 for the best of a search."""

    chunk_id: str
    score: float
    path: tuple[Step, ...]


class ReferenceNeighbour(Value):
    chunk_ids: tuple[str, ...]
    step: Step


class Community(Value):
    """Nodes that belong together; ``members`` are names, the most central first.

    ``topics`` are the members that are no sections. ``title`` has the most central sections by
    heading and name, ``passages`` the first passage of each.
    """

    community_id: str
    members: tuple[str, ...]
    topics: tuple[str, ...] = ()
    size: int
    title: tuple[str, ...]
    passages: tuple[str, ...] = ()


class GraphResult(Value):
    """Entities and passages for a question, best first; without entities ``confidence`` is 0."""

    entities: tuple[LinkedEntity, ...] = ()
    passages: tuple[GraphPassage, ...] = ()
    confidence: float = 0.0


class EntityCard(Value):
    """A node with its definition, its neighbours and its other names."""

    node: Node
    definition: str = ""
    defined_at: TextSpan | None = None
    neighbours: tuple[Step, ...] = ()
    aliases: tuple[str, ...] = ()


class GraphStatus(Value):
    """Progress of a scope's graph. ``facts`` counts the texts that a model has read."""

    documents: int
    built: int
    facts: int
    nodes: dict[str, int]
    edges: dict[str, int]
    merges: int
    communities: int


class Mention(NamedTuple):
    node_id: str
    start: int
    end: int


class PartEdge(Value):
    source: str
    target: str
    kind: EdgeKind
    label: str = ""
    weight: float = 1.0
    start: int
    end: int
    by: Literal["structure", "model"] = "structure"


class GraphPart(Value):
    """The graph of one text. It depends on no other text, so a new version replaces only this part.

    A node that several texts can name has the same id in all of them: its kind and its normalised
    name. ``document:TEXT_ID`` and ``section:TEXT_ID:N`` belong to the text. Citations are not
    included: where a reference leads depends on the other documents of the scope.
    """

    text_id: str
    nodes: tuple[Node, ...]
    mentions: tuple[Mention, ...]
    edges: tuple[PartEdge, ...]


class Read(Value):
    start: int
    end: int

    def moved(self, offset: int) -> Self:
        """Return the same with its offsets moved."""
        return self.model_copy(update={"start": self.start + offset, "end": self.end + offset})


class NamedEntity(Read):
    name: str


class Fact(Read):
    subject: str
    relation: str
    object: str


class PassageFacts(Read):
    """Facts that a model read in a passage; ``fallback`` stands in rows of earlier versions."""

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
"""Kinds of nodes that can be merged; kinds that stand for others come first."""


class Named(NamedTuple):
    node_id: str
    kind: NodeKind
    name: str
    places: int
    language: Language


class Merge(Value):
    """A node of a collection that duplicates ``into``; ``why`` names the rule."""

    node_id: str
    into: str
    why: str
    at: str = ""
    undone: bool = False


class FactsCost(Value):
    """The cost of reading the remaining passages: at most this many calls, estimated seconds.

    ``model`` and ``seconds`` are None where no language model is set.
    """

    passages: int
    model_calls: int
    seconds: float | None = None
    model: str | None = None


class FactsRead(NamedTuple):
    passages: int
    model_calls: int
    warnings: tuple[Notice, ...]


class BuildReport(Value):
    """The result of a build; ``passages`` and ``model_calls`` count what a model read for facts."""

    documents: int
    built: int
    merges: int
    seconds: float
    passages: int = 0
    model_calls: int = 0
    warnings: tuple[Notice, ...] = ()


LONGEST: Final = 100
MOST_WORDS: Final = 10
ADJECTIVE = re.compile(r"[a-zäöüß-]{3,}(?:e[nrsm]?|lich|ig|isch|bar|sam)")
"""A German adjective before its noun, recognised by its ending."""
_HIDDEN: Final = ("Cc", "Cf", "Co", "Cn", "Cs")
_WHITE = re.compile(r"\s+")
_MARKS: Final = " \t\n\"'`*_„“”»«‚‘’›‹,;:-–—"
_FOREIGN = re.compile(
    r"[<>{}\[\]|\\`~^=@#$]|://|\bwww\.|\w\(|\.\w+\.\w|[!?]|[.;:](?:\s|$)", re.IGNORECASE
)
_SPEAKS = re.compile(
    r"\b(?:ignor(?:e[ds]?|ier\w*)|disregard\w*|forget|obey|pretend|vergiss|vergessen Sie"
    r"|missachte\w*|befolge\w*|you|your|yours|du|dein\w*|(?:system|user|assistant)\s*(?:prompt|message|nachricht)"
    r"|prompts?|(?:previous|prior|above|vorherige\w*|obige\w*)\s+(?:instruction|anweisung)\w*"
    r"|as an? (?:ai|assistant)|jailbreak)\b",
    re.IGNORECASE,
)
_ORDERS = re.compile(
    r"^(?:please|bitte|do not|don't|never|always|nie(?:mals)?|immer)\s"
    r"|^(?:answer|reply|respond|say|tell|send|reveal|print|write|output|delete|execute|run|call"
    r"|visit|click|open|list|add|return|repeat|mention|act|stop|treat|use)\s+(?:the|an?|all|any"
    r"|every\w*|only|no|not|with|as|to|this|that|these|those|me|us|it|from|yes|nothing)\b"
    r"|^(?:antworte|sage?|schreibe?|gib|nenne|sende|schicke?|lösche?|führe?|rufe?|öffne|wiederhole"
    r"|behaupte|zeige?|ersetze|folge?|mache?|tu|verrate|ändere|stelle?|verwende|benutze)n?\s+(?!(?:der|des|von|im|in|bei|für)\b)\S",
    re.IGNORECASE,
)


def clean_name(text: str) -> str | None:
    """Return a text as a name on one line without marks, or None if it is no name."""
    plain = text.replace("\u00ad", "")
    if any(
        unicodedata.category(character) in _HIDDEN and character not in "\n\t\r"
        for character in plain
    ):
        return None
    plain = _WHITE.sub(" ", plain).strip(_MARKS)
    if not 2 <= len(plain) <= LONGEST or len(plain.split()) > MOST_WORDS:
        return None
    if not any(character.isalpha() for character in plain):
        return None
    normal = unicodedata.normalize("NFKC", plain)
    foreign = _FOREIGN.search(normal) or _SPEAKS.search(normal) or _ORDERS.search(normal)
    return None if foreign else plain


def folded(name: str) -> str:
    return _WHITE.sub(" ", name).strip().casefold()


def node_id(kind: str, name: str) -> str:
    return f"{kind}:{folded(name)}"
