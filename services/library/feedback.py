"""Votes on answers, and the thresholds that follow from them, for a principal."""

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
        """Record a person's vote on an answer (``turn`` from 0), replacing an earlier one.

        ``collections`` are the ids of those that were searched. Raises NotFound or InvalidInput.
        """
        self._catalog.runs.get(principal, thread_id)
        if turn < 0:
            raise InvalidInput("There is no answer {turn}. Answers are numbered from 0.", turn=turn)
        if len(text) > TEXT_LENGTH:
            raise InvalidInput(
                "A comment can have at most {most} characters, not {length}. Shorten it.",
                most=TEXT_LENGTH,
                length=len(text),
            )
        return self._catalog.feedback.put(
            thread_id, turn, principal.user, vote, text.strip(), collections
        )

    def votes(self, principal: Principal, thread_id: str) -> list[VoteInfo]:
        """Return the principal's votes in a thread, for an admin those of all; see ``vote``."""
        self._catalog.runs.get(principal, thread_id)
        return self._catalog.feedback.of_thread(principal, thread_id)

    def thresholds(
        self, principal: Principal, scope: Scope, profile: str | None = None
    ) -> Thresholds:
        """Return the thresholds for a question over a scope; raise NotFound.

        A threshold that the configuration sets or locks applies. Otherwise votes move it, unless
        ``adaptiveThresholds`` is off.
        """
        effective = self._configuration.effective(principal, profile)
        if effective.values().adaptive_thresholds:
            routing = self._catalog.feedback.routing(scope.collections)
            thresholds = lowest([_of_routing(collection) for collection in routing.values()])
        else:
            default = adapted(())
            why = "the default: adaptation is switched off"
            thresholds = _fixed(default.fast.value, default.agent.value, "default", why)
        return in_order(
            _configured("fast", effective["fastThreshold"], thresholds.fast),
            _configured("agent", effective["agentThreshold"], thresholds.agent),
        )

    def of_collection(self, collection_id: str) -> Thresholds:
        """Return the thresholds of one collection, regardless of the configuration."""
        return _of_routing(self._catalog.feedback.routing([collection_id])[collection_id])

    def lock(self, principal: Principal, collection: str, locked: bool = True) -> Thresholds:
        """Lock the present thresholds of a collection, or let votes move them again."""
        info = self._catalog.collections.changeable(principal, collection)
        now = self.of_collection(info.collection_id)
        values = (now.fast.hundredths, now.agent.hundredths) if locked else (None, None)
        self._catalog.feedback.lock(info.collection_id, *values)
        return self.of_collection(info.collection_id)

    def reset(self, principal: Principal, collection: str) -> Thresholds:
        """Reset the thresholds of a collection, so that only later votes count."""
        info = self._catalog.collections.changeable(principal, collection)
        self._catalog.feedback.reset(info.collection_id)
        return self.of_collection(info.collection_id)


def _of_routing(routing: Routing) -> Thresholds:
    if routing.fast is None or routing.agent is None:
        return adapted(routing.votes)
    why = "locked for this collection"
    return _fixed(routing.fast / 100, routing.agent / 100, "held", why)


def _fixed(fast: float, agent: float, origin: ThresholdOrigin, why: str) -> Thresholds:
    return Thresholds(
        fast=fixed_threshold("fast", fast, origin, why),
        agent=fixed_threshold("agent", agent, origin, why),
    )


def _configured(
    boundary: Boundary, parameter: EffectiveParameter, threshold: Threshold
) -> Threshold:
    if parameter.origin == "default" or not isinstance(parameter.value, int | float):
        return threshold
    if parameter.locked:
        return fixed_threshold(boundary, float(parameter.value), "locked", "locked by an admin")
    why = "set globally" if parameter.origin == "global" else "set in the profile"
    return fixed_threshold(boundary, float(parameter.value), "set", why)
