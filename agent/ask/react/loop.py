"""The loop as nodes of the graph: think, act, observe and reflect, ask the person, conclude."""

import asyncio
import time
from collections.abc import Sequence
from typing import Final, Literal

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from agent.ask.models import Reply, Rewriting
from agent.ask.quotes import quote_findings, rank_subquestions
from agent.ask.react import protocol, tools
from agent.ask.react.values import MAX_STEPS, AgentRun, Thought, ToolCall, ToolResult
from agent.ask.retrieve import emit_start, record_results, restrict
from agent.ask.route import has_reader, understand_question
from agent.ask.state import AskState
from agent.context import Context
from agent.prompts import say
from agent.prompts.ask import Reflect, ReflectInput, ThinkAndDecide, ThinkInput
from agent.step import Step, TurnStep, Update, timed
from services.domain import Evidence
from services.domain.events import AgentStart, AgentStep, AnswerGiven
from services.domain.notices import Notice
from services.language.text.words import addresses
from services.models.base import takes_one_call

MAX_QUESTIONS: Final = 2
MAX_QUESTION_LENGTH: Final = 400
MAX_ANSWER_LENGTH: Final = 1_000
END_COMMAND: Final = "/end"
NO_TOOL: Final = Notice.of(
    "{step}: {reason}",
    step="agent_think",
    reason=Notice.of(
        "the model chose no tool, so only the question and its parts were searched for"
    ),
)


def run_of(state: AskState) -> AgentRun:
    """Return the run of the agent, which has begun."""
    run = state.get("agent")
    if run is None:
        raise ValueError("the agent has not begun to think")
    return run


def record_step(
    run: AgentRun,
    thought: Thought,
    step: Step,
    observations: Sequence[str] = (),
    *,
    discarded: bool = False,
) -> AgentRun:
    """Emit a step as far as it has come, and keep it for the answer."""
    event = AgentStep(
        **thought.model_dump(include={"number", "thought", "reflection"}),
        actions=thought.actions,
        observations=tuple(
            protocol.shorten(text, protocol.MAX_OBSERVATION) for text in observations
        ),
        seconds=round(thought.seconds, 2),
        discarded=discarded,
    )
    step.emit(event)
    others = (other for other in run.told if other.number != event.number)
    return run.changed(told=(*others, event))


@timed("agent_think")
async def think(state: AskState, step: Step) -> Update:
    """Ask the model for one thought and what it decides to do."""
    run = state.get("agent") or await _begin(state, step)
    if run.ended or not tools.CallBudget(state).take():
        return {"agent": run.closed("calls")}
    began, understanding = time.monotonic(), state["understanding"]
    inp = ThinkInput(
        question=understanding.question,
        language=understanding.language,
        tools=await asyncio.to_thread(tools.offered_tools, step.context),
        history=protocol.trimmed_history(run.steps),
        hint=run.hint,
        fold=takes_one_call(step.context.tasks.model),
        last=run.count + 1 == MAX_STEPS,
    )
    text = await step.run(ThinkAndDecide(step.context.agent_temperature), inp)
    if reason := step.usage[-1].fallback:
        return _answer_fast(state, run, reason, step)
    decision = protocol.parse_decision(text)
    thought = Thought(
        number=run.count + 1,
        thought=decision.thought,
        actions=_new_actions(decision.actions, run),
        seconds=time.monotonic() - began,
    )
    run = run.changed(count=thought.number, current=thought, hint="")
    if not thought.actions:
        run = run.closed("circle" if decision.actions else "no_action")
    elif thought.actions[0].tool == "final_answer":
        run = run.closed("answer")
    return {"agent": record_step(run, thought, step)}


def _new_actions(actions: Sequence[ToolCall], run: AgentRun) -> tuple[ToolCall, ...]:
    """Return the actions that were not carried out before; a synthesis may be repeated."""
    done = [call for step in run.told for call in step.actions]
    return tuple(
        call
        for n, call in enumerate(actions)
        if protocol.is_terminal(call)
        or call.tool == "synthesize"
        or call not in (*done, *actions[:n])
    )


async def _begin(state: AskState, step: Step) -> AgentRun:
    """Emit how long the agent may take; a slow model does not think where nothing is near."""
    understanding, model = state["understanding"], step.context.tasks.model
    emit_start(state, step)
    await asyncio.to_thread(restrict, understanding, step)
    run = AgentRun()
    is_ambiguous = state["complexity"].level == "ambiguous"  # and may be asked back instead
    if takes_one_call(model) and not is_ambiguous:
        rankings = await tools.search_subquestions(state, step)
        if not any(ranking.near for ranking in rankings):
            return run.closed("nothing")
    if model is not None:
        step.emit(
            AgentStart(
                usual_s=protocol.estimate_seconds(model),
                longest_s=protocol.estimate_seconds(model, MAX_STEPS),
                most_steps=MAX_STEPS,
                tools=await asyncio.to_thread(tools.offered_tools, step.context),
            )
        )
    return run


def _answer_fast(state: AskState, run: AgentRun, reason: Notice, step: Step) -> Update:
    """Send the question to the fast route, and say so in the answer."""
    notice = Notice.of(
        "the agent failed, so the depth “fast” was used instead"
    )  # why is said of all that failed
    step.warn(notice)
    route = state["route"].model_copy(update={"depth": "fast", "reason": notice})
    return {"agent": run.changed(failed=str(reason)), "route": route}


def after_think(
    state: AskState, runtime: Runtime[Context]
) -> Literal["act", "clarify", "retrieve", "read_gathered", "conclude"]:
    """Go to the tools, to the person, to the end; or the fast way where thinking failed."""
    run = run_of(state)
    if run.failed:
        return "retrieve"
    if run.ended:
        return _ending(state, runtime)
    return "clarify" if protocol.is_terminal(run.under_way.actions[0]) else "act"


@timed("agent_act")
async def act(state: AskState, step: Step) -> Update:
    """Carry out one action, or two side by side; undo a first dead end and tell the next
    thought."""
    run, began = run_of(state), time.monotonic()
    thought, toolkit = run.under_way, await tools.make_toolkit(state, step)
    results = await asyncio.gather(*(tools.call_tool(call, toolkit) for call in thought.actions))
    observed = _observe(thought, results, time.monotonic() - began)
    observations = [result.observation for result in results]
    run = run.changed(parallel_steps=run.parallel_steps + (len(results) > 1))
    if not run.backtracked and all(map(tools.is_dead_end, thought.actions, results)):
        pairs = zip(thought.actions, observations, strict=True)
        tried = "\n".join(
            f"{protocol.format_call(call)}: {observation}" for call, observation in pairs
        )
        hint = say(toolkit.language, "dead_end", tried)
        run = run.changed(backtracked=True, hint=hint, current=None).counted()
        return {"agent": record_step(run, observed, step, observations, discarded=True)}
    run = run.changed(steps=(*run.steps, observed), current=observed, results=tuple(results))
    return {"agent": record_step(run, observed, step, observations)}


def _observe(thought: Thought, results: Sequence[ToolResult], seconds: float) -> Thought:
    lines = [
        f"[{call.tool}] {result.observation}" if len(results) > 1 else result.observation
        for call, result in zip(thought.actions, results, strict=True)
    ]
    update = {"observation": "\n".join(lines), "seconds": thought.seconds + seconds}
    return thought.model_copy(update=update)


def after_act(
    state: AskState, runtime: Runtime[Context]
) -> Literal["reflect", "think", "read_gathered", "conclude"]:
    """Reflect; after a dead end think again, unless that was the last step."""
    return "reflect" if run_of(state).current is not None else next_step(state, runtime)


@timed("agent_reflect")
async def reflect(state: AskState, step: Step) -> Update:
    """Store what was found once it is judged whether that suffices, which binds.

    A model of one slot does so in its next thought, so that a step costs one call.
    """
    run, began = run_of(state), time.monotonic()
    verdict = await _judge(state, step)
    seconds = run.under_way.seconds + time.monotonic() - began
    update = {"reflection": verdict.text, "seconds": seconds}
    thought = run.under_way.model_copy(update=update)
    run = run.stored().changed(steps=(*run.steps[:-1], thought), current=None)
    run = run.closed("reflection") if verdict.conclude else run
    before = next((s.observations for s in run.told if s.number == thought.number), ())
    return {"agent": record_step(run.counted(), thought, step, before)}


async def _judge(state: AskState, step: Step) -> protocol.Reflection:
    """Ask the model whether enough is known; of one slot, check whether anything new was found."""
    run, understanding = run_of(state), state["understanding"]
    if takes_one_call(step.context.tasks.model):
        texts = {text for result in run.results for text in result.texts}
        is_over = bool(run.gathered) and texts <= set(run.gathered)
        reason = say(understanding.language, "nothing_new") if is_over else ""
        return protocol.Reflection(reason, conclude=is_over)
    if not tools.CallBudget(state).take():
        return protocol.Reflection("", conclude=False)
    reads = state.get("reads", False)
    inp = ReflectInput(
        question=understanding.question,
        language=understanding.language,
        history=protocol.trimmed_history(run.steps[:-1]),
        gathered=protocol.gathered_text(run.gathered, reads=reads),
        observation=protocol.observation_text(run.under_way.observation, reads=reads),
    )
    return protocol.parse_verdict(await step.run(Reflect(step.context.agent_temperature), inp))


def next_step(
    state: AskState, runtime: Runtime[Context]
) -> Literal["think", "read_gathered", "conclude"]:
    """Think again, unless the run has ended."""
    return _ending(state, runtime) if run_of(state).ended else "think"


def _ending(state: AskState, runtime: Runtime[Context]) -> Literal["read_gathered", "conclude"]:
    return "read_gathered" if has_reader(state, runtime) else "conclude"


@timed("agent_clarify")
async def clarify(state: AskState, step: Step) -> Update:
    """Wait for the person; after two questions the model is told to go on without.

    The node runs again from its start once there is an answer.
    """
    run, language = run_of(state), state["understanding"].language
    is_asking, answer = run.clarified < MAX_QUESTIONS, ""
    if is_asking:
        wording = run.under_way.actions[0].arguments.get("question", "")
        question = protocol.shorten(wording, MAX_QUESTION_LENGTH)
        if not question or addresses(question):  # a document may have it send the person somewhere
            question = say(language, "what_is_meant")
        request = {"interrupt": "clarification", "questions": [question], "found": []}
        answer = protocol.shorten(str(interrupt(request)), MAX_ANSWER_LENGTH)
        step.emit(AnswerGiven(iteration=run.clarified, text=answer))  # for a trace of the thread
        answer = "" if answer.casefold() == END_COMMAND else answer
    observation = say(language, "no_answer" if is_asking else "no_more_questions")
    if answer:
        observation = say(language, "answer", answer)
    thought = run.under_way.model_copy(update={"observation": observation})
    run = run.changed(
        steps=(*run.steps, thought), current=None, clarified=run.clarified + is_asking
    ).counted()
    update: Update = {"agent": record_step(run, thought, step, [observation])}
    return {**update, **await _with_answer(state, answer, step)} if answer else update


async def _with_answer(state: AskState, answer: str, step: Step) -> Update:
    """Understand the question anew, with the answer of the person; the route stays."""
    before = state["understanding"]
    rewriting = Rewriting(
        question=f"{before.question.rstrip()} ({answer})",
        language=before.language,
        because="the person was asked",
        by="person",
    )
    profile = state["options"].profile
    thresholds = await asyncio.to_thread(step.context.thresholds, profile)
    understanding = await understand_question(rewriting, thresholds, step.context)
    return {"understanding": understanding, "rewriting": rewriting}


@timed("answer")
async def conclude(state: AskState, step: TurnStep) -> Update:
    """Quote what comes closest to each part of the question, beside the facts of the catalog."""
    run = run_of(state)
    with step.measure("agent_weigh"):
        rankings = await tools.search_subquestions(state, step)
        evidence = _merge_evidence(run, rankings)
        queries = [state["understanding"].question, *(search.query for search in run.searches)]
        result = rankings[0].result
        update = record_results(
            dict.fromkeys(queries), result.hits, [result], step, entries=evidence
        )
        state = {**state, "evidence": evidence, "found": update["found"]}
        findings = await asyncio.to_thread(rank_subquestions, state, step.context)
    if run.facts and not findings.subquestions:
        return {**update, "reply": Reply(opening=run.facts)}
    reply = await quote_findings(findings, state, step)
    return {**update, "reply": add_loop_results(reply, run)}


def _merge_evidence(run: AgentRun, rankings: Sequence[tools.SearchRanking]) -> list[Evidence]:
    """Join what the agent found with the search for the question, each passage once."""
    entries = [entry for ranking in rankings for entry in ranking.evidence]
    best: dict[str, Evidence] = {}
    for entry in sorted((*entries, *run.evidence), key=lambda e: (e.rank, -e.score, e.chunk_id)):
        best.setdefault(entry.chunk_id, entry)
    return list(best.values())


def add_loop_results(reply: Reply, run: AgentRun) -> Reply:
    """Put the catalog's facts before the reply, and name what the loop did not do."""
    opening = "\n\n".join(filter(None, (run.facts, reply.opening)))
    idle = (NO_TOOL,) if run.ended == "no_action" and not run.steps else ()
    return reply.model_copy(update={"opening": opening, "degraded": (*idle, *reply.degraded)})
