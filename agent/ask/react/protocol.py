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
from collections.abc import Mapping, Sequence
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

_KINDS: Final = {"gedanke": "thought", "aktion": "action", "beobachtung": "observation"}
_NAME: Final = re.compile(r"[^\w]*(?P<name>[A-Za-z][\w-]*)[`\"'*]*")
_PAIR: Final = re.compile(
    r"[\"']?(?P<key>[A-Za-z_]\w{0,39})[\"']?\s*[:=]\s*"
    r"(?:\"(?P<double>[^\"]*)\"?|'(?P<single>[^']*)'?|(?P<bare>[^,}\n]+))"
)

_FENCE: Final = re.compile(r"```(?:json)?", re.IGNORECASE)
_NO_ACTION: Final = ("none", "keine", "nothing", "no_action")


Parts = dict[tuple[str, str | None], str]


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
    "final_answer": ToolForm(terminal=True),
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
    before, parts = _parts(reply, until=("observation", "reflection"))
    thought = next((text for (kind, _), text in parts.items() if kind == "thought"), "")
    numbers = [str(number) for number in range(1, MOST_ACTIONS + 1)]
    actions = [call for number in numbers for call in _call(parts, number)] or _call(parts, None)
    ending = [call for call in actions if is_terminal(call)]
    return Decision(thought=_line(thought or before), actions=tuple(ending[:1] or actions))


def read_verdict(reply: str) -> Verdict:
    """What a reflection concludes: only ``ACTION: final_answer`` at the start of a line counts."""
    before, parts = _parts(reply)
    chosen = next((text for (kind, _), text in parts.items() if kind == "action"), "")
    words = (text for (kind, _), text in parts.items() if kind in ("reflection", "thought"))
    text = _line(before) or _line(next(words, ""))
    return Verdict(text=text, conclude=_tool_name(_NAME.match(chosen)) == "final_answer")


def is_terminal(call: ToolCall) -> bool:
    """Whether the loop ends or waits with it."""
    return TOOLS.get(call.tool, UNKNOWN).terminal


def written(call: ToolCall) -> str:
    """``retrieve_vector {"query": "…"}``: a call in one line, as histories show it."""
    return f"{call.tool} {json.dumps(call.arguments, ensure_ascii=False)}"


def _line(text: str) -> str:
    return " ".join(text.split())[:LONGEST_THOUGHT]


def _parts(reply: str, until: Sequence[str] = ()) -> tuple[str, Parts]:
    """What stands before the first mark, and each part by kind and number, the first of a kind.

    ``until`` are kinds with which the model begins to answer for the tools.
    """
    reply = reply[:LONGEST_REPLY]
    marks = list(_MARK.finditer(reply))
    ends = [*(mark.start() for mark in marks), len(reply)]
    parts: Parts = {}
    for mark, end in zip(marks, ends[1:], strict=True):
        word = mark["word"].lower()
        kind = "arguments" if word.startswith("argument") else _KINDS.get(word, word)
        if kind in until:
            break
        parts.setdefault((kind, mark["number"]), reply[mark.end() : end].strip())
    return reply[: ends[0]], parts


def _call(parts: Parts, number: str | None) -> list[ToolCall]:
    """The action of that number with its arguments, as zero or one calls."""
    line, _, below = parts.get(("action", number), "").partition("\n")
    name, rest = _named(line)
    if not name or name in _NO_ACTION:
        return []
    given = parts.get(("arguments", number)) or f"{rest}\n{below}"
    return [ToolCall(tool=name, arguments=arguments_of(name, given))]


def _named(line: str) -> tuple[str, str]:
    """The tool that a line names, and what follows it there: ``retrieve_vector(query="x")``."""
    whole = re.sub(r"[\s-]+", "_", line.strip(" `*\"'.").lower())
    if whole in TOOLS:
        return whole, ""
    found = _NAME.match(line)
    rest = line[found.end() :].strip() if found else ""
    return _tool_name(found), rest[1:].removesuffix(")") if rest.startswith("(") else rest


def _tool_name(found: re.Match[str] | None) -> str:
    return found["name"].lower().replace("-", "_")[:LONGEST_NAME] if found else ""


def arguments_of(tool: str, text: str) -> dict[str, str]:
    """The argument by its name: of JSON, else of a ``key: value`` pair, else the text itself.

    A value under another name stands for it where it is missing.
    """
    plain = _FENCE.sub(" ", text).strip().strip("`").strip()
    name, value = TOOLS.get(tool, UNKNOWN).argument, _json(plain)
    if value is None:
        value = _pair(plain, name) or plain.strip("{}[]()\"'").strip()
    if isinstance(value, dict):
        given = {str(key): _text(each) for key, each in value.items()}
        value = given.get(name) or next(filter(None, given.values()), "")
    words = " ".join(_text(value).split())[:LONGEST_ARGUMENT]
    return {name: words} if name and words else {}


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
    if isinstance(value, list | dict):
        items = list(value.values() if isinstance(value, dict) else value)
        texts = (_text(item, depth - 1) for item in items[: MOST_ITEMS if depth else 0])
        return "; ".join(filter(None, texts))
    return "" if value is None else str(value)
