"""What is known of the question, and the way that it takes."""

import asyncio
from typing import Final

from agent.ask.context import AskContext
from agent.ask.models import AskOptions, Complexity, Depth, Route, Way
from agent.ask.refusal import too_far
from agent.ask.state import AskState
from agent.ask.step import AskStep, timed
from agent.step import Update
from services.query.values import Understanding
from services.thresholds import Thresholds

NO_MODEL = "the agent needs a language model to think, and none is in use: enhanced instead"

MOST_RAISED: Final = 0.1
"""The most that a second opinion adds to a score: two keywords' worth."""


@timed("understand")
async def understand(state: AskState, step: AskStep) -> Update:
    """Understands the complete question without a model and chooses how to answer it."""
    context, rewriting, options = step.context, state["rewriting"], state["options"]
    thresholds = await asyncio.to_thread(context.thresholds, options.profile)
    known = context.understand(
        rewriting.question,
        known=context.known,
        language=rewriting.language,
        enhanced=thresholds.fast.value,
        agent=thresholds.agent.value,
    )
    complexity = await _judged(known, options, thresholds, context)
    return {
        "understanding": known,
        "complexity": complexity,
        "route": choose_route(
            known,
            complexity.score,
            options,
            thresholds,
            thinks=context.tasks.model is not None,
        ),
    }


async def _judged(
    known: Understanding, options: AskOptions, thresholds: Thresholds, context: AskContext
) -> Complexity:
    """The score of the rules, raised by the second opinion where that may change the depth."""
    rules = raised = known.complexity
    open_ = options.depth == "auto" and _way(known)[0] == "search"
    if open_ and thresholds.depth(rules.score + MOST_RAISED) != thresholds.depth(rules.score):
        bounds = {"enhanced": thresholds.fast.value, "agent": thresholds.agent.value}
        opinion = await asyncio.to_thread(context.opinion, known, **bounds)
        raised = opinion.complexity
    return Complexity(
        score_rules=rules.score,
        score=raised.score,
        level=raised.level,
        factors=raised.factors,
        reasons=raised.reasons,
    )


def choose_route(
    known: Understanding,
    score: float,
    options: AskOptions,
    thresholds: Thresholds,
    *,
    thinks: bool,
) -> Route:
    """The way and depth of a question; without a model that ``thinks`` there is no agent.

    A choice of the person counts before the score; what only the catalog or all of the corpus can
    tell is answered from there whatever the depth.
    """
    wanted = thresholds.depth(score)
    depth: Depth = wanted
    bounds = thresholds.fast, thresholds.agent
    reason = {
        "fast": f"score {score:.3f} is below {bounds[0].value:.2f}",
        "enhanced": f"score {score:.3f} is from {bounds[0].value:.2f} up",
        "agent": f"score {score:.3f} is from {bounds[1].value:.2f} up",
    }[wanted]
    if options.depth != "auto":
        depth, reason = options.depth, "chosen by the person who asks"
    if depth == "agent" and not thinks:
        depth, reason = "enhanced", f"{reason}; {NO_MODEL}"
    way, other = _way(known)
    if way != "search":
        depth, reason = "fast", other
    return Route(way=way, depth=depth, by_score=wanted, reason=reason)


def _way(known: Understanding) -> tuple[Way, str]:
    if known.about_database:
        return "catalog", "the question is about the documents themselves, the catalog knows"
    if known.scan is not None and known.scan.term is not None:
        return "scan", f"every place of {known.scan.term!r} counts, so all texts are read"
    return "search", ""


def after_understanding(state: AskState) -> str:
    """The node that the way begins with."""
    ways = {"catalog": "answer_from_catalog", "scan": "scan_corpus", "search": "recall"}
    depths = {"structured": "decompose"}
    route = state["route"]
    return depths.get(route.depth, ways[route.way])


def after_search(state: AskState) -> str:
    """Refuses where nothing that was found is near enough to the question."""
    found, language = state["found"], state["understanding"].language
    return "refuse" if found is None or too_far(found, language) else "write_answer"
