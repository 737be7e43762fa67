"""The steps of the agent: what it thought, what it did, and what that brought."""

from collections.abc import Sequence

import streamlit as st

from app.formats import duration
from app.sanitise import plain
from app.session import language, say
from app.texts import ask as words
from services.events import AgentAction, AgentStart, AgentStep

FINAL = "final_answer"


def estimate(start: AgentStart) -> str:
    """How long the agent may take, in a sentence."""
    return say(
        words.AGENT_TIME,
        usual=duration(start.usual_s, language()),
        longest=duration(start.longest_s, language()),
        steps=start.most_steps,
    )


def show(steps: Sequence[AgentStep], *, expanded: bool = False) -> None:
    """All steps in a fold; whatever model and documents said is text and no markup."""
    if not steps:
        return
    label = say(words.STEPS, count=len(steps))
    with st.expander(label, icon=":material/format_list_numbered:", expanded=expanded):
        for step in steps:
            _step(step)


def _step(step: AgentStep) -> None:
    facts = [f"**{say(words.STEP, number=step.number)}**", duration(step.seconds, language())]
    facts += [say(words.UNDONE)] if step.discarded else []
    st.caption(" · ".join(facts))
    if step.thought:
        st.text(step.thought)
    for number, action in enumerate(step.actions):
        st.caption(f":material/arrow_forward: {_done(action)}")
        if number < len(step.observations):
            st.caption(plain(step.observations[number]))
    if step.reflection:
        st.caption(f"{say(words.REFLECTION)}: {plain(step.reflection)}")


def _done(action: AgentAction) -> str:
    """What was done in a few words; an answer stands below, checked."""
    text = words.TOOLS.get(action.tool)
    name = say(text) if text else plain(action.tool)
    if action.tool == FINAL:
        return f"{name} – {say(words.NOT_SHOWN)}"
    given = "; ".join(action.arguments.values())
    return f"{name}: {plain(given)}" if given else name
