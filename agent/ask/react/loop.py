"""The loop as nodes of the graph: think, act, observe and reflect."""

import asyncio
import time
from collections.abc import Sequence

from agent.ask.react import agenda, limits
from agent.ask.react.first_look import nothing_near
from agent.ask.react.memory import (
    OBSERVATION_IN_REFLECTION,
    Mark,
    as_step,
    gathered_text,
    mark,
    quoted,
    rolled_back,
    stored_results,
    told,
    trimmed_history,
)
from agent.ask.react.protocol import (
    MOST_ACTIONS,
    Verdict,
    is_terminal,
    read_decision,
    read_verdict,
    written,
)
from agent.ask.react.tooling import CallBudget, Kit, make_kit
from agent.ask.react.tools import call_tool, is_dead_end, offered
from agent.ask.react.values import AgentRun, Thought, ToolResult
from agent.ask.retrieve import dated
from agent.ask.state import AskState
from agent.ask.step import AskStep, asked, timed
from agent.prompts import react_words as words
from agent.prompts.react import Reflect, ReflectInput, ThinkAndDecide, ThinkInput
from agent.step import Update
from services.events import AgentStart, AgentStep, KnowledgeRetrievalStart
from services.llm.base import takes_one_call


@timed("agent_think")
async def think(state: AskState, step: AskStep) -> Update:
    """One thought of the model, and what it decides to do."""
    run = state.get("agent") or await _begun(state, step)
    if run.ended or not CallBudget(state).take():
        return {"agent": limits.closed(run, "calls")}
    began = time.monotonic()
    task = ThinkAndDecide(step.context.agent_temperature)
    text = await asked(step, task, _asked(state, run, step))
    if reason := step.usage[-1].fallback:
        return _failed(state, run, reason, step)
    decision = read_decision(text)
    number = run.count + 1
    thought = Thought(
        number=number,
        thought=decision.thought,
        actions=decision.actions,
        seconds=time.monotonic() - began,
    )
    led = agenda.led(thought, run, state["understanding"], along=_alone(step))
    run = run.model_copy(update={"count": number, "current": led, "hint": ""})
    run = _decided(run, led, again=bool(thought.actions) and not led.actions)
    return {"agent": shown(run, as_step(led), step)}


def _alone(step: AskStep) -> bool:
    return takes_one_call(step.context.tasks.model)


async def _begun(state: AskState, step: AskStep) -> AgentRun:
    """Tells that the agent begins, and how long it may take.

    A slow model is not asked to think about what the documents do not speak of at all.
    """
    known, model = state["understanding"], step.context.tasks.model
    step.emit(
        KnowledgeRetrievalStart(
            collection_count=len(step.context.scope.collections),
            query=known.question,
            depth=state["route"].depth,
        )
    )
    await asyncio.to_thread(dated, known, step)
    run = AgentRun()
    if _alone(step) and await nothing_near(await make_kit(state, step, run)):
        return limits.closed(run, "nothing")
    if model is not None:
        step.emit(
            AgentStart(
                usual_s=limits.usual_s(model),
                longest_s=limits.estimate_s(model, limits.MOST_STEPS),
                most_steps=limits.MOST_STEPS,
                tools=offered(step.context),
            )
        )
    return run


def _asked(state: AskState, run: AgentRun, step: AskStep) -> ThinkInput:
    known = state["understanding"]
    left = agenda.open_parts(known, agenda.done(run))
    return ThinkInput(
        question=known.question,
        language=known.language,
        tools=offered(step.context),
        history=trimmed_history(run.steps),
        hint=run.hint,
        parts=tuple((part.target_info, part in left) for part in agenda.parts_of(known)),
        leads=agenda.unread(run)[:MOST_ACTIONS],
        fold=_alone(step),
        last=run.count + 1 == limits.MOST_STEPS,
    )


def _failed(state: AskState, run: AgentRun, reason: str, step: AskStep) -> Update:
    """Without a thought the question goes the fast way, and the answer says so."""
    said = f"the agent failed ({reason}): fast instead"
    step.warn(f"the agent failed ({reason}): fast instead")
    route = state["route"].model_copy(update={"depth": "fast", "reason": said})
    return {"agent": run.model_copy(update={"failed": reason}), "route": route}


def _decided(run: AgentRun, thought: Thought, *, again: bool) -> AgentRun:
    """The run with its end, where the thought wants one, or only what was done ``again``."""
    if not thought.actions:
        return limits.closed(run, "circle" if again else "no_action")
    first = thought.actions[0]
    if first.tool != "final_answer":
        return run
    answer = first.arguments.get("answer", "")
    return limits.closed(run.model_copy(update={"answer": answer}), "answer")


def after_think(state: AskState) -> str:
    """To the tools, to the person, to the end; or the fast way where thinking failed."""
    run = run_of(state)
    if run.failed:
        return "retrieve"
    if run.ended or run.current is None:
        return "weigh"
    return "clarify" if is_terminal(run.current.actions[0]) else "act"


@timed("agent_act")
async def act(state: AskState, step: AskStep) -> Update:
    """Carries out one action, or two side by side; a first dead end is undone."""
    run, thought = run_of(state), current_of(state)
    before = mark(run)
    kit = await make_kit(state, step, run)
    began = time.monotonic()
    results = await asyncio.gather(*(call_tool(each, kit) for each in thought.actions))
    done = _observed(thought, results, time.monotonic() - began)
    run = run.model_copy(
        update={
            "steps": (*run.steps, done),
            "current": done,
            "results": tuple(results),
            "parallel_steps": run.parallel_steps + (len(results) > 1),
        }
    )
    observations = [each.observation for each in results]
    dead = all(map(is_dead_end, thought.actions, results)) and not run.backtracked
    if dead:
        run = _undone(run, before, [written(each) for each in thought.actions], kit)
    return {"agent": shown(run, as_step(done, observations, discarded=dead), step)}


def _observed(thought: Thought, results: Sequence[ToolResult], seconds: float) -> Thought:
    """The step with what its tools brought, each under the tool's name where there are two."""
    parallel = len(results) > 1
    lines = [
        f"[{call.tool}] {result.observation}" if parallel else result.observation
        for call, result in zip(thought.actions, results, strict=True)
    ]
    update = {"observation": "\n".join(lines), "seconds": thought.seconds + seconds}
    return thought.model_copy(update=update)


def _undone(run: AgentRun, before: Mark, calls: Sequence[str], kit: Kit) -> AgentRun:
    """The run as it was before a dead end, with a hint for the thought that comes next."""
    hint = words.dead_end(kit.language, calls, [each.observation for each in run.results])
    update = {"backtracked": True, "hint": hint, "current": None, "results": ()}
    return limits.counted(rolled_back(run, before).model_copy(update=update))


def after_act(state: AskState) -> str:
    """A dead end goes back to thinking, unless that was the last step."""
    run = run_of(state)
    if run.current is not None:
        return "reflect"
    return "weigh" if run.ended else "think"


@timed("agent_reflect")
async def reflect(state: AskState, step: AskStep) -> Update:
    """Stores what was found while it is judged whether that suffices, which binds.

    Of a model of one slot rules judge, and it does in its next thought, so that a step costs one
    call.
    """
    run = run_of(state)
    began = time.monotonic()
    stored, verdict = await asyncio.gather(
        asyncio.to_thread(stored_results, run), _judged(state, step)
    )
    current = current_of(state)
    done = current.model_copy(
        update={
            "reflection": verdict.text,
            "seconds": current.seconds + time.monotonic() - began,
        }
    )
    run = stored.model_copy(update={"steps": (*stored.steps[:-1], done), "current": None})
    if verdict.conclude:
        run = limits.closed(run, "reflection")
    before = next((each.observations for each in run.told if each.number == done.number), ())
    return {"agent": shown(limits.counted(run), as_step(done, before), step)}


async def _judged(state: AskState, step: AskStep) -> Verdict:
    """The model's word on whether enough is known, or that of rules where it has one slot."""
    run, known = run_of(state), state["understanding"]
    if _alone(step):
        enough = await asyncio.to_thread(agenda.settled, run, known)
        return Verdict(words.enough(known.language) if enough else "", conclude=enough)
    if not CallBudget(state).take():
        return Verdict("", conclude=False)
    text = await asked(
        step,
        Reflect(step.context.agent_temperature),
        ReflectInput(
            question=known.question,
            language=known.language,
            history=trimmed_history(run.steps[:-1]),
            gathered=gathered_text(run.gathered),
            observation=quoted(current_of(state).observation)[:OBSERVATION_IN_REFLECTION],
        ),
    )
    return read_verdict(text)


def after_reflection(state: AskState) -> str:
    return "weigh" if run_of(state).ended else "think"


def run_of(state: AskState) -> AgentRun:
    run = state.get("agent")
    if run is None:
        raise ValueError("the agent has not begun to think")
    return run


def current_of(state: AskState) -> Thought:
    current = run_of(state).current
    if current is None:
        raise ValueError("there is no step under way")
    return current


def shown(run: AgentRun, as_told: AgentStep, step: AskStep) -> AgentRun:
    """Tells a step as far as it is, and keeps it for the answer."""
    step.emit(as_told)
    return told(run, as_told)
