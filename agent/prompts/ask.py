"""Model tasks of quick answers: completing a follow-up, what must be known, steps of the agent.

In prompts of the agent, text of documents stands behind bars (``| …``) and is called data. They are
short, with one worked example: models of 1.5 billion parameters follow that.
"""

from collections.abc import Mapping
from typing import Final

from pydantic import BaseModel, Field

from agent.ask.react.protocol import STOP
from agent.prompts import PromptTask, QuestionInput, filled, prompt_texts
from services.domain import Language, Value
from services.domain.errors import InvalidGeneration
from services.language.quantities import quantities
from services.language.text.words import compound_match, stems
from services.models.output import check_language
from services.structured.values import (
    MOST_REQUIRED,
    MOST_SUB_QUERIES,
    MOST_TOPICS,
    Plan,
    QuestionType,
    SubQuery,
)

LONGEST_QUESTION: Final = 300
MIN_OVERLAP: Final = 0.5
"""Share of the follow-up's words that a rewriting keeps; ``the second one`` is to be replaced."""
LONGEST_ITEM: Final = 200


class RewriteInput(QuestionInput):
    """``conversation`` are (question, short answer), oldest first; ``fallback`` is by rules."""

    conversation: tuple[tuple[str, str], ...]
    fallback: str


class WholeQuestion(Value):
    question: str


class RewriteFollowUp(PromptTask[RewriteInput, str]):
    """Rewrite a follow-up as a question that needs no conversation."""

    name = "rewrite"
    schema = WholeQuestion
    max_tokens = 120

    def values(self, inp: RewriteInput, texts: Mapping[str, str]) -> dict[str, str]:
        turns = (
            filled(texts["turn"], {"question": question, "answer": answer})
            for question, answer in inp.conversation
        )
        return {"talk": "\n".join(turns)}

    def check(self, inp: RewriteInput, output: WholeQuestion) -> str:
        """Require words and numbers of the follow-up, a word of the conversation, no new number."""
        check_language(output.question, inp.language)
        text = " ".join(output.question.split())
        if not text or len(text) > LONGEST_QUESTION:
            raise InvalidGeneration(
                "write one question of 1 to {most} characters", most=LONGEST_QUESTION
            )
        original = set(stems(inp.question, inp.language))
        rewritten = set(stems(text, inp.language))
        if original and len(original & rewritten) < MIN_OVERLAP * len(original):
            missing = ", ".join(sorted(original - rewritten))
            raise InvalidGeneration(
                "keep the words of the follow-up; missing: {words}", words=missing
            )
        before = " ".join(text for turn in inp.conversation for text in turn)
        if numbers(text, inp.language) - numbers(f"{inp.question} {before}", inp.language):
            raise InvalidGeneration("use no number that was not mentioned before")
        if numbers(inp.question, inp.language) - numbers(text, inp.language):
            raise InvalidGeneration("keep the numbers of the follow-up")
        earlier, new = set(stems(before, inp.language)), rewritten - original
        if earlier and not any(compound_match(stem, other) for stem in new for other in earlier):
            raise InvalidGeneration("name what the conversation was about; the follow-up does not")
        return text


def numbers(text: str, language: str) -> set[str]:
    """Return the numbers of a text, with those of section labels."""
    digits = {stem for stem in stems(text, language) if stem[0].isdigit()}
    return digits | {f"{q.value:g}" for q in quantities(text, language) if not q.article}


def _tidy(text: str) -> str:
    return " ".join(text.split())[:LONGEST_ITEM].strip(" -•")


class DecomposeInput(QuestionInput):
    """``fallback`` is the plan of the rules, ``topics`` what the graph's scope is about;
    ``earlier`` are the pieces of a good answer to ``earlier_question``."""

    earlier: tuple[str, ...] = ()
    earlier_question: str = ""
    topics: tuple[str, ...] = ()
    fallback: Plan


class PieceOutput(BaseModel):
    info: str = Field(max_length=LONGEST_ITEM)
    query: str = Field(max_length=LONGEST_ITEM)


class DecomposeOutput(BaseModel):
    question_type: QuestionType
    required_info: list[PieceOutput] = Field(min_length=1, max_length=MOST_REQUIRED)


class DecomposeQuestion(PromptTask[DecomposeInput, Plan]):
    """Find out what must be known to answer a question, and a search for each piece of it."""

    name = "decompose"
    schema = DecomposeOutput
    max_tokens = 420

    def values(self, inp: DecomposeInput, texts: Mapping[str, str]) -> dict[str, str]:
        return {"topics": ", ".join(inp.topics[:MOST_TOPICS])}

    def check(self, inp: DecomposeInput, output: DecomposeOutput) -> Plan:
        """Require pieces and queries that say something, and nothing that is made up.

        A piece that fills the bound of the schema is an answer cut off in the middle, not a name.
        What the rules find in the question is required, too; a piece that says no more than one of
        theirs is that one. Dates and names are theirs, and the type, unless they see one question
        for a fact.
        """
        rules = inp.fallback
        if any(len(piece.info) >= LONGEST_ITEM for piece in output.required_info):
            raise InvalidGeneration(
                "name each piece of information in a few words; do not answer the question"
            )
        pieces = [(_tidy(piece.info), _tidy(piece.query)) for piece in output.required_info]
        if not all(query for _, query in pieces):
            raise InvalidGeneration("a query is empty; write what to search for")
        pieces = [(info, query) for info, query in pieces if info]
        if not pieces:
            raise InvalidGeneration("required_info must name at least one piece of information")
        _require_nothing_new(pieces, inp)
        queries = [
            SubQuery(query=query, target_info=_rule_or_item(info, inp)) for info, query in pieces
        ]
        items = _with_forgotten(list(dict.fromkeys(query.target_info for query in queries)), inp)
        queries += [query for query in rules.sub_queries if query.target_info in items]
        targets = {query.target_info for query in queries}
        queries += [SubQuery(query=item, target_info=item) for item in items if item not in targets]
        one_fact = rules.question_type == "factual" and len(rules.required_info) == 1
        return Plan(
            question_type=output.question_type if one_fact else rules.question_type,
            required_info=tuple(items),
            sub_queries=tuple(_every_item_first(queries)[:MOST_SUB_QUERIES]),
            entity_hints=rules.entity_hints,
            topic_hints=rules.topic_hints,
            dates=rules.dates,
            by="model",
        )


def _require_nothing_new(pieces: list[tuple[str, str]], inp: DecomposeInput) -> None:
    """Raise `InvalidGeneration` for a number that the question lacks, or if no word is its own."""
    sources = [inp.question, *inp.topics]
    written = " ".join(text for piece in pieces for text in piece)
    if added := numbers(written, inp.language) - numbers(" ".join(sources), inp.language):
        raise InvalidGeneration(
            "use no number or section the question does not have: {numbers}",
            numbers=", ".join(sorted(added)),
        )
    words = set(stems(" ".join(sources), inp.language))
    if not any(words & set(stems(info, inp.language)) for info, _ in pieces):
        raise InvalidGeneration("required_info must be about the question, in its words")


def _rule_or_item(item: str, inp: DecomposeInput) -> str:
    """Return the piece of the rules that has all words of an item, else the item.

    A small model tears ``dose limits for the public`` into ``dose limits`` and ``public``. Where
    the rules see but one piece, fragments are single words.
    """
    words = set(stems(item, inp.language))
    rules = inp.fallback.required_info
    if not words or (len(rules) == 1 and len(words) > 1):
        return item
    return next((rule for rule in rules if words.issubset(stems(rule, inp.language))), item)


def _with_forgotten(items: list[str], inp: DecomposeInput) -> list[str]:
    """Add the pieces of the rules that no item names, if need be in place of the last items."""
    rules = inp.fallback.required_info if len(inp.fallback.required_info) > 1 else ()
    words = {rule: set(stems(rule, inp.language)) for rule in rules}
    named = set(stems(" ".join(items), inp.language))
    forgotten = []
    for rule in rules:
        unique = words[rule].difference(*(words[other] for other in rules if other != rule))
        if not named & (unique or words[rule]):
            forgotten.append(rule)
    return [*items[: MOST_REQUIRED - len(forgotten)], *forgotten]


def _every_item_first(queries: list[SubQuery]) -> list[SubQuery]:
    """Order queries, one for each item before the second of any, without repetitions."""
    unique = {(q.target_info, q.query.casefold().rstrip(".?! ")): q for q in reversed(queries)}
    once = list(reversed(unique.values()))
    firsts = {query.target_info: query for query in reversed(once)}
    return sorted(once, key=lambda query: firsts[query.target_info] is not query)


def quoted_items(language: Language, items: tuple[str, ...]) -> str:
    """Return items in the quotation marks of the language."""
    opening, closing = {"de": ("„", "“"), "fr": ("« ", " »"), "es": ("«", "»")}.get(
        language, ("“", "”")
    )
    return "; ".join(f"{opening}{item}{closing}" for item in items)


class ThinkInput(QuestionInput):
    """``hint`` says what went nowhere; ``fold``: the thought reflects, since nobody else does;
    ``last``: no step comes after."""

    tools: tuple[str, ...]
    history: str = ""
    hint: str = ""
    fold: bool = False
    last: bool = False


class ThinkAndDecide(PromptTask[ThinkInput, str]):
    """The next thought with its actions, as text; "" without a model, which ends the loop."""

    name = "agent_think"
    max_tokens = 220
    otherwise = str
    stop = STOP

    def values(self, inp: ThinkInput, texts: Mapping[str, str]) -> dict[str, object]:
        forms = prompt_texts("agent_tools", inp.language)
        return {
            "tools": "\n".join(f"{name} {forms[name]}" for name in inp.tools),
            "fold": inp.fold and bool(inp.history),
            "next": not inp.last,
        }

    def check(self, inp: ThinkInput, output: str) -> str:
        if not output.strip():
            raise InvalidGeneration("the answer is empty")
        return output


class ReflectInput(QuestionInput):
    """``observation`` is what the last step brought, ``gathered`` what all brought before."""

    history: str
    gathered: str
    observation: str


class Reflect(PromptTask[ReflectInput, str]):
    """Whether the question can be answered now; "" without a model, which concludes nothing."""

    name = "agent_reflect"
    max_tokens = 90
    otherwise = str


class NotesInput(QuestionInput):
    focus: str
    gathered: str


class SynthesizeNotes(PromptTask[NotesInput, str]):
    """A few sentences of what was gathered, in one paragraph; "" without a model."""

    name = "agent_synthesize"
    max_tokens = 180
    otherwise = str

    def check(self, inp: NotesInput, output: str) -> str:
        check_language(output, inp.language)
        text = " ".join(output.split())
        if not text:
            raise InvalidGeneration("the answer is empty")
        return text
