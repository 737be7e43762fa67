"""Contradictions by meaning: findings that cannot both hold for the same case."""

from collections.abc import Sequence
from itertools import combinations
from typing import Final

from agent.prompts.grids import FindContradictions, StatementsInput
from agent.step import Step
from services.domain import Language
from services.domain.grids import Contradiction, Finding
from services.domain.notices import Notice

BLOCK: Final = 30
"""Findings of a block; each block is compared with each other one, two in a call."""
MOST_COMPARED: Final = 240
"""Findings that are compared with each other: 28 calls for all pairs of eight blocks."""


async def find_contradictions(
    findings: Sequence[Finding], language: Language, step: Step
) -> list[Contradiction]:
    """Return pairs of findings that cannot both hold for the same case.

    A rule and its exception, an older and a newer version, and statements about different cases
    are none: the model tells these apart, beside document, section and wording of each.
    """
    if len(findings) > MOST_COMPARED:
        step.warn(
            Notice.of(
                "Only the first {most} of {all} statements were compared with each other.",
                most=MOST_COMPARED,
                all=len(findings),
            )
        )
    compared = findings[:MOST_COMPARED]
    blocks = [compared[first : first + BLOCK] for first in range(0, len(compared), BLOCK)]
    pairs = combinations(blocks, 2) if len(blocks) > 1 else [(compared, ())]
    contradictions: dict[tuple[int, int], Contradiction] = {}
    for one, other in pairs:  # two findings of one block meet several times
        for contradiction in await _compare([*one, *other], language, step):
            key = id(contradiction.first), id(contradiction.second)
            contradictions.setdefault(key, contradiction)
    return list(contradictions.values())


async def _compare(
    findings: Sequence[Finding], language: Language, step: Step
) -> list[Contradiction]:
    if len(findings) < 2:
        return []
    inp = StatementsInput(language=language, statements=tuple(map(_statement, findings)))
    pairs = await step.run(FindContradictions(), inp)
    return [
        Contradiction(
            first=findings[min(pair.first, pair.second) - 1],
            second=findings[max(pair.first, pair.second) - 1],
            why=pair.why,
        )
        for pair in pairs
        if pair.relation == "contradiction"
    ]


def _statement(finding: Finding) -> str:
    origins = "; ".join(f"{c.document}, {c.section_title}" for c in finding.citations)
    quotes = " … ".join(" ".join(c.full_quote.split()) for c in finding.citations)
    return f"{finding.claim} ({origins})\n   {quotes}"
