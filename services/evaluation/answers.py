"""Scores of answers against questions with gold: pure functions of JSON values.

A report is what ``rabbithole ask --json`` or ``research --json`` prints. Shares are 0-1; ``None``
means that the measure does not apply to the question, so that it never counts as zero.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.domain import PROOF
from services.evaluation.facts import groups_found, refuses
from services.evaluation.records import Record
from services.evaluation.statistics import average

Report = Mapping[str, Any]

MEASURES = (
    "facts",
    "all_facts",
    "gold",
    "gold_any",
    "gold_seen",
    "support",
    "right",
    "fallback_share",
)
TOTALS = (
    "fallbacks",
    "tasks",
    "seconds",
    "model_calls",
    "prompt_tokens",
    "completion_tokens",
    "characters",
)
CERTAINTIES = ("answered", "perhaps", "refused")


class Question(Record):
    """A question record: gold sections (``StrlSchG § 78``) and groups of spellings of facts."""

    what = "question"

    id: str
    lang: str
    q: str
    gold: tuple[str, ...]
    must: tuple[tuple[str, ...], ...]
    type: str

    @property
    def answerable(self) -> bool:
        return self.type != "unanswerable"


@dataclass(frozen=True)
class Score:
    """What one answer is worth. ``gold`` counts proof, ``gold_any`` every cited place.

    Passages that only come closest (``perhaps``) are no proof; facts in them are read, so they
    count. ``right`` is told of answers alone: all facts are stated and a gold section
    is among the proof, as far as the question has either; it is wrong where there is no answer.
    ``gold_seen`` is the share of gold among what it could have cited: the evidence of a research
    run, the passages that a report names as ``retrieved``. ``refusal_right``: an unanswerable
    question was refused, or an answerable one was not (refused without stating any fact).
    ``characters`` is the length of the claims, since a long answer states more by chance.
    """

    id: str
    type: str
    found: tuple[bool, ...]
    facts: float | None
    all_facts: float | None
    gold: float | None
    gold_any: float | None
    gold_seen: float | None
    support: float | None
    fallbacks: int
    tasks: int
    fallback_share: float | None
    refusal_right: bool
    model_calls: int
    prompt_tokens: int
    completion_tokens: int
    characters: int
    seconds: float
    certainty: str = "answered"
    right: float | None = None


def share(flags: Sequence[bool]) -> float | None:
    """Share of true flags, None of none."""
    return sum(flags) / len(flags) if flags else None


def document_names(document: str, title: str = "") -> set[str]:
    """Everything a document may be called: file stem, title, its abbreviation, its first part.

    ``StrlSchV.pdf`` with the title ``Verordnung … (StrlSchV 2018)`` is ``strlschv`` too.
    """
    names = {Path(document).stem, title, *re.findall(r"\(([^()]+)\)", title)}
    names.add(re.split(r"\s[–—-]\s|:\s", title)[0])
    names |= {re.sub(r"\s+(?:19|20)\d\d$", "", name) for name in names}
    return {_plain(name) for name in names if name.strip()}


def _plain(text: str) -> str:
    return " ".join(text.replace("§", "§ ").split()).casefold()


def is_gold(gold: str, section: str, names: set[str]) -> bool:
    """Whether a section of a document is the gold one (``StrlSchG § 78``, ``PEP 604``).

    A finer label is its section (``§ 78 Absatz 1``), a longer number is not (``§ 78a``).
    """
    wanted, label = _plain(gold), _plain(section)
    if wanted in names or wanted == label:
        return True
    return any(f"{name} {label} ".startswith(f"{wanted} ") for name in names)


def citations(report: Report, *, proof_only: bool) -> Iterator[Mapping[str, Any]]:
    """The citations of an answer's sentences in order."""
    answered = certainty_of(report) == "answered"
    for sentence in report.get("sentences", ()):
        if (answered and is_proof(sentence)) or not proof_only:
            yield from sentence["citations"]


def is_proof(sentence: Mapping[str, Any]) -> bool:
    """Whether a sentence is shown as proven."""
    standing = sentence.get("standing")
    if sentence.get("closest"):
        return False
    return bool(sentence["supported"]) if standing is None else standing in PROOF


def certainty_of(report: Report) -> str:
    """Answered, perhaps or refused; read off the text where a report does not say."""
    if "certainty" in report:
        return str(report["certainty"])
    refused = bool(report.get("refused")) or refuses(report.get("answer") or "")
    return "refused" if refused else "answered"


def gold_share(
    question: Question, places: Iterable[Mapping[str, Any]], report: Report
) -> float | None:
    """Share of the question's gold sections among places with ``document`` and ``section``."""
    titles = {source["document"]: source.get("title") for source in report.get("sources", ())}
    named = []
    for place in places:
        title = place.get("title") or titles.get(place["document"]) or ""
        named.append((place.get("section") or "", document_names(place["document"], title)))
    return share([any(is_gold(gold, *place) for place in named) for gold in question.gold])


def claims(report: Report, question: str) -> str:
    """What the answer claims: its sentences, without headings, marks and lists of gaps.

    A refusal claims nothing: it repeats the question and names what was searched.
    """
    texts = [sentence["text"] for sentence in report.get("sentences", ())]
    if texts:
        return "\n".join(texts)
    if report.get("refused") or report.get("certainty") == "refused":
        return ""
    return (report.get("answer") or "").replace(question, " ")


def task_counts(usage: Mapping[str, Any]) -> tuple[int, int]:
    """Fallbacks and tasks of a run.

    ``usage["tasks"]`` splits a run by model task, each with its ``runs``; where it is missing, a
    task is a model call that is no repair. There are never fewer tasks than fallbacks.
    """
    fallbacks = usage.get("fallbacks", 0)
    if "tasks" in usage:
        tasks = sum(task["runs"] for task in usage["tasks"].values())
    else:
        tasks = usage.get("model_calls", 0) - usage.get("repairs", 0)
    return fallbacks, max(tasks, fallbacks)


def score(question: Question, report: Report, seconds: float) -> Score:
    """Scores one answer; ``seconds`` is the wall clock of the whole command."""
    stated, usage = claims(report, question.q), report.get("usage", {})
    found = groups_found(stated, question.must)
    fallbacks, tasks = task_counts(usage)
    certainty = certainty_of(report)
    refused = certainty == "refused" or refuses(report.get("answer") or "")
    gold = gold_share(question, citations(report, proof_only=True), report)
    right = float(question.answerable and all(found) and (gold is None or gold > 0))
    seen = report.get("retrieved", report.get("evidence"))
    return Score(
        id=question.id,
        type=question.type,
        found=tuple(found),
        facts=share(found),
        all_facts=float(all(found)) if found else None,
        gold=gold,
        gold_any=gold_share(question, citations(report, proof_only=False), report),
        gold_seen=None if seen is None else gold_share(question, seen, report),
        support=share([is_proof(sentence) for sentence in report.get("sentences", ())]),
        fallbacks=fallbacks,
        tasks=tasks,
        fallback_share=fallbacks / tasks if tasks else None,
        refusal_right=not (refused and not any(found)) if question.answerable else refused,
        model_calls=usage.get("model_calls", 0),
        prompt_tokens=usage.get("prompt_tokens", 0),
        completion_tokens=usage.get("completion_tokens", 0),
        characters=len(stated),
        seconds=seconds,
        certainty=certainty,
        right=right if certainty == "answered" else None,
    )


def summary(scores: Sequence[Score]) -> dict[str, Any]:
    """Means with intervals over questions, and totals; a measure nobody has is left out."""
    measures: dict[str, Any] = {}
    for name in MEASURES:
        values = [value for s in scores if (value := getattr(s, name)) is not None]
        if (found := average(values)) is not None:
            measures[name] = found
    unanswerable = [s.refusal_right for s in scores if s.type == "unanswerable"]
    totals = {name: sum(getattr(s, name) for s in scores) for name in TOTALS}
    return {
        "questions": len(scores),
        "measures": measures,
        "certainty": {
            name: found
            for name in CERTAINTIES
            if (found := average([s.certainty == name for s in scores])) is not None
        },
        "fallbacks": totals.pop("fallbacks"),
        "tasks": totals.pop("tasks"),
        "unanswerable": {"n": len(unanswerable), "refused": sum(unanswerable)},
        "false_refusals": sum(not s.refusal_right for s in scores if s.type != "unanswerable"),
        **totals,
    }


def paired_difference(
    ours: Sequence[Score], theirs: Sequence[Score], measure: str
) -> dict[str, float] | None:
    """Mean difference (ours - theirs) over the questions that both answered, with interval."""
    other = {s.id: getattr(s, measure) for s in theirs}
    pairs = [(getattr(s, measure), other.get(s.id)) for s in ours]
    return average([a - b for a, b in pairs if a is not None and b is not None])
