"""What a language model names and relates in a passage; code checks every word of it.

A passage is data: it stands between marks that cannot occur in it, and nothing of what a model
makes of it counts unless it is a plain name that stands in the passage, or a relation between two
such names that a sentence of the passage says in its own words (``facts_checks``).
"""

from collections.abc import Sequence
from typing import ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field, JsonValue, create_model

from services.knowledge_graph.facts_checks import Proposal, judged, located, telling, verbs_of
from services.knowledge_graph.facts_prompts import (
    CRITIQUE,
    ENUMERATE,
    NAMES,
    RELATE,
    SENTENCE,
    STATEMENT,
    in_,
)
from services.knowledge_graph.values import Fact, NamedEntity
from services.llm.base import Message
from services.llm.tasks import ModelTask
from services.types import Language, Value

CALLS: Final = 3
"""Model calls of a passage at most, repairs apart."""
ANSWER_TOKENS: Final = 300
_MOST_ENTITIES: Final = 8
_MOST_FACTS: Final = 6
_MARKS: Final = ("<<<", ">>>")


class PassageInput(Value):
    """A passage with the names and the facts that were found in it so far."""

    text: str
    language: Language
    names: tuple[str, ...] = ()
    facts: tuple[Fact, ...] = ()


class EntitiesOutput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    entities: list[str] = Field(max_length=_MOST_ENTITIES)


class RelationOutput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    sentence: int
    subject: str
    relation: str
    object: str


class RelationsOutput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    relations: Sequence[RelationOutput] = Field(max_length=_MOST_FACTS)


class VerdictsOutput(BaseModel):
    model_config = ConfigDict(extra="forbid")

    said: list[bool]


class EnumerateEntities(ModelTask[PassageInput, tuple[NamedEntity, ...]]):
    """Names that stand in the passage; offsets are those of the passage. Nothing without model."""

    name: ClassVar[str] = "graph_entities"
    schema = EntitiesOutput
    max_tokens = ANSWER_TOKENS

    def render(self, inp: PassageInput) -> tuple[Message, ...]:
        return _prompt(in_(ENUMERATE, inp.language), inp.text)

    def check(self, inp: PassageInput, output: EntitiesOutput) -> tuple[NamedEntity, ...]:
        return located(inp.text, output.entities, inp.language)

    def fallback(self, inp: PassageInput) -> tuple[NamedEntity, ...]:
        return ()


class RelateEntities(ModelTask[PassageInput, tuple[Fact, ...]]):
    """Relations between the names of a passage, each with the sentence that says so.

    Args:
        inp: the passage; its names and sentences are all that an answer can hold.
    """

    name: ClassVar[str] = "graph_relations"
    max_tokens = ANSWER_TOKENS

    def __init__(self, inp: PassageInput) -> None:
        self.schema = _relations(inp)

    def render(self, inp: PassageInput) -> tuple[Message, ...]:
        shown = (
            f"[{each.number}] {_line(inp.text[each.start : each.end])}"
            for each in telling(inp.text, inp.names, inp.language)
        )
        system, user = _prompt(in_(RELATE, inp.language), "\n".join(shown))
        names = f"{in_(NAMES, inp.language)}: {'; '.join(inp.names)}"
        return system, Message(role="user", content=f"{user.content}\n{names}")

    def check(self, inp: PassageInput, output: RelationsOutput) -> tuple[Fact, ...]:
        found = (
            judged(inp.text, inp.names, inp.language, Proposal(**each.model_dump()))
            for each in output.relations
        )
        return tuple(dict.fromkeys(fact for fact in found if isinstance(fact, Fact)))

    def fallback(self, inp: PassageInput) -> tuple[Fact, ...]:
        return ()


class CritiqueFacts(ModelTask[PassageInput, tuple[Fact, ...]]):
    """The one critique: those of the facts that their sentences say. None where it fails.

    Args:
        inp: the passage; each of its facts gets a verdict.
    """

    name: ClassVar[str] = "graph_critique"
    max_tokens = ANSWER_TOKENS

    def __init__(self, inp: PassageInput) -> None:
        number = len(inp.facts)
        verdicts = Field(min_length=number, max_length=number)
        self.schema = create_model(
            "VerdictsOutput", __base__=VerdictsOutput, said=(list[bool], verdicts)
        )

    def render(self, inp: PassageInput) -> tuple[Message, ...]:
        sentence, statement = in_(SENTENCE, inp.language), in_(STATEMENT, inp.language)
        shown = (
            f"[{n}] {sentence}: {_line(inp.text[fact.start : fact.end])}\n"
            f"[{n}] {statement}: {fact.subject} | {fact.relation} | {fact.object}"
            for n, fact in enumerate(inp.facts, start=1)
        )
        return _prompt(in_(CRITIQUE, inp.language), "\n".join(shown))

    def check(self, inp: PassageInput, output: VerdictsOutput) -> tuple[Fact, ...]:
        return tuple(fact for fact, said in zip(inp.facts, output.said, strict=False) if said)

    def fallback(self, inp: PassageInput) -> tuple[Fact, ...]:
        return ()


def _relations(inp: PassageInput) -> type[RelationsOutput]:
    """The schema in which only what is there can be answered."""
    names: dict[str, JsonValue] = {"enum": list[JsonValue](inp.names)}
    sentences = telling(inp.text, inp.names, inp.language)
    numbers: dict[str, JsonValue] = {"enum": [each.number for each in sentences]}
    spans = (inp.text[each.start : each.end] for each in sentences)
    words = dict.fromkeys(word for span in spans for word in verbs_of(span, inp.language))
    verbs: dict[str, JsonValue] = {"enum": list[JsonValue](words)}
    relation = create_model(
        "RelationOutput",
        __base__=RelationOutput,
        sentence=(int, Field(json_schema_extra=numbers)),
        subject=(str, Field(json_schema_extra=names)),
        relation=(str, Field(json_schema_extra=verbs)),
        object=(str, Field(json_schema_extra=names)),
    )
    return create_model(
        "RelationsOutput",
        __base__=RelationsOutput,
        relations=(list[relation], Field(max_length=_MOST_FACTS)),
    )


def _line(text: str) -> str:
    return " ".join(text.split())


def _prompt(system: str, passage: str) -> tuple[Message, ...]:
    opening, closing = _MARKS
    for mark in _MARKS:
        passage = passage.replace(mark, " ")
    return (
        Message(role="system", content=system),
        Message(role="user", content=f"{opening}\n{passage}\n{closing}"),
    )
