"""The loop as nodes of the graph: think, act, observe and reflect, or ask the person."""

import asyncio
import time
from collections.abc import Sequence
from typing import Final, Literal

from langgraph.types import interrupt

from agent.ask.models import Rewriting
from agent.ask.react.memory import (
    MOST_STEPS,
    OBSERVATION_IN_REFLECTION,
    as_step,
    clipped,
    closed,
    counted,
    estimate_s,
    gathered_text,
    quoted,
    stored_results,
    told,
    trimmed_history,
    usual_s,
)
from agent.ask.react.protocol import Verdict, is_terminal, read_decision, read_verdict, written
from agent.ask.react.search import CallBudget, Kit, first_look, make_kit
from agent.ask.react.tools import call_tool, is_dead_end, offered
from agent.ask.react.values import AgentRun, Thought, ToolCall, ToolResult
from agent.ask.retrieve import dated, tell_start
from agent.ask.state import AskState
from agent.ask.step import AskStep, asked, timed
from agent.prompts import say
from agent.prompts.react import Reflect, ReflectInput, ThinkAndDecide, ThinkInput
from agent.step import Update
from services.domain.events import AgentStart, AgentStep
from services.domain.notices import Notice
from services.models.base import takes_one_call

MOST_QUESTIONS: Final = 2
LONGEST_QUESTION: Final = 400
LONGEST_ANSWER: Final = 1_000
END_COMMAND: Final = "/end"


@timed("agent_think")
async def think(state: AskState, step: AskStep) -> Update:
    """One thought of the model, and what it decides to do."""
    run = state.get("agent") or await _begun(state, step)
    if run.ended or not CallBudget(state).take():
        return {"agent": closed(run, "calls")}
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
        actions=_not_done(decision.actions, run),
        seconds=time.monotonic() - began,
    )
    run = run.model_copy(update={"count": number, "current": thought, "hint": ""})
    run = _decided(run, thought, again=bool(decision.actions) and not thought.actions)
    return {"agent": shown(run, as_step(thought), step)}


def _not_done(actions: Sequence[ToolCall], run: AgentRun) -> tuple[ToolCall, ...]:
    """The actions that nobody carried out before; what is gathered can be summed up again."""
    done = [call for step in run.told for call in step.actions]
    return tuple(
        call
        for n, call in enumerate(actions)
        if is_terminal(call) or call.tool == "synthesize" or call not in (*done, *actions[:n])
    )


def _alone(step: AskStep) -> bool:
    return takes_one_call(step.context.tasks.model)


async def _begun(state: AskState, step: AskStep) -> AgentRun:
    """Tells that the agent begins, and how long it may take.

    A slow model is not asked to think about what the documents do not speak of at all.
    """
    known, model = state["understanding"], step.context.tasks.model
    tell_start(state, step)
    await asyncio.to_thread(dated, known, step)
    run = AgentRun()
    if _alone(step) and await _nothing_near(state, await make_kit(state, step, run)):
        return closed(run, "nothing")
    if model is not None:
        step.emit(
            AgentStart(
                usual_s=usual_s(model),
                longest_s=estimate_s(model, MOST_STEPS),
                most_steps=MOST_STEPS,
                tools=offered(step.context),
            )
        )
    return run


async def _nothing_near(state: AskState, kit: Kit) -> bool:
    """Whether nothing found may answer the question or a part of it.

    What is ambiguous as it stands may be asked back instead.
    """
    if state["complexity"].level == "ambiguous":
        return False
    return not any(look.near for look in await first_look(kit))


def _asked(state: AskState, run: AgentRun, step: AskStep) -> ThinkInput:
    known = state["understanding"]
    return ThinkInput(
        question=known.question,
        language=known.language,
        tools=offered(step.context),
        history=trimmed_history(run.steps),
        hint=run.hint,
        fold=_alone(step),
        last=run.count + 1 == MOST_STEPS,
    )


def _failed(state: AskState, run: AgentRun, reason: Notice, step: AskStep) -> Update:
    """Without a thought the question goes the fast way, and the answer says so."""
    said = Notice.of("the agent failed ({reason}): fast instead", reason=reason)
    step.warn(said)
    route = state["route"].model_copy(update={"depth": "fast", "reason": said})
    return {"agent": run.model_copy(update={"failed": str(reason)}), "route": route}


def _decided(run: AgentRun, thought: Thought, *, again: bool) -> AgentRun:
    """The run with its end, where the thought wants one, or only what was done ``again``."""
    if not thought.actions:
        return closed(run, "circle" if again else "no_action")
    first = thought.actions[0]
    if first.tool != "final_answer":
        return run
    answer = first.arguments.get("answer", "")
    return closed(run.model_copy(update={"answer": answer}), "answer")


def after_think(state: AskState) -> Literal["act", "clarify", "weigh", "retrieve"]:
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
    before, thought = run_of(state), current_of(state)
    kit = await make_kit(state, step, before)
    began = time.monotonic()
    results = await asyncio.gather(*(call_tool(each, kit) for each in thought.actions))
    done = _observed(thought, results, time.monotonic() - began)
    found = {"steps": (*before.steps, done), "current": done, "results": tuple(results)}
    dead = all(map(is_dead_end, thought.actions, results)) and not before.backtracked
    update = _undone(thought, results, kit) if dead else found
    side_by_side = before.parallel_steps + (len(results) > 1)
    run = before.model_copy(update={**update, "parallel_steps": side_by_side})
    seen = as_step(done, [each.observation for each in results], discarded=dead)
    return {"agent": shown(counted(run) if dead else run, seen, step)}


def _observed(thought: Thought, results: Sequence[ToolResult], seconds: float) -> Thought:
    """The step with what its tools brought, each under the tool's name where there are two."""
    parallel = len(results) > 1
    lines = [
        f"[{call.tool}] {result.observation}" if parallel else result.observation
        for call, result in zip(thought.actions, results, strict=True)
    ]
    update = {"observation": "\n".join(lines), "seconds": thought.seconds + seconds}
    return thought.model_copy(update=update)


def _undone(thought: Thought, results: Sequence[ToolResult], kit: Kit) -> Update:
    """What a dead end leaves in the run: a hint for the thought that comes next."""
    pairs = zip(thought.actions, results, strict=True)
    tried = "\n".join(f"{written(call)}: {result.observation}" for call, result in pairs)
    return {"backtracked": True, "hint": say(kit.language, "dead_end", tried), "current": None}


def after_act(state: AskState) -> Literal["reflect", "think", "weigh"]:
    """A dead end goes back to thinking, unless that was the last step."""
    return "reflect" if run_of(state).current is not None else next_step(state)


@timed("agent_reflect")
async def reflect(state: AskState, step: AskStep) -> Update:
    """Stores what was found while it is judged whether that suffices, which binds.

    A model of one slot does so in its next thought, so that a step costs one call; its search is
    over where a step brought nothing new.
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
        run = closed(run, "reflection")
    before = next((each.observations for each in run.told if each.number == done.number), ())
    return {"agent": shown(counted(run), as_step(done, before), step)}


async def _judged(state: AskState, step: AskStep) -> Verdict:
    """The model's word on whether enough is known; of one slot, whether anything new was found."""
    run, known = run_of(state), state["understanding"]
    if _alone(step):
        brought = {text for result in run.results for text in result.texts}
        over = bool(run.gathered) and brought <= set(run.gathered)
        return Verdict(say(known.language, "nothing_new") if over else "", conclude=over)
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


def next_step(state: AskState) -> Literal["think", "weigh"]:
    """Another thought, unless the run has ended."""
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


@timed("agent_clarify")
async def clarify(state: AskState, step: AskStep) -> Update:
    """Waits for the person; after two questions the model is told to go on without.

    The interrupt comes before anything that counts: this node runs again when it is answered.
    """
    run, language = run_of(state), state["understanding"].language
    asked = current_of(state).actions[0].arguments.get("question", "")
    question = clipped(asked, LONGEST_QUESTION) or say(language, "what_is_meant")
    if run.clarified >= MOST_QUESTIONS:
        return {"agent": _said(run, state, say(language, "no_more_questions"), step)}
    value = {"interrupt": "clarification", "questions": [question], "found": []}
    answer = clipped(str(interrupt(value)), LONGEST_ANSWER)
    answer = "" if answer == END_COMMAND else answer
    said = say(language, "answer", answer) if answer else say(language, "no_answer")
    run = run.model_copy(update={"clarified": run.clarified + 1})
    update: Update = {"agent": _said(run, state, said, step)}
    return {**update, **await _understood(state, answer, step)} if answer else update


def _said(run: AgentRun, state: AskState, observation: str, step: AskStep) -> AgentRun:
    """The run with the question as a step, and what came of it."""
    done = current_of(state).model_copy(update={"observation": observation})
    run = run.model_copy(update={"steps": (*run.steps, done), "current": None})
    return shown(counted(run), as_step(done, [observation]), step)


async def _understood(state: AskState, answer: str, step: AskStep) -> Update:
    """The question with what the person said, understood anew; the route stays."""
    context, known = step.context, state["understanding"]
    question = f"{known.question.rstrip()} ({answer})"
    understanding = await asyncio.to_thread(
        context.understand, question, known=context.known, language=known.language
    )
    rewriting = Rewriting(
        question=question, language=known.language, because="the person was asked", by="person"
    )
    return {"understanding": understanding, "rewriting": rewriting}
