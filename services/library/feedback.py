"""What people think of answers, and the thresholds that follow from it."""

from collections.abc import Sequence

from services.catalog import Catalog
from services.catalog.feedback import Routing
from services.domain import Principal, Scope
from services.domain.errors import InvalidInput
from services.library.configuration import Configuration, EffectiveParameter
from services.library.thresholds import (
    Boundary,
    Threshold,
    ThresholdOrigin,
    Thresholds,
    Vote,
    VoteInfo,
    adapted,
    fixed_threshold,
    in_order,
    lowest,
)

TEXT_LENGTH = 2000


class Feedback:
    """Votes and thresholds for a principal; needs the catalog alone."""

    def __init__(self, catalog: Catalog, configuration: Configuration) -> None:
        self._catalog = catalog
        self._configuration = configuration

    def vote(
        self,
        principal: Principal,
        thread_id: str,
        turn: int,
        vote: Vote,
        *,
        collections: Sequence[str],
        text: str = "",
    ) -> VoteInfo:
        """Record what somebody thinks of an answer; a later vote on it replaces the earlier one.

        ``turn`` tells which answer, as the report of the thread counts them; ``collections`` are
        ids of those that were searched.

        Raises:
            NotFound: there is no such thread that the principal may see.
            InvalidInput: the turn is negative, or the text too long.
        """
        self._catalog.runs.get(principal, thread_id)
        if turn < 0:
            raise InvalidInput("There is no turn {turn}. Name one from 0 on.", turn=turn)
        if len(text) > TEXT_LENGTH:
            raise InvalidInput(
                "A word on an answer has at most {most} characters, not {length}. Shorten it.",
                most=TEXT_LENGTH,
                length=len(text),
            )
        return self._catalog.feedback.put(
            thread_id, turn, principal.user, vote, text.strip(), collections
        )

    def votes(self, principal: Principal, thread_id: str) -> list[VoteInfo]:
        """The principal's votes in a thread, an admin's those of all; raises as ``vote``."""
        self._catalog.runs.get(principal, thread_id)
        return self._catalog.feedback.of_thread(principal, thread_id)

    def thresholds(
        self, principal: Principal, scope: Scope, profile: str | None = None
    ) -> Thresholds:
        """The thresholds for a question over a scope; raises NotFound for an unknown profile.

        A threshold that the configuration sets or locks holds. Otherwise votes move it, unless
        ``adaptiveThresholds`` is off.
        """
        effective = self._configuration.effective(principal, profile)
        routing = self._catalog.feedback.routing(scope.collections)
        moved = lowest([_moved(each) for each in routing.values()])
        if not effective.values().adaptive_thresholds:
            why = "the default: adaptation is switched off"
            moved = _fixed(moved.fast.default, moved.agent.default, "default", why)
        return in_order(
            _decided("fast", effective["fastThreshold"], moved.fast),
            _decided("agent", effective["agentThreshold"], moved.agent),
        )

    def of_collection(self, collection_id: str) -> Thresholds:
        """The thresholds of one collection, configuration apart."""
        return _moved(self._catalog.feedback.routing([collection_id])[collection_id])

    def lock(self, principal: Principal, collection: str, locked: bool = True) -> Thresholds:
        """Hold the thresholds of a collection as they are now, or let votes move them again.

        Raises:
            NotFound: there is no such collection that the principal may read.
            InvalidInput: the principal may not change it.
        """
        place = self._catalog.collections.changeable(principal, collection).collection_id
        now = self.of_collection(place)
        held = (now.fast.hundredths, now.agent.hundredths) if locked else (None, None)
        self._catalog.feedback.hold(place, *held)
        return self.of_collection(place)

    def reset(self, principal: Principal, collection: str) -> Thresholds:
        """Put the thresholds of a collection back: only later votes count; raises as ``lock``."""
        place = self._catalog.collections.changeable(principal, collection).collection_id
        self._catalog.feedback.reset(place)
        return self.of_collection(place)


def _moved(routing: Routing) -> Thresholds:
    if routing.fast is None or routing.agent is None:
        return adapted(routing.votes)
    why = "locked for this collection"
    return _fixed(routing.fast / 100, routing.agent / 100, "held", why)


def _fixed(fast: float, agent: float, origin: ThresholdOrigin, why: str) -> Thresholds:
    return Thresholds(
        fast=fixed_threshold("fast", fast, origin, why),
        agent=fixed_threshold("agent", agent, origin, why),
    )


def _decided(boundary: Boundary, parameter: EffectiveParameter, moved: Threshold) -> Threshold:
    if parameter.origin == "default" or not isinstance(parameter.value, int | float):
        return moved
    if parameter.locked:
        return fixed_threshold(boundary, float(parameter.value), "locked", "locked by an admin")
    why = "set globally" if parameter.origin == "global" else "set in the profile"
    return fixed_threshold(boundary, float(parameter.value), "set", why)
