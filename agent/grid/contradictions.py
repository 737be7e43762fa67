"""Contradictions by meaning: findings that cannot both hold for the same case."""

from collections.abc import Sequence
from typing import Final

from agent.prompts.grids import FindContradictions, StatementsInput
from agent.step import Step
from services.domain import Language
from services.domain.grids import Contradiction, Finding

MOST_COMPARED: Final = 60
"""Findings that are compared with each other."""


async def find_contradictions(
    findings: Sequence[Finding], language: Language, step: Step
) -> list[Contradiction]:
    """Return pairs of findings that cannot both hold for the same case.

    A rule and its exception, an older and a newer version, and statements about different cases
    are none: the model tells these apart, beside document, section and wording of each.
    """
    compared = findings[:MOST_COMPARED]
    if len(compared) < 2:
        return []
    inp = StatementsInput(language=language, statements=tuple(map(_statement, compared)))
    pairs = await step.run(FindContradictions(), inp)
    return [
        Contradiction(
            first=compared[pair.first - 1], second=compared[pair.second - 1], why=pair.why
        )
        for pair in pairs
        if pair.relation == "contradiction"
    ]


def _statement(finding: Finding) -> str:
    origins = "; ".join(f"{c.document}, {c.section_title}" for c in finding.citations)
    quotes = " … ".join(" ".join(c.full_quote.split()) for c in finding.citations)
    return f"{finding.claim} ({origins})\n   {quotes}"
