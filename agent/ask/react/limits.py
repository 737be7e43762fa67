"""When the loop ends, and how long it may take."""

from typing import Final

from agent.ask.react.values import AgentRun, Ending
from services.llm.base import ChatModel

MOST_STEPS: Final = 7
USUAL_STEPS: Final = 3
PROMPT_TOKENS: Final = 1_000
"""Of a thought, as prompts are; the first is read whole, later ones from their history on."""

FRESH_TOKENS: Final = 400
THOUGHT_TOKENS: Final = 80
REFLECTION_TOKENS: Final = 40
ANSWER_TOKENS: Final = 150


def closed(run: AgentRun, ending: Ending) -> AgentRun:
    """The run with the first reason to end that there was."""
    return run if run.ended else run.model_copy(update={"ended": ending})


def counted(run: AgentRun) -> AgentRun:
    """The run after a step: over where that was the last one."""
    return closed(run, "steps") if run.count >= MOST_STEPS else run


def estimate_s(model: ChatModel, steps: int) -> float:
    """Seconds of so many steps and the answer, at the speed that was measured of the model."""
    reflections = steps if model.slots > 1 else 0
    read = PROMPT_TOKENS + FRESH_TOKENS * (steps + reflections) + PROMPT_TOKENS
    written = THOUGHT_TOKENS * steps + REFLECTION_TOKENS * reflections + ANSWER_TOKENS
    return round(read / model.prompt_tokens_per_s + written / model.output_tokens_per_s, 1)
