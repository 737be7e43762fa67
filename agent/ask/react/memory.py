"""How prompts show what the agent did and gathered, and how long it takes: pure functions."""

import re
from collections.abc import Sequence
from typing import Final

from agent.ask.react.protocol import written
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
MORE_FOR_A_READER: Final = 3
"""Times as much is shown to a model that reads."""
OBSERVATION_SHOWN: Final = 600
LEAST_SHARE: Final = 200
_RULER: Final = re.compile(r"([^\w\s])\1{4,}")


def estimate_s(model: ChatModel, steps: int = USUAL_STEPS) -> float:
    """Seconds of so many steps and the answer, at the speed that was measured of the model.

    The lengths of prompts and replies are means of six questions.
    """
    reflections = 0 if takes_one_call(model) else steps
    read = FIRST_TOKENS + STEP_TOKENS * (steps - 1) + CONCLUSION_TOKENS
    read += REFLECTED_TOKENS * reflections
    wrote = THOUGHT_TOKENS * steps + REFLECTION_TOKENS * reflections + ANSWER_TOKENS
    return round(read / model.prompt_tokens_per_s + wrote / model.output_tokens_per_s, 1)


def quoted(text: str) -> str:
    """Text of documents as a prompt shows it: each line behind a bar, so that none is ours."""
    return "\n".join(f"| {' '.join(line.split())}" for line in text.splitlines() if line.strip())


def trimmed_history(steps: Sequence[Thought], keep_full: int = FULL_STEPS) -> str:
    """The last steps in full, older ones as thought and action alone."""
    old = len(steps) - keep_full
    return "\n\n".join(_step_text(step, full=n >= old) for n, step in enumerate(steps))


def _step_text(step: Thought, *, full: bool) -> str:
    """A step as the model wrote it; what came of it only in full."""
    lines = [f"THOUGHT: {step.thought}", *(f"ACTION: {written(call)}" for call in step.actions)]
    if full and step.observation:
        lines += ["OBSERVATION:", quoted(step.observation)]
    if full and step.reflection:
        lines.append(f"REFLECTION: {step.reflection}")
    return "\n".join(lines)


def gathered_text(gathered: Sequence[str], *, reads: bool = False) -> str:
    """What was gathered, each text once and with its share of the room, in order."""
    most = GATHERED_CHARS * (MORE_FOR_A_READER if reads else 1)
    unique = list(dict.fromkeys(gathered))
    share = max(LEAST_SHARE, most // max(1, len(unique)) - 4)
    return quoted("\n".join(clipped(text, share) for text in unique))[:most]


def observed(text: str, *, reads: bool) -> str:
    """An observation as who judges it is shown it."""
    return quoted(text)[: OBSERVATION_IN_REFLECTION * (MORE_FOR_A_READER if reads else 1)]


def clipped(text: str, most: int) -> str:
    """A text in one line of at most so many characters, without rulers (``=====``)."""
    plain = " ".join(_RULER.sub(" ", text).split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"
