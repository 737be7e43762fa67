"""What a question asks for, part by part, and what of it nobody has searched for yet.

Small models search for the same again and forget the other half of a question. Rules know its
parts (services/structured/decomposition.py): they take the place of what was done before.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from agent.ask.react.protocol import MOST_ACTIONS, is_terminal
from agent.ask.react.values import AgentRun, Thought, ToolCall
from services.query.values import Understanding
from services.structured.decomposition import decomposed
from services.structured.values import Plan, SubQuery
from services.structured.words import own_words, share_of_words, words_of
from services.text import stems
from services.types import Language

OF_QUESTION: Final = 0.5
"""Share of the question's words that a search for the question has."""

SEARCHED: Final = 0.6
"""Share of the words which only one part has that a search for it has."""


def parts_of(known: Understanding) -> tuple[SubQuery, ...]:
    """The parts of a question, each with a search for it; none where it asks for one thing."""
    return several(decomposed(known))


def several(plan: Plan) -> tuple[SubQuery, ...]:
    """The first search for each required thing of a plan that has more than one."""
    first = {each.target_info: each for each in reversed(plan.sub_queries)}
    return tuple(first[item] for item in plan.required_info) if len(first) > 1 else ()


def open_parts(known: Understanding, calls: Iterable[ToolCall]) -> tuple[SubQuery, ...]:
    """The parts that none of these calls searches for, in order."""
    parts, language = parts_of(known), known.language
    items = [part.target_info for part in parts]
    said = [" ".join(call.arguments.values()) for call in calls]
    return tuple(
        part
        for part in parts
        if not any(_asks_for(part.target_info, text, items, language) for text in said)
    )


def _asks_for(item: str, text: str, items: Sequence[str], language: Language) -> bool:
    own = own_words(item, items, language)
    return share_of_words(own, text, language) >= SEARCHED


def done(run: AgentRun) -> tuple[ToolCall, ...]:
    """All calls so far, those of a dead end too."""
    return tuple(call for step in run.told for call in step.actions)


def led(thought: Thought, run: AgentRun, known: Understanding, *, along: bool) -> Thought:
    """The thought without calls that were made before; open parts are searched for instead.

    Where no part is open, sections are that were referred to; else no action is left.

    Args:
        thought: with the actions of the model.
        run: before this thought.
        known: the question.
        along: whether an open part is also searched for beside a single action, which saves a slow
            model the thought of it.
    """
    calls = thought.actions
    if not calls or is_terminal(calls[0]):
        return thought
    before = done(run)
    known_keys = {_key(call, known.language) for call in before if call.tool != "synthesize"}
    unique = {_key(call, known.language): call for call in reversed(calls)}
    new = [call for key, call in reversed(unique.items()) if key not in known_keys]
    if along or len(new) < len(calls):
        new += [_search(query) for query in _left(known, [*before, *new])]
    if not new:
        new = [_search(name) for name in unread(run)]
    return thought.model_copy(update={"actions": tuple(new[:MOST_ACTIONS])})


def _left(known: Understanding, calls: Sequence[ToolCall]) -> list[str]:
    """What to search for besides these calls: open parts, or the question where it is one.

    Small models begin with a tool of the graph, or with a word or two of the question.
    """
    if parts_of(known):
        return [part.query for part in open_parts(known, calls)]
    asked = words_of(known.question, known.language)
    said = [" ".join(call.arguments.values()) for call in calls if call.tool == "retrieve_vector"]
    searched = any(share_of_words(asked, text, known.language) >= OF_QUESTION for text in said)
    return [] if searched or known.question in said else [known.question]


def _search(query: str) -> ToolCall:
    return ToolCall(tool="retrieve_vector", arguments={"query": query}, added=True)


def _key(call: ToolCall, language: Language) -> tuple[str, frozenset[str]]:
    """What a call does; the order of its words and their endings make no difference."""
    said = " ".join(call.arguments.values())
    return call.tool, frozenset(stems(said, language)) or frozenset([said])


def unread(run: AgentRun) -> tuple[str, ...]:
    """Sections that were referred to and not searched for yet, in order."""
    read = followed(run)
    return tuple(name for name in dict.fromkeys(run.leads) if name not in read)


def followed(run: AgentRun) -> tuple[str, ...]:
    """Sections that were referred to and then searched for, in order."""
    asked = {said for call in done(run) for said in call.arguments.values()}
    return tuple(name for name in dict.fromkeys(run.leads) if name in asked)


def settled(run: AgentRun, known: Understanding) -> bool:
    """Whether thinking on is of no use: all parts were searched for, or nothing new was found.

    A question of one part may need what its first search found, so that it is thought about again,
    until a reference was followed or the model knew no other search than the one before.
    """
    if open_parts(known, done(run)):
        return False
    by_rule = run.current and all(call.added for call in run.current.actions)
    if parts_of(known) or followed(run) or by_rule:
        return True
    brought = {text for result in run.results for text in result.texts}
    return bool(run.gathered) and brought <= set(run.gathered)
