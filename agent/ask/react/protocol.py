"""The text protocol of the agent: what a model writes, parsed as a thought and its actions.

    THOUGHT: both limits are needed
    ACTION_1: retrieve_vector
    ARGUMENTS_1: {"query": "Grenzwert Beschäftigte"}
    ACTION_2: retrieve_vector
    ARGUMENTS_2: {"query": "Grenzwert Bevölkerung"}

One action has no numbers. Only a reply of the model is ever parsed, never text of a document, and
a line that is quoted with ``|`` is not part of it. Whatever is written, nothing raises.

Prompts show what the agent did and gathered in the same form.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from agent.ask.react.values import Thought, ToolCall
from services.models.base import ChatModel, takes_one_call

MAX_ACTIONS: Final = 2
MAX_REPLY: Final = 8_000
MAX_THOUGHT: Final = 600
MAX_ARGUMENT: Final = 2_000
MAX_NAME: Final = 40
MAX_ITEMS: Final = 20
MAX_NESTING: Final = 3

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


Fields = dict[tuple[str, str | None], str]
USUAL_STEPS: Final = 3
FIRST_TOKENS: Final = 600
"""Of the prompt of a first thought; later ones are read from their history on."""
STEP_TOKENS: Final = 700
REFLECTED_TOKENS: Final = 400
CONCLUSION_TOKENS: Final = 800
THOUGHT_TOKENS: Final = 80
REFLECTION_TOKENS: Final = 40
ANSWER_TOKENS: Final = 100
FULL_STEPS: Final = 2
GATHERED_CHARS: Final = 3_000
OBSERVATION_IN_REFLECTION: Final = 1_000
READER_FACTOR: Final = 3
"""How many times as much a model that reads is shown."""
MAX_OBSERVATION: Final = 600
MIN_SHARE: Final = 200
_RULER: Final = re.compile(r"([^\w\s])\1{4,}")


@dataclass(frozen=True)
class ToolForm:
    """The only argument of a tool, "" for none. ``terminal``: the loop ends or waits with it.
    ``needed``: nothing is done without the argument. ``search``: another one is tried where it
    finds nothing."""

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
    """The content of a reply; no action means that the model wants to end."""

    thought: str
    actions: tuple[ToolCall, ...]


@dataclass(frozen=True)
class Reflection:
    """The content of a reflection: its words, and whether enough is known."""

    text: str
    conclude: bool


def parse_decision(reply: str) -> Decision:
    """Return the thought and at most two actions of a reply; a terminal one stands alone."""
    before, fields = _split_fields(reply, until=("observation", "reflection"))
    thought = next((text for (kind, _), text in fields.items() if kind == "thought"), "")
    numbers = [str(number) for number in range(1, MAX_ACTIONS + 1)]
    actions = [call for number in numbers for call in _parse_call(fields, number)] or _parse_call(
        fields, None
    )
    ending = [call for call in actions if is_terminal(call)]
    return Decision(thought=_line(thought or before), actions=tuple(ending[:1] or actions))


def parse_verdict(reply: str) -> Reflection:
    """Return what a reflection concludes: it must begin a line with ``ACTION: final_answer``."""
    before, fields = _split_fields(reply)
    chosen = next((text for (kind, _), text in fields.items() if kind == "action"), "")
    words = (text for (kind, _), text in fields.items() if kind in ("reflection", "thought"))
    text = _line(before) or _line(next(words, ""))
    return Reflection(text=text, conclude=_tool_name(_NAME.match(chosen)) == "final_answer")


def is_terminal(call: ToolCall) -> bool:
    """Say whether the loop ends or waits with a call."""
    return TOOLS.get(call.tool, UNKNOWN).terminal


def format_call(call: ToolCall) -> str:
    """Return a call in one line, as histories show it: ``retrieve_vector {"query": "…"}``."""
    return f"{call.tool} {json.dumps(call.arguments, ensure_ascii=False)}"


def _line(text: str) -> str:
    return " ".join(text.split())[:MAX_THOUGHT]


def _split_fields(reply: str, until: Sequence[str] = ()) -> tuple[str, Fields]:
    """Return the text before the first mark, and the fields up to a kind of ``until``."""
    reply = reply[:MAX_REPLY]
    marks = list(_MARK.finditer(reply))
    ends = [*(mark.start() for mark in marks), len(reply)]
    fields: Fields = {}
    for mark, end in zip(marks, ends[1:], strict=True):
        word = mark["word"].lower()
        kind = "arguments" if word.startswith("argument") else _KINDS.get(word, word)
        if kind in until:
            break
        fields.setdefault((kind, mark["number"]), reply[mark.end() : end].strip())
    return reply[: ends[0]], fields


def _parse_call(fields: Fields, number: str | None) -> list[ToolCall]:
    line, _, below = fields.get(("action", number), "").partition("\n")
    name, after = _parse_tool(line)
    if not name or name in _NO_ACTION:
        return []
    arguments = fields.get(("arguments", number)) or f"{after}\n{below}"
    return [ToolCall(tool=name, arguments=parse_arguments(name, arguments))]


def _parse_tool(line: str) -> tuple[str, str]:
    """Return the tool that a line names, and what follows it: ``retrieve_vector(query="x")``."""
    tool = re.sub(r"[\s-]+", "_", line.strip(" `*\"'.").lower())
    if tool in TOOLS:
        return tool, ""
    match = _NAME.match(line)
    after = line[match.end() :].strip() if match else ""
    return _tool_name(match), after[1:].removesuffix(")") if after.startswith("(") else after


def _tool_name(match: re.Match[str] | None) -> str:
    return match["name"].lower().replace("-", "_")[:MAX_NAME] if match else ""


def parse_arguments(tool: str, text: str) -> dict[str, str]:
    """Return the argument by its name: from JSON, a ``key: value`` pair, or the text itself; a
    value under another name is taken if the name is missing."""
    plain = _FENCE.sub(" ", text).strip().strip("`").strip()
    name, value = TOOLS.get(tool, UNKNOWN).argument, _json(plain)
    if value is None:
        value = _pair(plain, name) or plain.strip("{}[]()\"'").strip()
    if isinstance(value, dict):
        texts = {str(key): _text(entry) for key, entry in value.items()}
        value = texts.get(name) or next(filter(None, texts.values()), "")
    words = " ".join(_text(value).split())[:MAX_ARGUMENT]
    return {name: words} if name and words else {}


def _json(text: str) -> Any:
    """Return the JSON value of a text, or of what is between its braces; None if there is none."""
    begin, end = text.find("{"), text.rfind("}")
    for candidate in (text, text[begin : end + 1] if 0 <= begin < end else ""):
        try:
            return json.loads(candidate)
        except (ValueError, RecursionError):
            continue
    return None


def _pair(text: str, name: str) -> str:
    """Return the value of a name in malformed JSON; "" where the name is not there."""
    named = (pair for pair in _PAIR.finditer(text) if pair["key"].lower() == name)
    values = (value for pair in named for value in pair.group("double", "single", "bare", 0))
    return next(filter(None, values), "")


def _text(value: Any, depth: int = MAX_NESTING) -> str:
    if isinstance(value, list | dict):
        items = list(value.values() if isinstance(value, dict) else value)
        texts = (_text(item, depth - 1) for item in items[: MAX_ITEMS if depth else 0])
        return "; ".join(filter(None, texts))
    return "" if value is None else str(value)


def estimate_seconds(model: ChatModel, steps: int = USUAL_STEPS) -> float:
    """Return the seconds of so many steps and the answer, by mean lengths of six questions."""
    reflections = 0 if takes_one_call(model) else steps
    read = FIRST_TOKENS + STEP_TOKENS * (steps - 1) + CONCLUSION_TOKENS
    read += REFLECTED_TOKENS * reflections
    written = THOUGHT_TOKENS * steps + REFLECTION_TOKENS * reflections + ANSWER_TOKENS
    return round(read / model.prompt_tokens_per_s + written / model.output_tokens_per_s, 1)


def quote_lines(text: str) -> str:
    """Put each line of a document behind a bar, so that none is taken for ours."""
    return "\n".join(f"| {' '.join(line.split())}" for line in text.splitlines() if line.strip())


def trimmed_history(steps: Sequence[Thought]) -> str:
    """Return the last steps in full, older ones as thought and action alone."""
    old = len(steps) - FULL_STEPS
    return "\n\n".join(_step_text(step, full=n >= old) for n, step in enumerate(steps))


def _step_text(step: Thought, *, full: bool) -> str:
    actions = (f"ACTION: {format_call(call)}" for call in step.actions)
    lines = [f"THOUGHT: {step.thought}", *actions]
    if full and step.observation:
        lines += ["OBSERVATION:", quote_lines(step.observation)]
    if full and step.reflection:
        lines.append(f"REFLECTION: {step.reflection}")
    return "\n".join(lines)


def gathered_text(gathered: Sequence[str], *, reads: bool = False) -> str:
    """Return what was gathered, each text once and with its share of the room, in order."""
    limit = GATHERED_CHARS * (READER_FACTOR if reads else 1)
    unique = list(dict.fromkeys(gathered))
    share = max(MIN_SHARE, limit // max(1, len(unique)) - 4)
    return quote_lines("\n".join(shorten(text, share) for text in unique))[:limit]


def observation_text(text: str, *, reads: bool) -> str:
    """Return an observation as a reflection is shown it."""
    return quote_lines(text)[: OBSERVATION_IN_REFLECTION * (READER_FACTOR if reads else 1)]


def shorten(text: str, limit: int) -> str:
    """Return a text in one line of at most so many characters, without rulers (``=====``)."""
    plain = " ".join(_RULER.sub(" ", text).split())
    return plain if len(plain) <= limit else f"{plain[: limit - 1]}…"
