"""Plan memory: which earlier plans of a person help with a new question.

The scoring is that of the planner repository in the founding design (knowledge retrieval,
"Planner Repository Scoring"), with its filters: successful, well rated, the most efficient case of
its kind. Similarity is read off the cosine of two questions on the scale of search scores, which
begins where only off-topic texts lie, so that a penalty weighs as much as a small difference.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from services.catalog import Catalog
from services.domain import Language, Principal
from services.domain.errors import NotFound
from services.domain.events import PlanRecalled
from services.domain.plans import PlanCase, PlanKind
from services.language.text import stems
from services.retrieval.embedders.base import Calibration, Embedder, EmbedQuery

PENALTY: Final = 0.05
"""For each way in which a case had to be mended."""
NEAR: Final = 0.55
"""Similarity from which on a question is of the kind of another: of 16 pairs of similar questions
15 lie above, of 112 pairs of unrelated ones none above 0.51 (multilingual-e5-small)."""
MOST: Final = 3


def adjusted_score(similarity: float, case: PlanCase) -> float:
    """Similarity less the two penalties."""
    return similarity - PENALTY * (case.had_tactical_improvements + case.had_plan_improvements)


def similarity_of(cosine: float, calibration: Calibration) -> float:
    """0-1 from a cosine of two questions."""
    return min(1.0, max(0.0, (cosine - calibration.floor) / (1.0 - calibration.floor)))


def most_efficient(cases: Iterable[PlanCase]) -> list[PlanCase]:
    """Of each question the cheapest case, those first that the person voted up or edited.

    A question is the same where its content words are, whatever their order and endings.
    """
    best: dict[frozenset[str], PlanCase] = {}
    for case in sorted(
        cases, key=lambda c: (not (c.vote or c.edited), c.tokens, c.seconds, c.case_id)
    ):
        words = frozenset(stems(case.question, case.language))
        best.setdefault(words or frozenset([case.question]), case)
    return list(best.values())


class PlanMemory:
    """Keeps cases and finds those that help."""

    def __init__(self, catalog: Catalog, embedder: Embedder, embed_query: EmbedQuery) -> None:
        self._catalog = catalog
        self._embedder = embedder
        self._embed = embed_query

    def keep(self, owner: str, case: PlanCase) -> None:
        """Keep the plan of a run that answered."""
        vector = np.asarray(self._embed(case.question), dtype="<f4").tobytes()
        self._catalog.plans.put(owner, case, self._embedder.fingerprint, vector)

    def recall(
        self, principal: Principal, kind: PlanKind, question: str, language: Language
    ) -> tuple[PlanCase, ...]:
        """The person's own plans for questions like this one, best first, at most three.

        Of collections that may no longer be read none is used.
        """
        fingerprint = self._embedder.fingerprint
        kept = self._catalog.plans.comparable(principal, kind, language, fingerprint)
        vectors = {case.case_id: vector for case, vector in kept}
        cases = most_efficient(case for case, _ in kept if case.serves)
        if not cases:
            return ()
        near = self._similarities(question, [vectors[case.case_id] for case in cases])
        ranked = sorted(
            ((adjusted_score(s, c), c) for s, c in zip(near, cases, strict=True) if s >= NEAR),
            key=lambda pair: (-pair[0], pair[1].case_id),
        )
        return tuple([case for _, case in ranked if self._readable(principal, case)][:MOST])

    def _similarities(self, question: str, vectors: Sequence[bytes]) -> list[float]:
        known = np.stack([np.frombuffer(each, dtype="<f4") for each in vectors])
        calibration = self._embedder.calibration
        return [similarity_of(float(each), calibration) for each in known @ self._embed(question)]

    def _readable(self, principal: Principal, case: PlanCase) -> bool:
        try:
            self._catalog.collections.scope(principal, case.collections)
        except NotFound:
            return False
        return True


class RecordedPlans(PlanMemory):
    """What a recorded run was reminded of, for its replay; nothing is kept."""

    def __init__(self, recalled: Iterable[PlanRecalled]) -> None:
        self._recalled = {each.question: each.cases for each in recalled}

    def keep(self, owner: str, case: PlanCase) -> None:
        pass

    def recall(
        self, principal: Principal, kind: PlanKind, question: str, language: Language
    ) -> tuple[PlanCase, ...]:
        return self._recalled.get(question, ())
