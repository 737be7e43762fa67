"""How prompts show what the agent did and gathered, and how long it takes: pure functions."""

import re
from collections.abc import Sequence
from typing import Final

from agent.ask.react.protocol import format_call
from agent.ask.react.values import Thought
from services.models.base import ChatModel, takes_one_call

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


def estimate_seconds(model: ChatModel, steps: int = USUAL_STEPS) -> float:
    """Return the seconds of so many steps and the answer, at the measured speed of the model.

    The lengths of prompts and replies are means of six questions.
    """
    reflections = 0 if takes_one_call(model) else steps
    read = FIRST_TOKENS + STEP_TOKENS * (steps - 1) + CONCLUSION_TOKENS
    read += REFLECTED_TOKENS * reflections
    written = THOUGHT_TOKENS * steps + REFLECTION_TOKENS * reflections + ANSWER_TOKENS
    return round(read / model.prompt_tokens_per_s + written / model.output_tokens_per_s, 1)


def quote_lines(text: str) -> str:
    """Put each line of a document behind a bar, so that none is taken for ours."""
    return "\n".join(f"| {' '.join(line.split())}" for line in text.splitlines() if line.strip())


def trimmed_history(steps: Sequence[Thought], full_steps: int = FULL_STEPS) -> str:
    """Return the last steps in full, older ones as thought and action alone."""
    old = len(steps) - full_steps
    return "\n\n".join(_step_text(step, full=n >= old) for n, step in enumerate(steps))


def _step_text(step: Thought, *, full: bool) -> str:
    """Return a step as the model wrote it, in full with observation and reflection."""
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
