"""What is understood of the question, and the route that it takes."""

import asyncio
from typing import Final, Literal

from langgraph.runtime import Runtime

from agent.ask.models import AskOptions, Complexity, Depth, Rewriting, Route, RouteKind
from agent.ask.react.protocol import estimate_seconds
from agent.ask.state import AskState
from agent.context import Context
from agent.step import Step, Update, timed
from services.domain.notices import Notice
from services.language import query
from services.language.query.values import Understanding
from services.library.thresholds import Thresholds

MAX_AUTO_SECONDS: Final = 60.0
"""Seconds of a usual turn of the agent up to which it is chosen automatically: quick answers are
promised in seconds, and a model in the processor takes minutes to think (docs/decisions/0008)."""


@timed("understand")
async def understand(state: AskState, step: Step) -> Update:
    """Understand the complete question without a model and choose how to answer it."""
    options, model = state["options"], step.context.tasks.model
    thresholds = await asyncio.to_thread(step.context.thresholds, options.profile)
    understanding = await understand_question(state["rewriting"], thresholds, step.context)
    complexity = understanding.complexity
    return {
        "understanding": understanding,
        "complexity": Complexity(score_rules=complexity.score, **dict(complexity)),
        "route": choose_route(
            understanding,
            complexity.score,
            options,
            thresholds,
            agent_s=None if model is None else estimate_seconds(model),
        ),
    }


async def understand_question(
    rewriting: Rewriting, thresholds: Thresholds, context: Context
) -> Understanding:
    """Return what the heads tell of a complete question, and the corpus of its phrases."""
    return await asyncio.to_thread(
        query.understand,
        rewriting.question,
        known_names=context.registry.names,
        language=rewriting.language,
        reader=context.services.reader,
        lookup=lambda phrases: context.catalog.corpus.named_phrases(phrases, context.scope),
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
    """Return the route of a question.

    Questions that only the catalog or all of the corpus can answer are answered from there,
    whatever the depth. A depth that the person chose overrides the score. ``agent_s`` are the
    seconds that the agent usually takes; None without a model, and so without agent.
    """
    by_score = thresholds.depth(score)
    kind, reason = _route_kind(understanding)
    if kind != "search":
        return Route(way=kind, depth="fast", by_score=by_score, reason=reason)
    depth: Depth = options.depth if options.depth != "auto" else by_score
    reason = Notice.of("chosen by the user")
    if options.depth == "auto":
        bound = (thresholds.agent if depth == "agent" else thresholds.fast).value
        reason = (
            Notice.of("score {score:.3f} is below {bound:.2f}", score=score, bound=bound)
            if depth == "fast"
            else Notice.of("score {score:.3f} is {bound:.2f} or more", score=score, bound=bound)
        )
    deeper: tuple[Depth, ...] = ()
    if depth == "agent" and agent_s is None:
        depth, deeper = "enhanced", ("structured",)
        reason = Notice.of(
            "{reason}; the agent needs a language model and none is in use, so the depth "
            "“enhanced” was used instead",
            reason=reason,
        )
    elif depth == "agent" and options.depth == "auto" and agent_s and agent_s > MAX_AUTO_SECONDS:
        depth, deeper = "enhanced", ("structured", "agent")
        reason = Notice.of(
            "{reason}; the agent usually takes about {seconds:.0f} s with this model, so the "
            "depth “enhanced” was used instead",
            reason=reason,
            seconds=round(agent_s, -1),
        )
    return Route(way=kind, depth=depth, by_score=by_score, reason=reason, deeper=deeper)


def looked_again(route: Route) -> Route:
    """Return the route of an answer after a second look, which makes a quick one ``enhanced``."""
    if route.depth != "fast":
        return route
    reason = Notice.of(
        "{reason}; the first look left something open, so a second one followed",
        reason=route.reason,
    )
    return route.model_copy(update={"depth": "enhanced", "reason": reason})


def _route_kind(understanding: Understanding) -> tuple[RouteKind, Notice]:
    if understanding.about_database:
        return "catalog", Notice.of(
            "the question is about the documents themselves, so it is answered from the catalog"
        )
    count = understanding.scan
    if count is not None and count.sure and count.term is not None:
        return "scan", Notice.of(
            "every occurrence of {term!r} must be counted, so all texts are scanned",
            term=count.term,
        )
    return "search", Notice(message="")


def after_understanding(
    state: AskState,
) -> Literal["answer_from_catalog", "scan_corpus", "recall", "decompose"]:
    """Go to the first node of the route."""
    route = state["route"]
    if route.depth == "structured":
        return "decompose"
    if route.way == "search":
        return "recall"
    return "answer_from_catalog" if route.way == "catalog" else "scan_corpus"


def has_reader(state: AskState, runtime: Runtime[Context]) -> bool:
    """Say whether there is a model that reads."""
    return state.get("reads", False) and runtime.context.tasks.model is not None


def after_decomposition(
    state: AskState, runtime: Runtime[Context]
) -> Literal["quote_pieces", "read_pieces"]:
    """Go to the reading of each piece, or to its quotes where no model reads."""
    return "read_pieces" if has_reader(state, runtime) else "quote_pieces"
