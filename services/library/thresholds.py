"""The two thresholds between the depths of quick answers, which votes move a little.

A vote counts for a threshold if the rules chose the depth below it, the answer was given at that
depth, and its score was near.
"""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from services.domain.value import Value

Depth = Literal["fast", "enhanced", "agent"]
Boundary = Literal["fast", "agent"]
ThresholdOrigin = Literal["default", "votes", "held", "set", "locked"]
"""``held`` means locked for the collection; the configuration has ``set`` or ``locked`` others."""

FAST: Final = 35
AGENT: Final = 55
"""In hundredths: scores below the first are answered fast, from the second on by the agent."""
REACH: Final = 10
"""The distance within which a score counts for a threshold, and the most that votes move it."""
WEIGHT_A_STEP: Final = 10
DOWN_WEIGHT: Final = 2
"""A bad answer weighs as much as two good ones: a threshold rises, which saves work, only where
more than two of three votes are good."""
GAP: Final = 5

_DEFAULTS: Final[dict[Boundary, int]] = {"fast": FAST, "agent": AGENT}
_BELOW: Final[dict[Boundary, Depth]] = {"fast": "fast", "agent": "enhanced"}
_TINY: Final = 1e-9


class Vote(Value):
    """A vote on an answer: ``route`` is its depth by the score, ``depth`` the one taken."""

    up: bool
    route: Depth
    depth: Depth | Literal["structured"]
    score: float


class VoteInfo(Vote):
    """A stored vote; ``at`` is ISO 8601 in UTC."""

    thread_id: str
    turn: int
    user: str
    text: str
    at: str


class Threshold(Value):
    """A threshold (0-1) with the reason for its value and the numbers of votes that count."""

    value: float
    default: float
    origin: ThresholdOrigin
    ups: int = 0
    downs: int = 0
    why: str

    @property
    def hundredths(self) -> int:
        return round(self.value * 100)


class Thresholds(Value):
    """Both thresholds: scores below ``fast`` are answered fast, from ``agent`` on by the agent."""

    fast: Threshold
    agent: Threshold

    def depth(self, score: float) -> Depth:
        """Return the depth for a score; rounding errors do not keep it below a threshold."""
        if score + _TINY >= self.agent.value:
            return "agent"
        return "enhanced" if score + _TINY >= self.fast.value else "fast"


def adapted(votes: Iterable[Vote]) -> Thresholds:
    """Return the thresholds that follow from votes, in whatever order.

    Each ``WEIGHT_A_STEP`` votes for or against, a bad answer counting ``DOWN_WEIGHT`` times, move a
    threshold by 0.01, at most by 0.10. Bad answers lower it, so that similar questions get more
    depth.
    """
    votes = list(votes)
    fast, agent = (_adapted(boundary, votes) for boundary in ("fast", "agent"))
    return in_order(fast, agent)


def in_order(fast: Threshold, agent: Threshold) -> Thresholds:
    """Combine thresholds, the first at least 0.05 below the second unless people set them so."""
    chosen = "set" in (fast.origin, agent.origin) or "locked" in (fast.origin, agent.origin)
    most = agent.hundredths - (0 if chosen else GAP)
    if fast.hundredths > most:
        why = f"{fast.why}; kept below the threshold of the agent"
        fast = fast.model_copy(update={"value": max(most, 0) / 100, "why": why})
    return Thresholds(fast=fast, agent=agent)


def lowest(several: Sequence[Thresholds]) -> Thresholds:
    """Return the lowest thresholds of several collections, the defaults if there are none."""
    if not several:
        return adapted(())
    return in_order(
        min((thresholds.fast for thresholds in several), key=lambda fast: fast.hundredths),
        min((thresholds.agent for thresholds in several), key=lambda agent: agent.hundredths),
    )


def fixed_threshold(
    boundary: Boundary, value: float, origin: ThresholdOrigin, why: str
) -> Threshold:
    return Threshold(value=value, default=_DEFAULTS[boundary] / 100, origin=origin, why=why)


def _adapted(boundary: Boundary, votes: Sequence[Vote]) -> Threshold:
    near = [vote.up for vote in votes if _counts_for(boundary, vote)]
    ups, downs = near.count(True), near.count(False)
    steps = int((ups - DOWN_WEIGHT * downs) / WEIGHT_A_STEP)  # towards zero
    shift = max(-REACH, min(REACH, steps))
    value, why = (_DEFAULTS[boundary] + shift) / 100, _why(ups, downs, shift)
    threshold = fixed_threshold(boundary, value, "votes" if shift else "default", why)
    return threshold.model_copy(update={"ups": ups, "downs": downs})


def _counts_for(boundary: Boundary, vote: Vote) -> bool:
    distance = abs(vote.score * 100 - _DEFAULTS[boundary])
    return vote.route == vote.depth == _BELOW[boundary] and distance <= REACH + _TINY


def _why(ups: int, downs: int, shift: int) -> str:
    if not ups + downs:
        return "the default: no votes on answers near it"
    votes = f"{ups} good and {downs} bad answers near it"
    if not shift:
        return f"the default: {votes} are too few or too even to move it"
    direction = "lowered" if shift < 0 else "raised"
    most = ", the most that votes can" if abs(shift) == REACH else ""
    return f"{direction} by {abs(shift) / 100:.2f}{most}: {votes}"
