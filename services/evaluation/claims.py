"""How often what is shown as proof is true: claims beside quotes, judged as answers are."""

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from services.domain import PROOF, EvidenceSentence, Standing
from services.evaluation.records import Record
from services.evaluation.statistics import average
from services.evidence.judge import Judge

Label = Literal["says", "not", "contradicts"]
LABELS: Final[tuple[Label, ...]] = ("says", "not", "contradicts")
_MEANT: Final[Mapping[Standing, Label]] = {
    "quote": "says",
    "follows": "says",
    "loose": "not",
    "none": "not",
    "contradicts": "contradicts",
}


class ClaimPair(Record):
    """A claim beside a quote, and whether the quote says it, does not, or says otherwise."""

    what = "pair"

    id: str
    lang: str
    claim: str
    quote: str
    label: Label


@dataclass(frozen=True)
class JudgedPair:
    """A pair with the standing that an answer would have given to its claim."""

    pair: ClaimPair
    standing: Standing
    reason: str
    says: float

    @property
    def label(self) -> Label:
        return _MEANT[self.standing]

    @property
    def proof(self) -> bool:
        """Whether it would have been shown as proof."""
        return self.standing in PROOF


def judged(pairs: Sequence[ClaimPair], judge: Judge) -> list[JudgedPair]:
    """The standing of each claim with its quote as the only evidence."""
    found = []
    for pair in pairs:
        (verdict,) = judge.claims([pair.claim], [_evidence(pair)], pair.lang)
        found.append(JudgedPair(pair, verdict.standing, verdict.reason, verdict.says))
    return found


def _evidence(pair: ClaimPair) -> EvidenceSentence:
    return EvidenceSentence(
        document_id=pair.id,
        document="",
        section="",
        page=None,
        start=0,
        end=len(pair.quote),
        quote=pair.quote,
        context=pair.quote,
    )


def measured(pairs: Sequence[ClaimPair], judge: Judge) -> dict[str, Any]:
    """Judges pairs, and says what that is worth: the shape of ``eval claims --json``.

    Shares are 0-1 with their 95 % bootstrap interval. ``shown_as_proof`` is told of claims that
    their quotes do not say, ``kept_as_proof`` of those that they do; a label
    that nobody has is left out.
    """
    begin = time.monotonic()
    found = judged(pairs, judge)
    seconds = time.monotonic() - begin
    languages = dict.fromkeys(pair.lang for pair in pairs)
    return {
        **_measures(found),
        "by_language": {
            language: _measures([each for each in found if each.pair.lang == language])
            for language in languages
        },
        "seconds": round(seconds, 2),
        "rows": [
            {
                "id": each.pair.id,
                "label": each.pair.label,
                "standing": each.standing,
                "reason": each.reason,
                "says": each.says,
            }
            for each in found
        ],
    }


def _measures(found: Sequence[JudgedPair]) -> dict[str, Any]:
    groups = {
        label: group for label in LABELS if (group := [p for p in found if p.pair.label == label])
    }
    proof = {label: average([each.proof for each in group]) for label, group in groups.items()}
    return {
        "pairs": len(found),
        "accuracy": average([each.label == each.pair.label for each in found]),
        "f1": {label: f1(found, label) for label in groups},
        "shown_as_proof": {label: proof[label] for label in groups if label != "says"},
        "kept_as_proof": proof.get("says"),
        "standings": {
            label: dict(Counter(each.standing for each in group)) for label, group in groups.items()
        },
    }


def f1(found: Sequence[JudgedPair], label: Label) -> float:
    """Harmonic mean of precision and recall of a label, 0-1; 0 where it was never right."""
    right = sum(each.label == each.pair.label == label for each in found)
    called = sum(each.label == label for each in found)
    wanted = sum(each.pair.label == label for each in found)
    return round(2 * right / (called + wanted), 4) if called + wanted else 0.0
