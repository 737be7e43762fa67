"""Plan memory: earlier plans of a person that help with a new question.

A plan counts if its person approved, upvoted or edited it and did not downvote it; of several for
the same question only the cheapest, those upvoted or edited first. Plans are ranked by the
similarity of their question, less a penalty for each kind of improvement that they needed.
Similarity is the cosine of two questions, rescaled to start where only off-topic texts are, so that
a penalty weighs as much as a small difference.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from services.catalog import Catalog
from services.domain import Language, Principal
from services.domain.errors import NotFound
from services.domain.events import PlanRecalled
from services.domain.plan_cases import PlanCase, PlanKind
from services.language.text.words import stems
from services.retrieval.embedders.base import Calibration, Embedder, EmbedQuery

PENALTY: Final = 0.05
"""Deducted for each kind of improvement that a case needed."""
NEAR: Final = 0.55
"""Least similarity of related questions: 15 of 16 pairs of similar questions are above, none of 112
pairs of unrelated ones is above 0.51 (multilingual-e5-small)."""
MOST_RECALLED: Final = 3


def adjusted_score(similarity: float, case: PlanCase) -> float:
    """Return the similarity less the two penalties."""
    return similarity - PENALTY * (case.had_tactical_improvements + case.had_plan_improvements)


def similarity_of(cosine: float, calibration: Calibration) -> float:
    """Return the similarity (0-1) for the cosine of two questions."""
    return min(1.0, max(0.0, (cosine - calibration.floor) / (1.0 - calibration.floor)))


def most_efficient(cases: Iterable[PlanCase]) -> list[PlanCase]:
    """Return the cheapest case of each question (by its content words), those liked first."""
    best: dict[frozenset[str], PlanCase] = {}
    for case in sorted(
        cases, key=lambda c: (not (c.vote or c.edited), c.tokens, c.seconds, c.case_id)
    ):
        words = frozenset(stems(case.question, case.language))
        best.setdefault(words or frozenset([case.question]), case)
    return list(best.values())


class PlanMemory:
    """Stores cases and recalls those that help."""

    def __init__(self, catalog: Catalog, embedder: Embedder, embed_query: EmbedQuery) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._embed = embed_query

    def keep(self, owner: str, case: PlanCase) -> None:
        """Store the plan of a run that answered."""
        vector = np.asarray(self._embed(case.question), dtype="<f4").tobytes()
        self._catalog.plans.put(owner, case, self._embedder.fingerprint, vector)

    def recall(
        self, principal: Principal, kind: PlanKind, question: str, language: Language
    ) -> tuple[PlanCase, ...]:
        """Return the person's own plans for similar questions, best first, at most three.

        Plans over collections that may no longer be read are left out.
        """
        fingerprint = self._embedder.fingerprint
        stored = self._catalog.plans.comparable(principal, kind, language, fingerprint)
        vectors = {case.case_id: vector for case, vector in stored}
        cases = most_efficient(
            case for case, _ in stored if case.serves and self._readable(principal, case)
        )
        if not cases:
            return ()
        similarities = self._similarities(question, [vectors[case.case_id] for case in cases])
        ranked = sorted(
            (-adjusted_score(similarity, case), case.case_id, case)
            for similarity, case in zip(similarities, cases, strict=True)
            if similarity >= NEAR
        )
        return tuple(case for *_, case in ranked[:MOST_RECALLED])

    def _similarities(self, question: str, vectors: Sequence[bytes]) -> list[float]:
        stored = np.stack([np.frombuffer(vector, dtype="<f4") for vector in vectors])
        calibration = self._embedder.calibration
        cosines = stored @ self._embed(question)
        return [similarity_of(float(cosine), calibration) for cosine in cosines]

    def _readable(self, principal: Principal, case: PlanCase) -> bool:
        try:
            self._catalog.collections.scope(principal, case.collections)
        except NotFound:
            return False
        return True


class RecordedPlans(PlanMemory):
    """The plans that a recorded run recalled, for its replay; stores nothing."""

    def __init__(self, recalled: Iterable[PlanRecalled]) -> None:
        self._recalled = {event.question: event.cases for event in recalled}

    def keep(self, owner: str, case: PlanCase) -> None:
        pass

    def recall(
        self, principal: Principal, kind: PlanKind, question: str, language: Language
    ) -> tuple[PlanCase, ...]:
        return self._recalled.get(question, ())
