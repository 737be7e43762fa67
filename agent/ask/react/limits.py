"""When the loop ends, and how long it may take."""

from typing import Final

from agent.ask.react.values import AgentRun, Ending
from services.llm.base import ChatModel, takes_one_call

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
