"""Model tasks of the structured route: what must be known, is it there, and what it says."""

import re
from typing import Final

from pydantic import BaseModel, Field

from agent.prompts import bullets, in_language
from agent.prompts.structured_checks import hints_of, listed, nothing_invented, query_of, tidy
from agent.prompts.structured_words import CRITIQUE, DECOMPOSE, SYNTHESIS
from services.errors import InvalidGeneration
from services.llm.base import Message
from services.llm.tasks import ModelTask
from services.query.dates import date_range
from services.structured.coverage import share_of_words, words_of
from services.structured.values import (
    MOST_REQUIRED,
    MOST_SUB_QUERIES,
    MOST_TOPICS,
    Judgement,
    Plan,
    QuestionType,
    Status,
    SubQuery,
)
from services.text import stems
from services.types import Value

SAID_ALREADY: Final = 0.6
MOST_GAP_QUERIES: Final = 3
_MARK: Final = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")


class DecomposeInput(Value):
    """``fallback`` is the plan of the rules; ``topics`` are what the graph's scope is about."""

    question: str
    language: str
    topics: tuple[str, ...] = ()
    fallback: Plan


class SubQueryOutput(BaseModel):
    query: str = Field(max_length=300)
    target_info: str = Field(max_length=300)


class DecomposeOutput(BaseModel):
    required_info: list[str] = Field(min_length=1, max_length=MOST_REQUIRED)
    sub_queries: list[SubQueryOutput] = Field(min_length=1, max_length=MOST_SUB_QUERIES)
    entity_hints: list[str] = Field(default_factory=list, max_length=8)
    topic_hints: list[str] = Field(default_factory=list, max_length=MOST_TOPICS)
    temporal_scope: str = ""
    question_type: QuestionType = "factual"


class DecomposeQuestion(ModelTask[DecomposeInput, Plan]):
    """What must be known to answer a question, and one search for each piece of it."""

    name = "decompose"
    schema = DecomposeOutput
    max_tokens = 420

    def render(self, inp: DecomposeInput) -> tuple[Message, ...]:
        words = DECOMPOSE.get(inp.language, DECOMPOSE["en"])
        topics = f"{words['topics']}: {', '.join(inp.topics[:MOST_TOPICS])}\n" * bool(inp.topics)
        user = f"{topics}{words['question']}: {inp.question}"
        return Message(role="system", content=words["system"]), Message(role="user", content=user)

    def check(self, inp: DecomposeInput, output: DecomposeOutput) -> Plan:
        """Targets must be listed, queries say something, and nothing be made up.

        What the rules find in the question and the model forgot is required, too; a piece that says
        less than one of theirs is that one. A comparison that names both its sides is one.
        """
        items = [item for item in map(tidy, output.required_info) if item]
        if not items:
            raise InvalidGeneration("required_info must name at least one piece of information")
        queries = [
            SubQuery(query=query_of(each.query), target_info=listed(each.target_info, items))
            for each in output.sub_queries
        ]
        nothing_invented(
            [*items, *(each.query for each in queries)], [inp.question, *inp.topics], inp.language
        )
        _about_the_question(items, inp)
        meant = {item: _whole(item, inp) for item in items}
        queries = [
            each.model_copy(update={"target_info": meant[each.target_info]}) for each in queries
        ]
        items = _with_forgotten(list(dict.fromkeys(meant.values())), inp)
        asked = {each.target_info for each in queries}
        queries += [SubQuery(query=item, target_info=item) for item in items if item not in asked]
        scope = tidy(output.temporal_scope)
        named = date_range(scope) if scope and scope.casefold() in inp.question.casefold() else None
        rules = inp.fallback
        kind = rules.question_type if rules.question_type == "comparison" else output.question_type
        return Plan(
            question_type=kind,
            required_info=tuple(dict.fromkeys(items)),
            sub_queries=tuple(_every_item_first(queries))[:MOST_SUB_QUERIES],
            entity_hints=tuple(
                dict.fromkeys((*rules.entity_hints, *hints_of(output.entity_hints)))
            ),
            topic_hints=hints_of(output.topic_hints)[:MOST_TOPICS] or rules.topic_hints,
            temporal_scope=scope if named else rules.temporal_scope,
            dates=named or rules.dates,
            by="model",
        )

    def fallback(self, inp: DecomposeInput) -> Plan:
        return inp.fallback


def _about_the_question(items: list[str], inp: DecomposeInput) -> None:
    asked = set(stems(" ".join([inp.question, *inp.topics]), inp.language))
    if not any(asked & set(stems(item, inp.language)) for item in items):
        raise InvalidGeneration("required_info must be about the question, in its words")


def _whole(item: str, inp: DecomposeInput) -> str:
    """The piece of the rules that an item is a mere fragment of, else the item itself.

    A small model tears ``dose limits for the public`` into ``dose limits`` and ``public``: neither
    alone is what the question asks for. Where the rules see but one piece, fragments are single
    words.
    """
    words = set(_words(item, inp))
    rules = inp.fallback.required_info
    if len(rules) == 1 and len(words) > 1:
        return item
    for each in rules:
        if words and words < set(_words(each, inp)):
            return each
    return item


def _with_forgotten(items: list[str], inp: DecomposeInput) -> list[str]:
    """What the rules require goes before what only the model does, where that forgot it.

    A piece is there if an item has the words that tell it from the others.
    """
    rules = inp.fallback.required_info
    forgotten = []
    for each in rules if len(rules) > 1 else ():
        others = {word for other in rules if other != each for word in _words(other, inp)}
        own = [word for word in _words(each, inp) if word not in others] or _words(each, inp)
        shares = [share_of_words(own, item, inp.language) for item in items]
        if max(shares, default=0.0) < SAID_ALREADY:
            forgotten.append(each)
    return [*items[: MOST_REQUIRED - len(forgotten)], *forgotten]


def _words(item: str, inp: DecomposeInput) -> tuple[str, ...]:
    return words_of(item, inp.language)


def _every_item_first(queries: list[SubQuery]) -> list[SubQuery]:
    """One query for each item before the second of any."""
    firsts = {each.target_info: each for each in reversed(queries)}
    leading = [each for each in queries if firsts[each.target_info] is each]
    return [*leading, *(each for each in queries if firsts[each.target_info] is not each)]


class CritiqueInput(Value):
    """``evidence`` are the numbered lines that fit; ``fallback`` is what the coverage map says."""

    question: str
    language: str
    items: tuple[tuple[str, Status], ...]
    evidence: tuple[str, ...]
    fallback: Judgement


class CritiqueOutput(BaseModel):
    sufficient: bool
    confidence: float = Field(ge=0.0, le=1.0)
    gaps: list[str] = Field(default_factory=list, max_length=MOST_REQUIRED)
    queries: list[SubQueryOutput] = Field(default_factory=list, max_length=MOST_GAP_QUERIES)


class CritiqueEvidence(ModelTask[CritiqueInput, Judgement]):
    """Whether the evidence answers every piece; where not, what to look for."""

    name = "critique"
    schema = CritiqueOutput
    max_tokens = 300

    def render(self, inp: CritiqueInput) -> tuple[Message, ...]:
        words = CRITIQUE.get(inp.language, CRITIQUE["en"])
        required = bullets([f"{item} ({words[status]})" for item, status in inp.items])
        evidence = "\n".join(inp.evidence) or words["none"]
        user = (
            f"{words['evidence']}:\n{evidence}\n\n{words['question']}: {inp.question}\n"
            f"{words['required']}:\n{required}"
        )
        return Message(role="system", content=words["system"]), Message(role="user", content=user)

    def check(self, inp: CritiqueInput, output: CritiqueOutput) -> Judgement:
        """Gaps are among the items; what the coverage map misses is a gap whatever is said."""
        items = [item for item, _ in inp.items]
        named = [listed(gap, items) for gap in output.gaps]
        queries = [
            SubQuery(query=query_of(each.query), target_info=listed(each.target_info, items))
            for each in output.queries
        ]
        known = [inp.question, *items]
        nothing_invented([each.query for each in queries], known, inp.language)
        gaps = tuple(item for item in items if item in named or item in inp.fallback.gaps)
        asked = {each.target_info for each in queries}
        queries += [each for each in inp.fallback.queries if each.target_info not in asked]
        return Judgement(
            sufficient=output.sufficient and not gaps,
            confidence=min(output.confidence, inp.fallback.confidence),
            gaps=gaps,
            queries=tuple(each for each in queries if each.target_info in gaps)[:MOST_GAP_QUERIES],
            by="model",
        )

    def fallback(self, inp: CritiqueInput) -> Judgement:
        return inp.fallback


class ItemEvidence(Value):
    """What a piece of required information rests on: numbered passages, empty for a gap."""

    item: str
    passages: tuple[str, ...]


class SynthesisInput(Value):
    question: str
    language: str
    question_type: QuestionType
    items: tuple[ItemEvidence, ...]
    gaps: tuple[str, ...]
    most: int
    instructions: str = ""


class SynthesizeStructured(ModelTask[SynthesisInput, str]):
    """An answer in the form that its question type wants; "" without a model."""

    name = "synthesis"
    schema = None
    max_tokens = 420

    def render(self, inp: SynthesisInput) -> tuple[Message, ...]:
        words = SYNTHESIS.get(inp.language, SYNTHESIS["en"])
        language = "" if inp.language in SYNTHESIS else _named_language(inp.language)
        system = inp.instructions or f"{words['system']} {words[inp.question_type]}{language}"
        parts = [
            f"{each.item}:\n" + "\n".join(each.passages) for each in inp.items if each.passages
        ]
        if inp.gaps:
            parts.append(f"{words['gaps']}:\n{bullets(inp.gaps)}")
        ask = words["ask"].format(most=inp.most)
        parts.append(f"{words['question']}: {inp.question}\n{ask}:")
        return (
            Message(role="system", content=system),
            Message(role="user", content="\n\n".join(parts)),
        )

    def language(self, inp: SynthesisInput) -> str | None:
        return inp.language

    def check(self, inp: SynthesisInput, output: str) -> str:
        """The text without the marks: code leads each sentence to its place."""
        text = " ".join(_MARK.sub("", output).split())
        if not text:
            raise InvalidGeneration("the answer is empty")
        return text

    def fallback(self, inp: SynthesisInput) -> str:
        return ""


def _named_language(language: str) -> str:
    return in_language(language, de="", en="").rstrip().replace("\n", " ")
