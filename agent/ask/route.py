"""What is known of the question, and the way that it takes."""

from agent.ask.context import Thresholds
from agent.ask.models import AskOptions, Complexity, Depth, Route
from agent.ask.refusal import too_far
from agent.ask.state import AskState
from agent.ask.step import AskStep, timed
from agent.step import Update
from services.query.values import ComplexityScore, Understanding

AGENT_MISSING = "a question for the agent, which this version does not have: enhanced instead"


@timed("understand")
async def understand(state: AskState, step: AskStep) -> Update:
    """Understands the complete question without a model and chooses how to answer it."""
    context = step.context
    known = context.understand(state["rewriting"].question, known=context.known)
    complexity = as_complexity(known.complexity)
    return {
        "understanding": known,
        "complexity": complexity,
        "route": choose_route(known, complexity.score, state["options"], context.thresholds),
    }


def as_complexity(rules: ComplexityScore) -> Complexity:
    """The score as routing goes by it."""
    fields = rules.model_dump(exclude={"score", "factors"})
    return Complexity(score_rules=rules.score, score=rules.score, factors=rules.factors, **fields)


def choose_route(
    known: Understanding, score: float, options: AskOptions, thresholds: Thresholds
) -> Route:
    """The way and depth of a question.

    A choice of the person counts before the score; what only the catalog or all of the corpus can
    tell is answered from there whatever the depth.
    """
    depth, reason = _depth(score, options, thresholds)
    return Route(way="search", depth=depth, reason=reason)


def _depth(score: float, options: AskOptions, thresholds: Thresholds) -> tuple[Depth, str]:
    if options.depth != "auto":
        return options.depth, "chosen by the person who asks"
    if score < thresholds.enhanced:
        return "fast", f"score {score:.3f} is below {thresholds.enhanced:.2f}"
    if score < thresholds.agent:
        return "enhanced", f"score {score:.3f} is from {thresholds.enhanced:.2f} up"
    return "enhanced", f"score {score:.3f} is from {thresholds.agent:.2f} up, {AGENT_MISSING}"


def after_search(state: AskState) -> str:
    """Refuses where nothing that was found is near enough to the question."""
    found = state["found"]
    return "refuse" if found is None or too_far(found) else "write_answer"
