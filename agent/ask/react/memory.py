"""What the agent remembers and when it ends: pure functions of its run, and how prompts show it."""

import re
from collections.abc import Sequence
from typing import Final

from agent.ask.react.protocol import written
from agent.ask.react.values import AgentRun, Ending, Thought
from services.domain.answer_events import AgentStep
from services.models.base import ChatModel, takes_one_call

MOST_STEPS: Final = 7
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
OBSERVATION_SHOWN: Final = 600
LEAST_SHARE: Final = 200
_RULER: Final = re.compile(r"([^\w\s])\1{4,}")


def closed(run: AgentRun, ending: Ending) -> AgentRun:
    """The run with the first reason to end that there was."""
    return run if run.ended else run.model_copy(update={"ended": ending})


def counted(run: AgentRun) -> AgentRun:
    """The run after a step: over where that was the last one."""
    return closed(run, "steps") if run.count >= MOST_STEPS else run


def usual_s(model: ChatModel) -> float:
    """Seconds that an answer usually takes, at the speed that was measured of the model."""
    return estimate_s(model, USUAL_STEPS)


def estimate_s(model: ChatModel, steps: int) -> float:
    """Seconds of so many steps and the answer, at the speed that was measured of the model.

    The lengths of prompts and replies are means of six questions (docs/transcripts/agent.md).
    """
    reflections = 0 if takes_one_call(model) else steps
    read = FIRST_TOKENS + STEP_TOKENS * (steps - 1) + CONCLUSION_TOKENS
    read += REFLECTED_TOKENS * reflections
    written = THOUGHT_TOKENS * steps + REFLECTION_TOKENS * reflections + ANSWER_TOKENS
    return round(read / model.prompt_tokens_per_s + written / model.output_tokens_per_s, 1)


def stored_results(run: AgentRun) -> AgentRun:
    """The run with what the tools of its last step found."""
    results = run.results
    return run.model_copy(
        update={
            "results": (),
            "gathered": (*run.gathered, *(text for each in results for text in each.texts)),
            "evidence": (*run.evidence, *(entry for each in results for entry in each.entries)),
            "searches": (*run.searches, *(one for each in results for one in each.searched)),
            "facts": next((each.facts for each in results if each.facts), run.facts),
        }
    )


def quoted(text: str) -> str:
    """Text of documents as a prompt shows it: each line behind a bar, so that none is ours."""
    return "\n".join(f"| {' '.join(line.split())}" for line in text.splitlines() if line.strip())


def step_text(step: Thought, *, full: bool) -> str:
    """A step as the model wrote it; what came of it only in full."""
    lines = [f"THOUGHT: {step.thought}", *(f"ACTION: {written(each)}" for each in step.actions)]
    if full and step.observation:
        lines += ["OBSERVATION:", quoted(step.observation)]
    if full and step.reflection:
        lines.append(f"REFLECTION: {step.reflection}")
    return "\n".join(lines)


def trimmed_history(steps: Sequence[Thought], keep_full: int = FULL_STEPS) -> str:
    """The last steps in full, older ones as thought and action alone."""
    old = len(steps) - keep_full
    return "\n\n".join(step_text(step, full=n >= old) for n, step in enumerate(steps))


def gathered_text(gathered: Sequence[str], most: int = GATHERED_CHARS) -> str:
    """What was gathered, each text once and with its share of the room, in order."""
    unique = list(dict.fromkeys(gathered))
    share = max(LEAST_SHARE, most // max(1, len(unique)) - 4)
    return quoted("\n".join(clipped(text, share) for text in unique))[:most]


def clipped(text: str, most: int) -> str:
    """A text in one line of at most so many characters, without rulers (``=====``)."""
    plain = " ".join(_RULER.sub(" ", text).split())
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def told(run: AgentRun, step: AgentStep) -> AgentRun:
    """The run with a step as people see it, put in the place of the same step."""
    others = tuple(each for each in run.told if each.number != step.number)
    return run.model_copy(update={"told": (*others, step)})


def as_step(
    step: Thought, observations: Sequence[str] = (), *, discarded: bool = False
) -> AgentStep:
    """A step as events and answers carry it."""
    return AgentStep(
        number=step.number,
        thought=step.thought,
        actions=step.actions,
        observations=tuple(clipped(text, OBSERVATION_SHOWN) for text in observations),
        reflection=step.reflection,
        seconds=round(step.seconds, 2),
        discarded=discarded,
    )
