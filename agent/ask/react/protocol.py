"""The text protocol of the agent: what a model writes, as a thought and its actions.

    THOUGHT: both limits are needed
    ACTION_1: retrieve_vector
    ARGUMENTS_1: {"query": "Grenzwert Beschäftigte"}
    ACTION_2: retrieve_vector
    ARGUMENTS_2: {"query": "Grenzwert Bevölkerung"}

One action has no numbers. Only a reply of the model is ever parsed, never text of a document, and
a line that is quoted with ``|`` is none of the protocol. Whatever is written, nothing raises.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from agent.ask.react.values import ToolCall

MOST_ACTIONS: Final = 2
LONGEST_REPLY: Final = 8_000
LONGEST_THOUGHT: Final = 600
LONGEST_ARGUMENT: Final = 2_000
LONGEST_NAME: Final = 40
MOST_ITEMS: Final = 20
NESTED: Final = 3

STOP: Final = ("\nOBSERVATION", "\nBEOBACHTUNG", "\nREFLECTION")
"""What a model must not write itself: it would make up what a tool found."""

_MARK: Final = re.compile(
    r"^[ \t*#`_]*(?P<word>THOUGHT|GEDANKE|ACTION|AKTION|ARGUMENTS?|ARGUMENTE?|OBSERVATION"
    r"|BEOBACHTUNG|REFLECTION)(?:[ _]?(?P<number>\d{1,3}))?[ \t*`_]*:[ \t*`]*",
    re.IGNORECASE | re.MULTILINE,
)

_KINDS: Final = {"gedanke": "thought", "aktion": "action"}
_NAME: Final = re.compile(r"[^\w]*(?P<name>[A-Za-z][\w-]*)[`\"'*]*")
_PAIR: Final = re.compile(
    r"[\"']?(?P<key>[A-Za-z_]\w{0,39})[\"']?\s*[:=]\s*"
    r"(?:\"(?P<double>[^\"]*)\"?|'(?P<single>[^']*)'?|(?P<bare>[^,}\n]+))"
)

_FENCE: Final = re.compile(r"```(?:json)?", re.IGNORECASE)
_NO_ACTION: Final = ("none", "keine", "nothing", "no_action")


@dataclass(frozen=True)
class ToolForm:
    """The one argument of a tool, which a bare text becomes, "" for none, and how it is called.

    ``terminal``: the loop ends or waits with it. ``needed``: nothing is done without the argument.
    ``search``: where it fails or finds nothing, another way is to be tried.
    """

    argument: str = ""
    terminal: bool = False
    needed: bool = False
    of_graph: bool = False
    search: bool = False


TOOLS: Final[Mapping[str, ToolForm]] = {
    "retrieve_vector": ToolForm("query", needed=True, search=True),
    "retrieve_graph": ToolForm("query", needed=True, search=True, of_graph=True),
    "lookup_entity": ToolForm("name", needed=True, search=True, of_graph=True),
    "compare_entities": ToolForm("entities", of_graph=True),
    "synthesize": ToolForm("focus"),
    "verify_claim": ToolForm("claim", needed=True),
    "database_stats": ToolForm(),
    "ask_clarification": ToolForm("question", terminal=True),
    "final_answer": ToolForm("answer", terminal=True),
}
UNKNOWN: Final = ToolForm("input")


@dataclass(frozen=True)
class Decision:
    """What a reply says; no action means that the model wants to end."""

    thought: str
    actions: tuple[ToolCall, ...]


@dataclass(frozen=True)
class Verdict:
    """What a reflection says: its words, and whether enough is known."""

    text: str
    conclude: bool


def read_decision(reply: str) -> Decision:
    """The thought and at most two actions of a reply; numbered ones count before a single one.

    A terminal action beside another one stands alone: of two terminal ones the first.
    """
    parts = list(_parts(reply[:LONGEST_REPLY]))
    thought = next((text for kind, _, text in parts if kind == "thought"), "")
    calls = [call for n in range(1, MOST_ACTIONS + 1) for call in _call(parts, str(n))]
    actions = tuple(calls) or _call(parts, None)
    ending = [each for each in actions if is_terminal(each)]
    before = _MARK.split(reply[:LONGEST_REPLY], maxsplit=1)[0] if parts else reply
    said = thought or before
    return Decision(
        thought=" ".join(said.split())[:LONGEST_THOUGHT],
        actions=tuple(ending[:1]) if ending else actions,
    )


def read_verdict(reply: str) -> Verdict:
    """What a reflection concludes: only ``ACTION: final_answer`` at the start of a line counts."""
    parts = list(_parts(reply[:LONGEST_REPLY], ends_at=()))
    chosen = next((text for kind, _, text in parts if kind == "action"), "")
    found = _NAME.match(chosen)
    said = _MARK.split(reply[:LONGEST_REPLY], maxsplit=1)[0].strip()
    said = said or next((text for kind, _, text in parts if kind in ("reflection", "thought")), "")
    name = found["name"].lower().replace("-", "_") if found else ""
    return Verdict(text=" ".join(said.split())[:LONGEST_THOUGHT], conclude=name == "final_answer")


def is_terminal(call: ToolCall) -> bool:
    """Whether the loop ends or waits with it."""
    return TOOLS.get(call.tool, UNKNOWN).terminal


def written(call: ToolCall) -> str:
    """``retrieve_vector {"query": "…"}``: a call in one line, as histories show it."""
    return f"{call.tool} {json.dumps(call.arguments, ensure_ascii=False)}"


def _parts(
    reply: str, ends_at: tuple[str, ...] = ("observation", "beobachtung", "reflection")
) -> Iterator[tuple[str, str | None, str]]:
    """(kind, number, text) of every part, until the model begins to answer for the tools."""
    marks = list(_MARK.finditer(reply))
    ends = [*(mark.start() for mark in marks[1:]), len(reply)]
    for mark, end in zip(marks, ends, strict=False):
        word = mark["word"].lower()
        if word in ends_at:
            return
        kind = "arguments" if word.startswith("argument") else _KINDS.get(word, word)
        yield kind, mark["number"], reply[mark.end() : end].strip()


def _call(parts: list[tuple[str, str | None, str]], number: str | None) -> tuple[ToolCall, ...]:
    """The action of that number with its arguments, as zero or one calls."""
    action = next((text for kind, n, text in parts if (kind, n) == ("action", number)), "")
    line, _, below = action.partition("\n")
    name, rest = _named(line)
    if not name or name in _NO_ACTION:
        return ()
    given = next((text for kind, n, text in parts if (kind, n) == ("arguments", number)), None)
    return (ToolCall(tool=name, arguments=arguments_of(name, given or f"{rest}\n{below}")),)


def _named(line: str) -> tuple[str, str]:
    """The tool that a line names, and what follows it there: ``retrieve_vector(query="x")``."""
    whole = re.sub(r"[\s-]+", "_", line.strip(" `*\"'.").lower())
    if whole in TOOLS:
        return whole, ""
    found = _NAME.match(line)
    if found is None:
        return "", ""
    rest = line[found.end() :].strip()
    if rest.startswith("("):
        rest = rest[1:].removesuffix(")")
    return found["name"].lower().replace("-", "_")[:LONGEST_NAME], rest


def arguments_of(tool: str, text: str) -> dict[str, str]:
    """The argument by its name: of JSON, else of a ``key: value`` pair, else the text itself.

    A value under another name stands for it where it is missing.
    """
    plain = _FENCE.sub(" ", text).strip().strip("`").strip()
    name, value = TOOLS.get(tool, UNKNOWN).argument, _json(plain)
    if isinstance(value, dict):
        given = {str(key): _text(each) for key, each in value.items()}
    elif value is None:
        given = {name: _pair(plain, name) or plain.strip("{}[]()\"'").strip()}
    else:
        given = {name: _text(value)}
    said = given.get(name) or next(filter(None, given.values()), "")
    return {name: " ".join(said.split())[:LONGEST_ARGUMENT]} if name and said else {}


def _json(text: str) -> Any:
    """The value, of the text or of what stands between its braces; None if there is none."""
    begin, end = text.find("{"), text.rfind("}")
    for candidate in (text, text[begin : end + 1] if 0 <= begin < end else ""):
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def _pair(text: str, name: str) -> str:
    """The value of a name in JSON that is none; "" where it is not there."""
    named = (pair for pair in _PAIR.finditer(text) if pair["key"].lower() == name)
    values = (value for pair in named for value in pair.group("double", "single", "bare", 0))
    return next(filter(None, values), "")


def _text(value: Any, depth: int = NESTED) -> str:
    """A value as text; of a list its items between semicolons."""
    match value:
        case str():
            return value
        case list() | dict() if depth:
            items = list(value.values() if isinstance(value, dict) else value)[:MOST_ITEMS]
            return "; ".join(item for each in items if (item := _text(each, depth - 1)))
        case None | list() | dict():
            return ""
        case _:
            return str(value)
