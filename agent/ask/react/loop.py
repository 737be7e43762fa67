"""The loop as nodes of the graph: think, act, observe and reflect, or ask the person."""

import asyncio
import time
from collections.abc import Sequence
from typing import Final, Literal

from langgraph.types import interrupt

from agent.ask.models import Rewriting
from agent.ask.react.memory import (
    OBSERVATION_SHOWN,
    clipped,
    estimate_s,
    gathered_text,
    observed,
    trimmed_history,
)
from agent.ask.react.protocol import Verdict, is_terminal, read_decision, read_verdict, written
from agent.ask.react.search import CallBudget, first_look, make_kit, reads
from agent.ask.react.tools import call_tool, is_dead_end, offered
from agent.ask.react.values import MOST_STEPS, AgentRun, Thought, ToolCall, ToolResult
from agent.ask.retrieve import dated, tell_start
from agent.ask.route import understood
from agent.ask.state import AskState
from agent.ask.step import timed
from agent.prompts import say
from agent.prompts.react import Reflect, ReflectInput, ThinkAndDecide, ThinkInput
from agent.step import Step, Update
from services.domain.events import AgentStart, AgentStep, AnswerGiven
from services.domain.notices import Notice
from services.language.text import addresses
from services.models.base import takes_one_call

MOST_QUESTIONS: Final = 2
LONGEST_QUESTION: Final = 400
LONGEST_ANSWER: Final = 1_000
END_COMMAND: Final = "/end"


def run_of(state: AskState) -> AgentRun:
    run = state.get("agent")
    if run is None:
        raise ValueError("the agent has not begun to think")
    return run


def shown(
    run: AgentRun,
    done: Thought,
    step: Step,
    observations: Sequence[str] = (),
    *,
    discarded: bool = False,
) -> AgentRun:
    """Tells a step as far as it is, and keeps it for the answer."""
    told = AgentStep(
        **done.model_dump(include={"number", "thought", "reflection"}),
        actions=done.actions,
        observations=tuple(clipped(text, OBSERVATION_SHOWN) for text in observations),
        seconds=round(done.seconds, 2),
        discarded=discarded,
    )
    step.emit(told)
    return run.changed(told=(*(one for one in run.told if one.number != told.number), told))


@timed("agent_think")
async def think(state: AskState, step: Step) -> Update:
    """One thought of the model, and what it decides to do."""
    run = state.get("agent") or await _begun(state, step)
    if run.ended or not CallBudget(state).take():
        return {"agent": run.closed("calls")}
    began, understanding = time.monotonic(), state["understanding"]
    inp = ThinkInput(
        question=understanding.question,
        language=understanding.language,
        tools=await asyncio.to_thread(offered, step.context),
        history=trimmed_history(run.steps),
        hint=run.hint,
        fold=_alone(step),
        last=run.count + 1 == MOST_STEPS,
    )
    text = await step.run(ThinkAndDecide(step.context.agent_temperature), inp)
    if reason := step.usage[-1].fallback:
        return _failed(state, run, reason, step)
    decision = read_decision(text)
    thought = Thought(
        number=run.count + 1,
        thought=decision.thought,
        actions=_not_done(decision.actions, run),
        seconds=time.monotonic() - began,
    )
    run = run.changed(count=thought.number, current=thought, hint="")
    if not thought.actions:
        run = run.closed("circle" if decision.actions else "no_action")
    elif thought.actions[0].tool == "final_answer":
        run = run.closed("answer")
    return {"agent": shown(run, thought, step)}


def _not_done(actions: Sequence[ToolCall], run: AgentRun) -> tuple[ToolCall, ...]:
    """The actions that nobody carried out before; what is gathered can be summed up again."""
    done = [call for step in run.told for call in step.actions]
    return tuple(
        call
        for n, call in enumerate(actions)
        if is_terminal(call) or call.tool == "synthesize" or call not in (*done, *actions[:n])
    )


def _alone(step: Step) -> bool:
    return takes_one_call(step.context.tasks.model)


async def _begun(state: AskState, step: Step) -> AgentRun:
    """Tells that the agent begins, and how long it may take.

    A slow model is not asked to think about what the documents do not speak of at all.
    """
    understanding, model = state["understanding"], step.context.tasks.model
    tell_start(state, step)
    await asyncio.to_thread(dated, understanding, step)
    run = AgentRun()
    if _alone(step) and await _nothing_near(state, step):
        return run.closed("nothing")
    if model is not None:
        step.emit(
            AgentStart(
                usual_s=estimate_s(model),
                longest_s=estimate_s(model, MOST_STEPS),
                most_steps=MOST_STEPS,
                tools=await asyncio.to_thread(offered, step.context),
            )
        )
    return run


async def _nothing_near(state: AskState, step: Step) -> bool:
    """Whether nothing found may answer the question or a part of it.

    What is ambiguous as it stands may be asked back instead.
    """
    if state["complexity"].level == "ambiguous":
        return False
    return not any(look.near for look in await first_look(state, step))


def _failed(state: AskState, run: AgentRun, reason: Notice, step: Step) -> Update:
    """Without a thought the question goes the fast way, and the answer says so."""
    notice = Notice.of("the agent failed: fast instead")  # why is said of all that failed
    step.warn(notice)
    route = state["route"].model_copy(update={"depth": "fast", "reason": notice})
    return {"agent": run.changed(failed=str(reason)), "route": route}


def after_think(state: AskState) -> Literal["act", "clarify", "weigh", "retrieve"]:
    """To the tools, to the person, to the end; or the fast way where thinking failed."""
    run = run_of(state)
    if run.failed:
        return "retrieve"
    if run.ended or run.current is None:
        return "weigh"
    return "clarify" if is_terminal(run.current.actions[0]) else "act"


@timed("agent_act")
async def act(state: AskState, step: Step) -> Update:
    """Carries out one action, or two side by side; a first dead end is undone.

    Of a dead end the next thought is told what led nowhere.
    """
    run, began = run_of(state), time.monotonic()
    thought, kit = run.under_way, await make_kit(state, step)
    results = await asyncio.gather(*(call_tool(call, kit) for call in thought.actions))
    done = _observed(thought, results, time.monotonic() - began)
    observations = [result.observation for result in results]
    run = run.changed(parallel_steps=run.parallel_steps + (len(results) > 1))
    if not run.backtracked and all(map(is_dead_end, thought.actions, results)):
        pairs = zip(thought.actions, observations, strict=True)
        tried = "\n".join(f"{written(call)}: {observation}" for call, observation in pairs)
        hint = say(kit.language, "dead_end", tried)
        run = run.changed(backtracked=True, hint=hint, current=None).counted()
        return {"agent": shown(run, done, step, observations, discarded=True)}
    run = run.changed(steps=(*run.steps, done), current=done, results=tuple(results))
    return {"agent": shown(run, done, step, observations)}


def _observed(thought: Thought, results: Sequence[ToolResult], seconds: float) -> Thought:
    """The step with what its tools brought, each under the tool's name where there are two."""
    lines = [
        f"[{call.tool}] {result.observation}" if len(results) > 1 else result.observation
        for call, result in zip(thought.actions, results, strict=True)
    ]
    update = {"observation": "\n".join(lines), "seconds": thought.seconds + seconds}
    return thought.model_copy(update=update)


def after_act(state: AskState) -> Literal["reflect", "think", "weigh"]:
    """A dead end goes back to thinking, unless that was the last step."""
    return "reflect" if run_of(state).current is not None else next_step(state)


@timed("agent_reflect")
async def reflect(state: AskState, step: Step) -> Update:
    """Stores what was found once it is judged whether that suffices, which binds.

    A model of one slot does so in its next thought, so that a step costs one call; its search is
    over where a step brought nothing new.
    """
    run, began = run_of(state), time.monotonic()
    verdict = await _judged(state, step)
    seconds = run.under_way.seconds + time.monotonic() - began
    update = {"reflection": verdict.text, "seconds": seconds}
    done = run.under_way.model_copy(update=update)
    run = run.stored().changed(steps=(*run.steps[:-1], done), current=None)
    run = run.closed("reflection") if verdict.conclude else run
    before = next((one.observations for one in run.told if one.number == done.number), ())
    return {"agent": shown(run.counted(), done, step, before)}


async def _judged(state: AskState, step: Step) -> Verdict:
    """The model's word on whether enough is known; of one slot, whether anything new was found."""
    run, understanding = run_of(state), state["understanding"]
    if _alone(step):
        brought = {text for result in run.results for text in result.texts}
        over = bool(run.gathered) and brought <= set(run.gathered)
        return Verdict(say(understanding.language, "nothing_new") if over else "", conclude=over)
    if not CallBudget(state).take():
        return Verdict("", conclude=False)
    inp = ReflectInput(
        question=understanding.question,
        language=understanding.language,
        history=trimmed_history(run.steps[:-1]),
        gathered=gathered_text(run.gathered, reads=reads(state)),
        observation=observed(run.under_way.observation, reads=reads(state)),
    )
    return read_verdict(await step.run(Reflect(step.context.agent_temperature), inp))


def next_step(state: AskState) -> Literal["think", "weigh"]:
    """Another thought, unless the run has ended."""
    return "weigh" if run_of(state).ended else "think"


@timed("agent_clarify")
async def clarify(state: AskState, step: Step) -> Update:
    """Waits for the person; after two questions the model is told to go on without.

    The interrupt comes before anything that counts: this node runs again when it is answered.
    """
    run, language, answer = run_of(state), state["understanding"].language, ""
    asking = run.clarified < MOST_QUESTIONS
    if asking:
        wanted = clipped(run.under_way.actions[0].arguments.get("question", ""), LONGEST_QUESTION)
        if addresses(wanted):  # what it read may have it send the person somewhere
            wanted = ""
        question = wanted or say(language, "what_is_meant")
        value = {"interrupt": "clarification", "questions": [question], "found": []}
        answer = clipped(str(interrupt(value)), LONGEST_ANSWER)
        step.emit(AnswerGiven(iteration=run.clarified, text=answer))  # for a trace of the thread
        answer = "" if answer.casefold() == END_COMMAND else answer
    observation = say(language, "no_answer" if asking else "no_more_questions")
    if answer:
        observation = say(language, "answer", answer)
    done = run.under_way.model_copy(update={"observation": observation})
    run = run.changed(
        steps=(*run.steps, done), current=None, clarified=run.clarified + asking
    ).counted()
    update: Update = {"agent": shown(run, done, step, [observation])}
    return {**update, **await _understood(state, answer, step)} if answer else update


async def _understood(state: AskState, answer: str, step: Step) -> Update:
    """The question with what the person said, understood anew; the route stays."""
    before = state["understanding"]
    rewriting = Rewriting(
        question=f"{before.question.rstrip()} ({answer})",
        language=before.language,
        because="the person was asked",
        by="person",
    )
    profile = state["options"].profile
    thresholds = await asyncio.to_thread(step.context.thresholds, profile)
    understanding = await understood(rewriting, thresholds, step.context)
    return {"understanding": understanding, "rewriting": rewriting}
