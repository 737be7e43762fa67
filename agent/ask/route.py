"""What is known of the question, whether its answer is, and the route that it takes."""

import asyncio
from typing import Final, Literal

from langgraph.runtime import Runtime

from agent.ask.memory import recalled
from agent.ask.models import AskOptions, Complexity, Depth, Rewriting, Route, RouteKind
from agent.ask.react.memory import estimate_s
from agent.ask.state import AskState
from agent.ask.step import timed
from agent.context import Context
from agent.step import Step, Update
from services.domain.notices import Notice
from services.language import query
from services.language.query.values import Understanding
from services.library.thresholds import Thresholds

LONGEST_UNASKED_S: Final = 60.0
"""Seconds of a usual turn of the agent up to which it is chosen unasked: quick answers are promised
in seconds, and a model in the processor takes minutes to think (docs/decisions/0008)."""


@timed("understand")
async def understand(state: AskState, step: Step) -> Update:
    """Understands the complete question without a model and chooses how to answer it."""
    options, model = state["options"], step.context.tasks.model
    thresholds = await asyncio.to_thread(step.context.thresholds, options.profile)
    understanding = await understood(state["rewriting"], thresholds, step.context)
    judged = understanding.complexity
    return {
        "understanding": understanding,
        "complexity": Complexity(score_rules=judged.score, **dict(judged)),
        "route": choose_route(
            understanding,
            judged.score,
            options,
            thresholds,
            agent_s=None if model is None else estimate_s(model),
        ),
    }


async def understood(
    rewriting: Rewriting, thresholds: Thresholds, context: Context
) -> Understanding:
    """A complete question as the heads and what the corpus knows of its phrases tell it."""
    return await asyncio.to_thread(
        query.understand,
        rewriting.question,
        known_names=context.registry.names,
        language=rewriting.language,
        reader=context.services.reader,
        lookup=lambda phrases: context.catalog.corpus.known(phrases, context.scope),
        enhanced=thresholds.fast.value,
        agent=thresholds.agent.value,
    )


def choose_route(
    understanding: Understanding,
    score: float,
    options: AskOptions,
    thresholds: Thresholds,
    *,
    agent_s: float | None,
) -> Route:
    """The way and depth of a question.

    A choice of the person counts before the score; what only the catalog or all of the corpus can
    tell is answered from there whatever the depth. ``score`` is the complexity, 0-1; ``agent_s``
    are the seconds that the agent usually takes, None without a model, and so without agent.
    """
    by_score = thresholds.depth(score)
    way, reason = _route_kind(understanding)
    if way != "search":
        return Route(way=way, depth="fast", by_score=by_score, reason=reason)
    depth: Depth = options.depth if options.depth != "auto" else by_score
    reason = Notice.of("chosen by the person who asks")
    if options.depth == "auto":
        bound = (thresholds.agent if depth == "agent" else thresholds.fast).value
        reason = (
            Notice.of("score {score:.3f} is below {bound:.2f}", score=score, bound=bound)
            if depth == "fast"
            else Notice.of("score {score:.3f} is from {bound:.2f} up", score=score, bound=bound)
        )
    deeper: tuple[Depth, ...] = ()
    if depth == "agent" and agent_s is None:
        depth, deeper = "enhanced", ("structured",)
        reason = Notice.of(
            "{reason}; the agent needs a language model to think, and none is in use: "
            "enhanced instead",
            reason=reason,
        )
    elif depth == "agent" and options.depth == "auto" and agent_s and agent_s > LONGEST_UNASKED_S:
        depth, deeper = "enhanced", ("structured", "agent")
        reason = Notice.of(
            "{reason}; the agent usually takes about {seconds:.0f} s with this model: "
            "enhanced instead",
            reason=reason,
            seconds=round(agent_s, -1),
        )
    return Route(way=way, depth=depth, by_score=by_score, reason=reason, deeper=deeper)


def _route_kind(understanding: Understanding) -> tuple[RouteKind, Notice]:
    if understanding.about_database:
        return "catalog", Notice.of(
            "the question is about the documents themselves, the catalog knows"
        )
    wish = understanding.scan
    if wish is not None and wish.sure and wish.term is not None:
        return "scan", Notice.of(
            "every place of {term!r} counts, so all texts are read", term=wish.term
        )
    return "search", Notice(message="")


def after_understanding(
    state: AskState,
) -> Literal["answer_from_catalog", "scan_corpus", "recall", "decompose"]:
    """The node that the way begins with."""
    route = state["route"]
    if route.depth == "structured":
        return "decompose"
    if route.way == "search":
        return "recall"
    return "answer_from_catalog" if route.way == "catalog" else "scan_corpus"


@timed("recall")
async def recall(state: AskState, step: Step) -> Update:
    """Looks for an answer to the same question; without the parameter it looks nowhere."""
    if not state["options"].answer_cache:
        return {"recalled": False}
    found = await asyncio.to_thread(recalled, state, step.context)
    if found is None:
        return {"recalled": False}
    return {"recalled": True, "reply": found[0], "found": found[1]}


def may_be_recalled(route: Route) -> bool:
    """Whether answers of this route are kept; of structured ones too much would be lost."""
    return route.way == "search" and route.depth != "structured"


def after_recall(
    state: AskState, runtime: Runtime[Context]
) -> Literal["retrieve", "think", "read_answer", "finish_turn"]:
    """The agent and a model that reads look for themselves."""
    if state["recalled"]:
        return "finish_turn"
    if state["route"].depth == "agent":
        return "think"
    return "read_answer" if has_reader(state, runtime) else "retrieve"


def has_reader(state: AskState, runtime: Runtime[Context]) -> bool:
    """Whether there is a model that reads."""
    return state.get("reads", False) and runtime.context.tasks.model is not None


def after_search(state: AskState) -> Literal["write_answer", "refuse"]:
    """Where no model reads, what was found is quoted."""
    return "write_answer" if state["evidence"] else "refuse"


def after_decomposition(
    state: AskState, runtime: Runtime[Context]
) -> Literal["gather", "read_pieces"]:
    """Each piece of the question is read for, or all of them are searched for."""
    return "read_pieces" if has_reader(state, runtime) else "gather"
